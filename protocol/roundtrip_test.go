package protocol_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"podium.local/protocol"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func TestMethod_RoundTripsThroughItsCanonicalLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genMethod.Draw(t, "method")
		line, err := want.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		checkCanonical(t, line)
		got, err := protocol.DecodeMethod(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestEvent_RoundTripsThroughItsCanonicalLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genEvent.Draw(t, "event")
		line, err := want.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		checkCanonical(t, line)
		got, err := protocol.DecodeEvent(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// checkCanonical checks what holds for every line that is written.
func checkCanonical(t *rapid.T, line []byte) {
	if !jsontext.Value(line).IsValid() || bytes.ContainsAny(line, "\n\r") {
		t.Fatalf("not one line of JSON: %q", line)
	}
	for _, escaped := range []string{`\u2028`, `\u003c`, `\u003e`, `\u0026`, `\/`} {
		if bytes.Contains(bytes.ReplaceAll(line, []byte(`\\`), nil), []byte(escaped)) {
			t.Fatalf("%s is escaped without need: %s", escaped, line)
		}
	}
}

func TestAppend_KeepsWhatStandsInFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := genEvent.Draw(t, "event")
		alone, err := e.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		behind, err := e.Append([]byte("front"))
		if err != nil || string(behind) != "front"+string(alone) {
			t.Fatalf("got %q, %v", behind, err)
		}
	})
}

func TestAppend_RefusesWhatCannotStandOnALine(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		value interface {
			Append([]byte) ([]byte, error)
		}
		want string
	}{
		"method without params":    {protocol.Method{}, "params are nil"},
		"pointer params":           {protocol.Method{Params: &protocol.Run{}}, "no codec"},
		"long request id":          {protocol.Method{Params: protocol.Pause{}, RequestID: strings.Repeat("r", 65)}, "longer than 64 bytes"},
		"request id not UTF-8":     {protocol.Method{Params: protocol.Pause{}, RequestID: "\xff"}, "not valid UTF-8"},
		"pod_event of no kind":     {protocol.Method{Params: protocol.PodEvent{}}, "kind is unknown"},
		"scope of no permission":   {scopeMethod(protocol.ScopeRule{Target: "/"}), "permission is unknown"},
		"scope path not UTF-8":     {scopeMethod(protocol.ScopeRule{Target: "/\xff", Permission: "read"}), "target is not valid UTF-8"},
		"event without data":       {protocol.Event{}, "data is nil"},
		"pointer data":             {protocol.Event{Data: &protocol.TextDelta{}}, "no codec"},
		"raw item broken":          {protocol.Event{Data: protocol.Entries{Items: []jsontext.Value{[]byte(`{`)}}}, "items is not one line"},
		"raw item over two lines":  {protocol.Event{Data: protocol.Entries{Items: []jsontext.Value{[]byte("{\n}")}}}, "items is not one line"},
		"raw item empty":           {protocol.Event{Data: protocol.Entries{Items: []jsontext.Value{nil}}}, "items is not one line"},
		"unknown event, bad data":  {protocol.Event{Data: protocol.Unknown{Name: "x", Data: []byte(`1 2`)}}, "data is not one line"},
		"cost that is no number":   {protocol.Event{Data: protocol.Usage{Extra: &protocol.UsageExtra{CostUSD: &nan}}}, "not a finite number"},
		"item without data":        {protocol.Item{}, "data is nil"},
		"unknown item without raw": {protocol.Item{Data: protocol.UnknownItem{Type: "x"}}, "not one line"},
		"pointer item":             {protocol.Item{Data: &protocol.Message{}}, "no codec"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.value.Append([]byte("front"))
			var encode *protocol.EncodeError
			if !errors.As(err, &encode) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an EncodeError with %q", err, c.want)
			}
			if string(got) != "front" {
				t.Errorf("dst came back as %q", got)
			}
		})
	}
}

func scopeMethod(r protocol.ScopeRule) protocol.Method {
	return protocol.Method{Params: protocol.PodEvent{
		Kind: protocol.PodEventScopeSubDelegated, Scope: []protocol.ScopeRule{r},
	}}
}

func TestAppend_RepairsTextThatIsNotUTF8(t *testing.T) {
	line, err := protocol.Event{Data: protocol.TextDone{Text: "a\xff\xfeb"}}.Append(nil)
	if want := `{"event":"text_done","data":{"text":"a` + "\ufffd\ufffd" + `b"}}`; err != nil || string(line) != want {
		t.Fatalf("got %q, %v; want %q", line, err, want)
	}
}

// TestVocabulary_EveryTagHasACodecAndAVector reads the constants from the
// source, so that a new tag cannot be forgotten.
func TestVocabulary_EveryTagHasACodecAndAVector(t *testing.T) {
	vectors := append(readVectors(t, "protocol.jsonl"), readVectors(t, "extra.jsonl")...)
	covered := func(kind, tag string) bool {
		return slices.ContainsFunc(vectors, func(v vector) bool {
			return v.Kind == kind && v.Error == "" && strings.Contains(v.Canonical, `"`+kind+`":`+strconv.Quote(tag))
		})
	}
	for kind, c := range map[string]struct {
		prefix, file string
		generated    []string
		count        int
	}{
		"method": {"Method", "method.go", sortedKeys(genParams), 11},
		"event":  {"Event", "event.go", sortedKeys(genData), 25},
	} {
		tags := stringConstants(t, c.file, c.prefix)
		if len(tags) != c.count {
			t.Errorf("%d tags of kind %s, want %d: correct this number with the vocabulary", len(tags), kind, c.count)
		}
		for _, tag := range tags {
			if !covered(kind, tag) {
				t.Errorf("%s %s has no vector in testdata", kind, tag)
			}
			if !slices.Contains(c.generated, tag) {
				t.Errorf("%s %s has no generator in gen_test.go, so no round trip", kind, tag)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for tag, gen := range genData {
			if e := gen(t); tag != "" && e.EventName() != tag {
				t.Fatalf("%T calls itself %s, not %s", e, e.EventName(), tag)
			}
		}
		for tag, gen := range genParams {
			if m := gen(t); m.MethodName() != tag {
				t.Fatalf("%T calls itself %s, not %s", m, m.MethodName(), tag)
			}
		}
	})
}

// stringConstants gives the values of the untyped string constants of a file
// whose names begin with prefix.
func stringConstants(t *testing.T, file, prefix string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			if v.Type != nil || !strings.HasPrefix(v.Names[0].Name, prefix) {
				continue
			}
			value, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
	}
	return values
}
