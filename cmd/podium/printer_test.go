package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

func TestPrinter_WordsGoToOutAndEverythingElseToNotes(t *testing.T) {
	id, err := protocol.ParseSessionID("0192f0e8-4d84-7d6e-a000-000000000001")
	if err != nil {
		t.Fatal(err)
	}
	summary := "Read 3 line(s) from /a"
	var out, notes bytes.Buffer
	p := newPrinter(&out, &notes)
	for _, d := range []protocol.EventData{
		protocol.TurnStart{},
		protocol.TextDelta{Text: "I will "}, protocol.TextDelta{Text: "look."}, protocol.TextDone{Text: "I will look."},
		protocol.ToolCallStart{ID: "c", Name: "Read"},
		protocol.ToolCallDone{ID: "c", Name: "Read", Arguments: `{"file_path":"/a"}`},
		protocol.TurnEnd{Result: protocol.TurnFinished},
		protocol.ToolResult{ID: "c", Output: "x", Summary: &summary},
		protocol.CompactStart{}, protocol.CompactDone{NewSessionID: id}, protocol.CompactFailed{Error: "provider 429"},
		protocol.TextDelta{Text: "half a line"},
		protocol.Notification{Level: protocol.LevelWarn, Source: protocol.SourceWorker, Message: "cut"},
		protocol.Error{Code: protocol.CodeProviderError, Message: "no"},
		protocol.RunEnd{Result: protocol.RunLimitReached},
	} {
		p.event(protocol.Event{Data: d})
	}
	if got, want := out.String(), "I will look.\nhalf a line\n"; got != want {
		t.Errorf("out %q, want %q", got, want)
	}
	want := "> Read 3 line(s) from /a\n[compact] starting\n[compact] done (new session 0192f0e8)\n" +
		"[compact error] provider 429\n[notice] worker: cut\n[error] provider_error: no\n[run] limit_reached\n"
	if got := notes.String(); got != want {
		t.Errorf("notes\n%s\nwant\n%s", got, want)
	}
}

func TestPrinter_ForeignTextCannotCommandTheTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":            "plain\ttext\n",
		"\x1b[31mred\x1b[0m":       "red",
		"\x1b]0;title\x07rest":     "rest",
		"bell\x07 and \x9b31mC1":   "bell and C1",
		"日本 🙂 stays":               "日本 🙂 stays",
		"carriage\rreturn\x00nul":  "carriagereturnnul",
		"\x1b]52;c;aGk=\x1b\\clip": "clip",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAge_ShowsTwoUnitsAndADashForUnknown(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for d, want := range map[time.Duration]string{
		59 * time.Second: "59s", 61 * time.Second: "1m 1s", 125 * time.Minute: "2h 5m", 25 * time.Hour: "1d 1h", -time.Second: "—",
	} {
		if got := age(now, now.Add(-d)); got != want {
			t.Errorf("age %v = %q, want %q", d, got, want)
		}
	}
	if got := age(now, time.Time{}); got != "—" {
		t.Errorf("unknown age = %q", got)
	}
}

func TestMoney_UnknownIsADashAndNeverZero(t *testing.T) {
	v := func(f float64) *float64 { return &f }
	for _, c := range []struct {
		usd     *float64
		partial bool
		want    string
	}{{nil, false, "—"}, {v(0), false, "$0.00"}, {v(0.0042), false, "$0.0042"}, {v(3.1), false, "$3.10"}, {v(3.1), true, "≥ $3.10"}} {
		if got := money(c.usd, c.partial); got != c.want {
			t.Errorf("money(%v, %v) = %q, want %q", c.usd, c.partial, got, c.want)
		}
	}
}

func TestCompactionLine_UnknownTokensAreADashAndASessionContinuesNotItself(t *testing.T) {
	cost := 0.5
	for name, test := range map[string]struct {
		done session.Compaction
		want string
	}{
		"of a pod":            {session.Compaction{FromSession: "a", NewSession: "b", TokensBefore: 9000, TokensAfter: 800, CostUSD: &cost}, "9000 -> 800 tokens, cost $0.50, continued from a"},
		"imported":            {session.Compaction{NewSession: "b", TokensBefore: 1234}, "1234 -> — tokens, cost —"},
		"imported by earlier": {session.Compaction{FromSession: "b", NewSession: "b"}, "— -> — tokens, cost —"},
	} {
		if got := compactionLine(test.done); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestPrintableName_StaysInItsLine(t *testing.T) {
	if got, want := printableName("a\nb\tc\x1b[31md.jsonl"), `a\nb\tcd.jsonl`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestImportStatus_AFileNameWithANewlineStaysInItsLine(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out}
	a.printLedgerRow(session.ImportFile{Tool: "codex", Path: "/src/a\nb.jsonl"})
	if got, _, _ := strings.Cut(out.String(), "\n"); got != `codex  /src/a\nb.jsonl` {
		t.Errorf("the first line is %q", got)
	}
}
