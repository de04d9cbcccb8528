package protocol_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/protocol"
)

// baseTags and baseWords are the whole base vocabulary, written out on
// purpose: a word added to it would end older readers.
var (
	baseTags = []string{
		"turn_start", "turn_end", "text_delta", "text_done", "tool_call_start", "tool_call_args_delta",
		"tool_call_done", "tool_result", "usage", "run_end", "error", "history", "notification",
		"compact_start", "compact_done", "compact_failed", "shutdown",
	}
	baseWords = map[string][]string{
		"turn result": {"finished", "paused"},
		"run result":  {"finished", "paused", "limit_reached"},
		"code":        {"already_running", "not_running", "not_paused", "provider_error", "tool_error", "internal"},
		"level":       {"warn", "error"},
		"source":      {"pod", "worker", "compactor", "agents_md"},
	}
)

func TestBase_ShowsOnlyBaseTagsAndWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		full := genEvent.Draw(t, "event")
		base, ok := full.Base()
		if !ok {
			if end, isEnd := full.Data.(protocol.RunEnd); isEnd {
				if slices.Contains(baseWords["run result"], string(end.Result)) {
					t.Fatalf("run_end %s is left out", end.Result)
				}
			} else if slices.Contains(baseTags, full.Data.EventName()) {
				t.Fatalf("%s is left out", full.Data.EventName())
			}
			return
		}
		if !slices.Contains(baseTags, base.Data.EventName()) {
			t.Fatalf("%s is no base tag", base.Data.EventName())
		}
		if base.Seq != full.Seq || base.RequestID != full.RequestID {
			t.Fatal("seq or request_id changed")
		}
		line, err := base.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := protocol.DecodeEvent(line)
		if err != nil {
			t.Fatal(err)
		}
		for class, got := range wordsOf(again.Data) {
			if !slices.Contains(baseWords[class], got) {
				t.Fatalf("%s: %s %q is no base word", line, class, got)
			}
		}
		if _, isHistory := again.Data.(protocol.History); !isHistory && bytes.Contains(line, []byte(`"entry_id":"`)) {
			t.Fatalf("%s carries an entry_id", line)
		}
		if twice, _ := base.Base(); cmp.Diff(base, twice) != "" {
			t.Fatal("the base view of a base view differs")
		}
	})
}

func wordsOf(d protocol.EventData) map[string]string {
	switch d := d.(type) {
	case protocol.TurnEnd:
		return map[string]string{"turn result": string(d.Result)}
	case protocol.RunEnd:
		return map[string]string{"run result": string(d.Result)}
	case protocol.Error:
		return map[string]string{"code": string(d.Code)}
	case protocol.Notification:
		return map[string]string{"level": string(d.Level), "source": string(d.Source)}
	}
	return nil
}

func TestBase_KeepsExtraFieldsThatAreSafe(t *testing.T) {
	one := uint64(1)
	for name, c := range map[string]struct{ full, want protocol.Event }{
		"seq of a done event": {
			full: protocol.Event{Seq: 4, Data: protocol.TextDone{Text: "x", EntryID: "e-1"}},
			want: protocol.Event{Seq: 4, Data: protocol.TextDone{Text: "x"}},
		},
		"usage with everything": {
			full: protocol.Event{Data: protocol.Usage{InputTokens: &one, Extra: &protocol.UsageExtra{ContextTokens: 1}}},
			want: protocol.Event{Data: protocol.Usage{InputTokens: &one, Extra: &protocol.UsageExtra{ContextTokens: 1}}},
		},
		"summary beside a cut output": {
			full: protocol.Event{Data: protocol.ToolResult{
				ID: "c", Output: strings.Repeat("é", 150), Summary: text("150 letters"), IsError: true, EntryID: "e-1",
			}},
			want: protocol.Event{Data: protocol.ToolResult{
				ID: "c", Output: strings.Repeat("é", 99), Summary: text("150 letters"), IsError: true,
			}},
		},
		"a code of later versions": {
			full: protocol.Event{RequestID: "r", Data: protocol.Error{Code: "quota_gone", Message: "m"}},
			want: protocol.Event{RequestID: "r", Data: protocol.Error{Code: protocol.CodeInternal, Message: "m"}},
		},
	} {
		got, ok := c.full.Base()
		if diff := cmp.Diff(c.want, got); !ok || diff != "" {
			t.Errorf("%s: %v\n%s", name, ok, diff)
		}
	}
}

func TestBase_OfADeltaDoesNotAllocate(t *testing.T) {
	delta := protocol.Event{Data: protocol.TextDelta{Text: "Hel"}}
	if n := testing.AllocsPerRun(100, func() { _, _ = delta.Base() }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestCutOutput_EndsAtACharacterBorderBelow200Bytes(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want int // bytes
	}{
		"empty":                    {"", 0},
		"short":                    {"ok", 2},
		"exactly 199":              {strings.Repeat("x", 199), 199},
		"200":                      {strings.Repeat("x", 200), 199},
		"two-byte letters":         {strings.Repeat("é", 100), 198},
		"three-byte letters":       {strings.Repeat("設", 100), 198},
		"four-byte letters":        {strings.Repeat("🙂", 100), 196},
		"a letter over the border": {strings.Repeat("x", 198) + "é", 198},
		"bad bytes count as three": {strings.Repeat("\xff", 100), 198},
	} {
		if got := protocol.CutOutput(c.in); len(got) != c.want || !utf8.ValidString(got) {
			t.Errorf("%s: got %d bytes (%q), want %d", name, len(got), got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringN(0, 400, -1).Draw(t, "in")
		got := protocol.CutOutput(in)
		if len(got) > protocol.MaxBaseOutput || !strings.HasPrefix(in, got) || len(in) <= protocol.MaxBaseOutput && got != in {
			t.Fatalf("got %q of %q", got, in)
		}
	})
}
