package protocol_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"podium.local/protocol"
)

func text(s string) *string { return &s }

func TestParseItem_ReadsEveryTypeAndWritesItBack(t *testing.T) {
	for name, c := range map[string]struct {
		wire, canonical string // canonical empty: as wire
		want            protocol.Item
	}{
		"message": {
			wire: `{"type":"message","role":"user","content":[{"type":"text","text":"hi"}]}`,
			want: protocol.Item{Data: protocol.Message{
				Role: protocol.RoleUser, Content: []protocol.Content{{Type: protocol.ContentText, Text: "hi"}},
			}},
		},
		"keys in any order": {
			wire:      `{"content":[{"text":"hi","type":"text"}],"role":"user","type":"message"}`,
			canonical: `{"type":"message","role":"user","content":[{"type":"text","text":"hi"}]}`,
			want: protocol.Item{Data: protocol.Message{
				Role: protocol.RoleUser, Content: []protocol.Content{{Type: protocol.ContentText, Text: "hi"}},
			}},
		},
		"refusal with id, status and entry_id": {
			wire: `{"type":"message","id":"m-1","role":"assistant","content":[{"type":"refusal","refusal":"no"}],"status":"completed","entry_id":"e-1"}`,
			want: protocol.Item{
				ID: "m-1", Status: protocol.StatusCompleted, EntryID: "e-1",
				Data: protocol.Message{
					Role: protocol.RoleAssistant, Content: []protocol.Content{{Type: protocol.ContentRefusal, Text: "no"}},
				},
			},
		},
		"unknown part, role and status are kept": {
			wire: `{"type":"message","role":"critic","content":[{ "type":"image", "url":"x" },{"type":"text","text":""}],"status":"folded"}`,
			want: protocol.Item{
				Status: "folded",
				Data: protocol.Message{Role: "critic", Content: []protocol.Content{
					{Type: "image", Raw: jsontext.Value(`{ "type":"image", "url":"x" }`)},
					{Type: protocol.ContentText},
				}},
			},
		},
		"tool_call": {
			wire: `{"type":"tool_call","call_id":"call_1","name":"Read","arguments":"{\"file_path\":\"/a\"}","entry_id":"e-2"}`,
			want: protocol.Item{
				EntryID: "e-2",
				Data:    protocol.ToolCallItem{CallID: "call_1", Name: "Read", Arguments: `{"file_path":"/a"}`},
			},
		},
		"tool_call whose arguments are no object": {
			wire:      `{"type":"tool_call","call_id":"c","name":"n","arguments":"null"}`,
			canonical: `{"type":"tool_call","call_id":"c","name":"n","arguments":"{}"}`,
			want:      protocol.Item{Data: protocol.ToolCallItem{CallID: "c", Name: "n", Arguments: "{}"}},
		},
		"tool_result": {
			wire: `{"type":"tool_result","call_id":"call_1","summary":"Read 3 line(s) from /a","content":"     1\tx\n"}`,
			want: protocol.Item{Data: protocol.ToolResultItem{
				CallID: "call_1", Summary: "Read 3 line(s) from /a", Content: text("     1\tx\n"),
			}},
		},
		"tool_result failed": {
			wire: `{"type":"tool_result","call_id":"c","summary":"s","is_error":true,"entry_id":"e-3"}`,
			want: protocol.Item{
				EntryID: "e-3", Data: protocol.ToolResultItem{CallID: "c", Summary: "s", IsError: true},
			},
		},
		"tool_result not failed": {
			wire:      `{"type":"tool_result","call_id":"c","summary":"s","content":null,"is_error":false}`,
			canonical: `{"type":"tool_result","call_id":"c","summary":"s"}`,
			want:      protocol.Item{Data: protocol.ToolResultItem{CallID: "c", Summary: "s"}},
		},
		"reasoning": {
			wire: `{"type":"reasoning","text":"...","summary":["a","b"],"encrypted_content":"x","status":"incomplete"}`,
			want: protocol.Item{Status: protocol.StatusIncomplete, Data: protocol.ReasoningItem{
				Text: "...", Summary: []string{"a", "b"}, EncryptedContent: text("x"),
			}},
		},
		"reasoning bare": {
			wire: `{"type":"reasoning","text":""}`,
			want: protocol.Item{Data: protocol.ReasoningItem{}},
		},
		"unknown type is kept raw": {
			wire: `{ "type":"web_search", "id":5, "entry_id":"e-9" }`,
			want: protocol.Item{EntryID: "e-9", Data: protocol.UnknownItem{
				Type: "web_search", Raw: jsontext.Value(`{ "type":"web_search", "id":5, "entry_id":"e-9" }`),
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			raw := jsontext.Value(c.wire)
			got, err := protocol.ParseItem(raw)
			if err != nil {
				t.Fatal(err)
			}
			clear(raw)
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if c.canonical == "" {
				c.canonical = c.wire
			}
			if line, err := got.Append(nil); err != nil || string(line) != c.canonical {
				t.Errorf("written as %s, %v; want %s", line, err, c.canonical)
			}
		})
	}
}

func TestParseItem_NamesWhatIsWrong(t *testing.T) {
	for wire, want := range map[string]string{
		``:                              "empty line",
		`[]`:                            "not an object",
		`{`:                             "syntax",
		`{"role":"user"}`:               "missing type",
		`{"type":1}`:                    "type is not a string",
		`{"type":"message","role":"u"}`: "message: missing content",
		`{"type":"message","role":"u","content":[1]}`:                       "content[0] is not an object",
		`{"type":"message","role":"u","content":[{"type":"text"}]}`:         "content[0]: missing text",
		`{"type":"message","role":"u","content":[{"text":"x"}]}`:            "content[0]: missing type",
		`{"type":"message","role":"u","content":"x"}`:                       "content is not an array",
		`{"type":"tool_call","name":"n","arguments":"{}"}`:                  "missing call_id",
		`{"type":"tool_result","call_id":"c"}`:                              "missing summary",
		`{"type":"tool_result","call_id":"c","summary":"s","is_error":"x"}`: "is_error is not a boolean",
		`{"type":"reasoning","text":"x","summary":[1]}`:                     "summary[0] is not a string",
		`{"type":"reasoning","text":"x","id":1}`:                            "id is not a string",
	} {
		_, err := protocol.ParseItem(jsontext.Value(wire))
		var decode *protocol.DecodeError
		if !errors.As(err, &decode) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want a DecodeError with %q", wire, err, want)
		}
	}
}

