package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"podium.local/tool"
	"podium.local/tool/builtin"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(doomedVariable); dir != "" {
		runDoomed(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// doomedVariable names the folder in which this program, started again, runs a
// command that it will not live to see the end of.
const doomedVariable = "PODIUM_TEST_DOOMED"

func runDoomed(dir string) {
	s, err := tool.NewScope([]tool.Rule{{Target: dir, Level: tool.LevelRead}}, nil)
	if err != nil {
		panic(err)
	}
	tools, _ := builtin.New(builtin.Options{Dir: dir, Scope: s, AllowBash: true})
	tools.Run(context.Background(), "Bash", json.RawMessage(`{"command":"exec 9>leash; echo ready >&9; exec sleep 1000"}`))
}

// bench is a pod's tools on a folder of their own: in may be written, ro read,
// out is beyond the scope.
type bench struct {
	t           testing.TB
	in, ro, out string
	tools       *tool.Registry
	tracker     *builtin.Tracker
}

func newBench(t testing.TB) *bench { return newBenchWith(t, builtin.Options{}) }

func newBenchWith(t testing.TB, o builtin.Options) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, in: dir + "/in", ro: dir + "/ro", out: dir + "/out"}
	for _, d := range []string{b.in, b.ro, b.out} {
		b.mkdir(d)
	}
	o.Scope, err = tool.NewScope([]tool.Rule{
		{Target: b.in, Level: tool.LevelWrite, Recursive: true},
		{Target: b.ro, Level: tool.LevelRead, Recursive: true},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Dir = b.in
	b.tools, b.tracker = builtin.New(o)
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) mkdir(path string) {
	b.t.Helper()
	b.must(os.MkdirAll(path, 0o755))
}

// file writes a file behind the tools' back; rel is below in.
func (b *bench) file(rel, content string) string {
	b.t.Helper()
	path := filepath.Join(b.in, rel)
	b.mkdir(filepath.Dir(path))
	b.must(os.WriteFile(path, []byte(content), 0o644))
	return path
}

func (b *bench) holds(path, want string) {
	b.t.Helper()
	got, err := os.ReadFile(path)
	b.must(err)
	if string(got) != want {
		b.t.Errorf("%s holds %q, want %q", path, got, want)
	}
}

type args map[string]any

func (b *bench) call(name string, a args) tool.Result {
	b.t.Helper()
	return b.callContext(b.t.Context(), name, a)
}

func (b *bench) callContext(ctx context.Context, name string, a args) tool.Result {
	b.t.Helper()
	raw, err := json.Marshal(a)
	b.must(err)
	res, _ := b.tools.Run(ctx, name, raw)
	return res
}

// read makes a file known to the tracker.
func (b *bench) read(path string) {
	b.t.Helper()
	b.want(b.call("Read", args{"file_path": path}), "Read ")
}

// want is a result that went well with a summary that begins so.
func (b *bench) want(res tool.Result, summary string) {
	b.t.Helper()
	if res.IsError || !strings.HasPrefix(res.Summary, summary) {
		b.t.Errorf("got %q (error %v), want %q", res.Summary, res.IsError, summary)
	}
}

// refused is a call that broke a rule, failed one that went wrong.
func (b *bench) refused(res tool.Result, text string) {
	b.t.Helper()
	b.erred(res, "Tool execution failed: Invalid argument: "+text)
}

func (b *bench) failed(res tool.Result, text string) {
	b.t.Helper()
	b.erred(res, "Tool execution failed: Execution failed: "+text)
}

func (b *bench) erred(res tool.Result, summary string) {
	b.t.Helper()
	if !res.IsError || res.Summary != summary || res.Content != "" {
		b.t.Errorf("got %q (error %v, %d bytes of content), want error %q", res.Summary, res.IsError, len(res.Content), summary)
	}
}

func TestNew_BashOnlyWhereAllowed(t *testing.T) {
	plain := []string{"Read", "Write", "Edit", "Glob", "Grep"}
	if got := newBench(t).tools.Names(); !slices.Equal(got, plain) {
		t.Errorf("tools %v, want %v", got, plain)
	}
	if got := newBenchWith(t, builtin.Options{AllowBash: true}).tools.Names(); !slices.Equal(got, append(plain, "Bash")) {
		t.Errorf("with Bash: %v", got)
	}
	b := newBench(t)
	b.erred(b.call("Bash", args{"command": "true"}), "Tool 'Bash' not found")
}

func TestNew_EveryToolTellsTheModelHowToCallIt(t *testing.T) {
	for _, s := range newBenchWith(t, builtin.Options{AllowBash: true}).tools.Specs() {
		var schema struct {
			Type                 string
			Properties           map[string]map[string]any
			Required             []string
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(s.Schema, &schema); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if schema.Type != "object" || schema.AdditionalProperties == nil || *schema.AdditionalProperties || len(schema.Required) == 0 {
			t.Errorf("%s: schema is not strict: %s", s.Name, s.Schema)
		}
		for _, r := range schema.Required {
			if schema.Properties[r] == nil {
				t.Errorf("%s requires %s, which it does not describe", s.Name, r)
			}
		}
		for name, p := range schema.Properties {
			if p["type"] == nil {
				t.Errorf("%s: %s has no type", s.Name, name)
			}
		}
		if len(s.Description) < 100 {
			t.Errorf("%s has no description worth the name", s.Name)
		}
	}
}

func TestNew_RelativeFolderPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	builtin.New(builtin.Options{Dir: "x"})
}

// TestFileTools_SayWhichRuleAPathBreaks pins the texts that are part of the
// contract with the model.
func TestFileTools_SayWhichRuleAPathBreaks(t *testing.T) {
	b := newBench(t)
	b.mkdir(b.in + "/dir")
	b.must(os.WriteFile(b.ro+"/file", nil, 0o644))
	b.must(os.WriteFile(b.out+"/file", nil, 0o644))
	b.must(os.Symlink(b.out, b.in+"/escape"))
	content := map[string]args{
		"Read":  {},
		"Write": {"content": "x"},
		"Edit":  {"old_string": "a", "new_string": "b"},
	}
	for _, c := range []struct {
		path, want string
		tools      string
	}{
		{"file", "path must be absolute: file", "Read Write Edit"},
		{"", "path must be absolute: ", "Read Write Edit"},
		{b.out + "/file", "path is outside allowed scope: " + b.out + "/file", "Read Write Edit"},
		{b.in + "/../out/file", "path is outside allowed scope: " + b.in + "/../out/file", "Read Write Edit"},
		{b.in + "/escape/file", "path is outside allowed scope: " + b.in + "/escape/file", "Read Write Edit"},
		{b.in + "/escape/new", "path is outside allowed scope: " + b.in + "/escape/new", "Read Write Edit"},
		{b.ro + "/file", "path is read-only in this scope: " + b.ro + "/file", "Write Edit"},
		{b.in + "/dir", "path is a directory: " + b.in + "/dir", "Read Write Edit"},
		{b.in, "path is a directory: " + b.in, "Read Write Edit"},
	} {
		for name := range strings.FieldsSeq(c.tools) {
			t.Run(name+" "+filepath.Base(c.path), func(t *testing.T) {
				b.t = t
				a := args{"file_path": c.path}
				for k, v := range content[name] {
					a[k] = v
				}
				b.refused(b.call(name, a), c.want)
			})
		}
	}
	b.t = t
	for name, a := range map[string]args{"Read": {}, "Edit": content["Edit"]} {
		missing := b.in + "/missing/file"
		a["file_path"] = missing
		b.failed(b.call(name, a), "file not found: "+missing)
		if _, err := os.Stat(b.in + "/missing"); err == nil {
			t.Errorf("%s made a folder", name)
		}
	}
	b.holds(b.out+"/file", "")
}
