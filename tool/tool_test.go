package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/tool"
)

// echo gives a fixed result and remembers its arguments.
type echo struct {
	name string
	res  tool.Result
	args *string
}

func (e echo) Spec() tool.Spec { return tool.Spec{Name: e.name} }

func (e echo) Run(_ context.Context, args json.RawMessage) tool.Result {
	if e.args != nil {
		*e.args = string(args)
	}
	return e.res
}

func TestRegistry_RunOfUnknownToolIsAResult(t *testing.T) {
	res, cut := tool.NewRegistry().Run(t.Context(), "Fetch", nil)
	if want := (tool.Result{Summary: "Tool 'Fetch' not found", IsError: true}); res != want || cut != nil {
		t.Errorf("%+v, %v", res, cut)
	}
}

func TestRegistry_RunMakesMissingArgumentsAnObject(t *testing.T) {
	for in, want := range map[string]string{"": "{}", " \n": "{}", `{"a":1}`: `{"a":1}`} {
		var got string
		tool.NewRegistry(echo{name: "E", args: &got}).Run(t.Context(), "E", json.RawMessage(in))
		if got != want {
			t.Errorf("%q reached the tool as %q, want %q", in, got, want)
		}
	}
}

func TestRegistry_RunCutsContentNeverSummary(t *testing.T) {
	long := strings.Repeat("x", 40000)
	r := tool.NewRegistry(echo{name: "Glob", res: tool.Result{Summary: long, Content: long}})
	res, cut := r.Run(t.Context(), "Glob", nil)
	if res.Summary != long {
		t.Error("summary was cut")
	}
	if res.Content != tool.Cap(long, 16384) {
		t.Errorf("content has %d bytes", len(res.Content))
	}
	if want := (&tool.Truncation{Tool: "Glob", From: 40000, To: 16369, Limit: 16384}); !cmp.Equal(cut, want) {
		t.Errorf("%v, want %v", cut, want)
	}
	res, cut = r.WithCaps(tool.Caps{PerTool: map[string]int{"Glob": 40000}}).Run(t.Context(), "Glob", nil)
	if res.Content != long || cut != nil {
		t.Errorf("with a cap that fits: %d bytes, %v", len(res.Content), cut)
	}
}

func TestRegistry_RunReportsWhatAToolCutItself(t *testing.T) {
	r := tool.NewRegistry(echo{name: "Bash", res: tool.Result{Content: "short", Full: 5000}})
	_, cut := r.Run(t.Context(), "Bash", nil)
	if want := (&tool.Truncation{Tool: "Bash", From: 5000, To: 5, Limit: 16384}); !cmp.Equal(cut, want) {
		t.Errorf("%v, want %v", cut, want)
	}
}

func TestRegistry_SpecsAreSortedNamesAreNot(t *testing.T) {
	r := tool.NewRegistry(echo{name: "b"}, echo{name: "a"})
	if got := r.Names(); !cmp.Equal(got, []string{"b", "a"}) {
		t.Errorf("names %v", got)
	}
	if specs := r.Specs(); specs[0].Name != "a" || specs[1].Name != "b" {
		t.Errorf("specs %v", specs)
	}
}

func TestNewRegistry_TwoOfOneNamePanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	tool.NewRegistry(echo{name: "a"}, echo{name: "a"})
}

func TestFailed_TellsRulesFromFailures(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&tool.PathError{Err: tool.ErrOutside, Path: "/p"}, "Tool execution failed: Invalid argument: path is outside allowed scope: /p"},
		{fmt.Errorf("x: %w", &tool.PathError{Err: tool.ErrDirectory, Path: "/p"}), "Tool execution failed: Invalid argument: x: path is a directory: /p"},
		{&tool.PathError{Err: tool.ErrNotFound, Path: "/p"}, "Tool execution failed: Execution failed: file not found: /p"},
		{&fs.PathError{Op: "open", Path: "/p", Err: errors.New("broken")}, "Tool execution failed: Execution failed: open /p: broken"},
	} {
		if got := tool.Failed(c.err); got != (tool.Result{Summary: c.want, IsError: true}) {
			t.Errorf("%+v, want %s", got, c.want)
		}
	}
}

func TestResult_TextJoinsSummaryAndContent(t *testing.T) {
	if got := (tool.Result{Summary: "s", Content: "c"}).Text(); got != "s\nc" {
		t.Errorf("%q", got)
	}
	if got := (tool.Result{Summary: "s"}).Text(); got != "s" {
		t.Errorf("%q", got)
	}
}
