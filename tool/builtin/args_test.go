package builtin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"podium.local/tool/builtin"
)

func TestArgs_SayWhatIsWrong(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ name, tool, raw, want string }{
		{"unknown", "Read", `{"file_path":"/x","lines":3}`, `unknown argument "lines"; Read takes file_path, limit, offset`},
		{"other case", "Read", `{"File_Path":"/x"}`, `unknown argument "File_Path"; Read takes file_path, limit, offset`},
		{"missing", "Write", `{"file_path":"/x"}`, `missing argument "content" (string)`},
		{"null is missing", "Write", `{"file_path":"/x","content":null}`, `missing argument "content" (string)`},
		{"no arguments", "Glob", ``, `missing argument "pattern" (string)`},
		{"number for text", "Read", `{"file_path":7}`, `argument "file_path" must be a string, got a number`},
		{"text for number", "Read", `{"file_path":"/x","limit":"5"}`, `argument "limit" must be an integer, got a string`},
		{"fraction", "Read", `{"file_path":"/x","limit":1.5}`, `argument "limit" must be an integer, got 1.5`},
		{"huge", "Read", `{"file_path":"/x","limit":99999999999999999999}`, `argument "limit" must be an integer, got 99999999999999999999`},
		{"below", "Read", `{"file_path":"/x","limit":0}`, `argument "limit" must be at least 1, got 0`},
		{"negative", "Read", `{"file_path":"/x","offset":-1}`, `argument "offset" must be at least 0, got -1`},
		{"text for truth", "Edit", `{"file_path":"/x","old_string":"a","new_string":"b","replace_all":"yes"}`, `argument "replace_all" must be true or false, got a string`},
		{"word", "Grep", `{"pattern":"x","output_mode":"lines"}`, `argument "output_mode" must be one of files_with_matches, content, count, got "lines"`},
		{"list", "Grep", `{"pattern":["x"]}`, `argument "pattern" must be a string, got an array`},
		{"object", "Grep", `{"pattern":{}}`, `argument "pattern" must be a string, got an object`},
		{"too much context", "Grep", `{"pattern":"x","-C":1001}`, `argument "-C" must be at most 1000, got 1001`},
		{"array", "Read", `[1]`, `arguments must be a JSON object, got an array`},
		{"null", "Read", `null`, `arguments must be a JSON object, got null`},
		{"twice", "Read", `{"file_path":"/x","file_path":"/y"}`, `argument "file_path" is given twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			res, _ := b.tools.Run(t.Context(), c.tool, json.RawMessage(c.raw))
			b.refused(res, c.want)
		})
	}
}

func TestArgs_BrokenJSONIsNamedSo(t *testing.T) {
	b := newBench(t)
	for _, raw := range []string{`{`, `{"file_path":"/x"`, `{"file_path":"/x"}}`, `x`, "{\"file_path\":\"\xff\"}", `{"file_path":"\ud800"}`} {
		res, _ := b.tools.Run(t.Context(), "Read", json.RawMessage(raw))
		if !res.IsError || !strings.HasPrefix(res.Summary, "Tool execution failed: Invalid argument: arguments are not valid JSON: ") {
			t.Errorf("%q: %q", raw, res.Summary)
		}
	}
}

func TestArgs_NullIsLeftOut(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "1\n2\n")
	b.want(b.call("Read", args{"file_path": path, "limit": nil, "offset": nil}), "Read 2 line(s) from ")
}

// FuzzArgs: what decodes is an object whose keys the schema knows, with the
// required ones; what does not gives an error with a text, never a panic.
func FuzzArgs(f *testing.F) {
	for _, raw := range []string{
		`{"file_path":"/x","offset":1,"limit":2}`, `{"pattern":"a","-n":false,"-C":3}`, `{"command":"true","timeout_ms":5}`,
		`{"file_path":"/x","old_string":"","new_string":"","replace_all":true}`, `{"a":1,"a":2}`, `null`, `[]`, `{"limit":1e3}`, `{"file_path":"\ud800"}`, "\xff", ``, `{"pattern":null}`,
	} {
		f.Add([]byte(raw))
	}
	schemas := map[string]struct {
		Properties map[string]any
		Required   []string
	}{}
	for _, s := range newBenchWith(f, builtin.Options{AllowBash: true}).tools.Specs() {
		into := schemas[s.Name]
		if err := json.Unmarshal(s.Schema, &into); err != nil {
			f.Fatal(err)
		}
		schemas[s.Name] = into
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name, schema := range schemas {
			if err := builtin.DecodeArgs(name, raw); err != nil {
				if err.Error() == "" {
					t.Errorf("%s: an error without a text", name)
				}
				continue
			}
			var got map[string]any
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatalf("%s took %q, which is no object: %v", name, raw, err)
			}
			for key := range got {
				if schema.Properties[key] == nil {
					t.Errorf("%s took the unknown key %q", name, key)
				}
			}
			for _, key := range schema.Required {
				if got[key] == nil {
					t.Errorf("%s did without %q", name, key)
				}
			}
		}
	})
}