var genItem = rapid.Custom(func(t *rapid.T) protocol.Item {
	i := protocol.Item{ID: genText.Draw(t, "id"), EntryID: genText.Draw(t, "entry_id")}
	status := word(protocol.StatusInProgress, protocol.StatusCompleted, protocol.StatusIncomplete).Draw(t, "status")
	switch rapid.IntRange(0, 3).Draw(t, "type") {
	case 0:
		i.Status = status
		i.Data = protocol.Message{
			Role: word(protocol.RoleUser, protocol.RoleAssistant, protocol.RoleSystem).Draw(t, "role"),
			Content: rapid.SliceOf(rapid.Custom(func(t *rapid.T) protocol.Content {
				kind := rapid.SampledFrom([]protocol.ContentType{protocol.ContentText, protocol.ContentRefusal}).Draw(t, "type")
				return protocol.Content{Type: kind, Text: genText.Draw(t, "text")}
			})).Draw(t, "content"),
		}
	case 1:
		i.Status = status
		i.Data = protocol.ToolCallItem{
			CallID: genText.Draw(t, "call"), Name: genText.Draw(t, "name"),
			Arguments: protocol.CanonicalArguments(string(genRaw.Draw(t, "arguments"))),
		}
	case 2:
		i.Data = protocol.ToolResultItem{
			CallID: genText.Draw(t, "call"), Summary: genText.Draw(t, "summary"),
			Content: ptr(genText).Draw(t, "content"), IsError: rapid.Bool().Draw(t, "is_error"),
		}
	default:
		i.Status = status
		i.Data = protocol.ReasoningItem{
			Text: genText.Draw(t, "text"), Summary: rapid.SliceOf(genText).Draw(t, "summary"),
			EncryptedContent: ptr(genText).Draw(t, "encrypted"),
		}
	}
	return i
})

func TestItem_RoundTripsThroughItsCanonicalText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genItem.Draw(t, "item")
		line, err := want.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := protocol.ParseItem(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		event := protocol.Event{Data: protocol.Entries{Items: []jsontext.Value{line}}}
		if _, err := event.Append(nil); err != nil {
			t.Fatalf("an item's text is not fit for an event: %v", err)
		}
	})
}

func TestCanonicalArguments_AreAlwaysAnObjectWithSortedKeys(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 128) + "1" + strings.Repeat("}", 128)
	for in, want := range map[string]string{
		"":                                  "{}",
		"  ":                                "{}",
		"null":                              "{}",
		"[1]":                               "{}",
		`"x"`:                               "{}",
		"5":                                 "{}",
		"{":                                 "{}",
		`{"a":1} x`:                         "{}",
		`{"a":"\ud800"}`:                    "{}",
		"{\"a\":\"\xff\"}":                  "{}",
		"{}":                                "{}",
		" {\n} ":                            "{}",
		`{"b":1,"a":[{"d":1,"c":{}}, []]}`:  `{"a":[{"c":{},"d":1},[]],"b":1}`,
		`{"n":1234567890123456789.50e-01}`:  `{"n":1234567890123456789.50e-01}`,
		`{"a":1,"b":2,"\u0061":3}`:          `{"a":3,"b":2}`,
		`{"é":"\u00e9","z":"<\/>","\n":""}`: `{"\n":"","z":"</>","é":"é"}`,
		`{"t":true,"f":false,"x":null}`:     `{"f":false,"t":true,"x":null}`,
		deep:                                deep,
		`{"a":` + deep + `}`:                "{}",
	} {
		if got := protocol.CanonicalArguments(in); got != want {
			t.Errorf("%.60q: got %.60q, want %.60q", in, got, want)
		}
	}
}

func TestCanonicalArguments_AreAFixpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := protocol.CanonicalArguments(string(genRaw.Draw(t, "arguments")))
		if twice := protocol.CanonicalArguments(once); once != twice || once == "{}" {
			t.Fatalf("%s became %s", once, twice)
		}
	})
}
