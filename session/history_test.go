package session_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/protocol"
	"podium.local/session"
)

// log builds entries in order.
type log []session.Entry

func (l *log) add(kind session.Kind, payload any) string {
	b, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	id := fmt.Sprint("e", len(*l))
	*l = append(*l, session.Entry{SessionID: "s", Ordinal: int64(len(*l)), ID: id, Kind: kind, Payload: b})
	return id
}

func (l *log) input(text string) string {
	return l.add(session.KindInput, session.Input{Text: text, Kind: protocol.InputText})
}
func (l *log) text(s string)      { l.add(session.KindText, session.Text{Text: s}) }
func (l *log) reasoning(s string) { l.add(session.KindReasoning, session.Reasoning{Text: s}) }
func (l *log) call(id string) {
	l.add(session.KindToolCall, session.ToolCall{CallID: id, Name: "T", Arguments: json.RawMessage("{}")})
}
func (l *log) result(id string) {
	l.add(session.KindToolResult, session.ToolResult{CallID: id, Summary: "r " + id})
}
func (l *log) turnEnd(n uint64) { l.add(session.KindTurnEnd, session.TurnEnd{Turn: n}) }
func (l *log) runEnd(r protocol.RunResult) {
	l.add(session.KindRunEnd, session.RunEnd{Result: r})
}

func fold(t interface{ Fatal(...any) }, l log) *session.History {
	h, err := session.Fold(l)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// lines names items.
func lines(items []session.Item) []string {
	var out []string
	for _, i := range items {
		switch i.Kind {
		case session.KindToolCall:
			out = append(out, "call "+i.Call.CallID)
		case session.KindToolResult:
			out = append(out, "result "+i.Result.CallID+" "+i.Result.Summary)
		case session.KindReasoning:
			out = append(out, "reasoning "+i.Text)
		default:
			out = append(out, i.Role+" "+i.Text)
		}
	}
	return out
}

func TestConversation(t *testing.T) {
	cases := map[string]struct {
		build func(l *log)
		want  []string
	}{
		"a complete answer keeps its reasoning": {func(l *log) {
			l.input("q")
			l.reasoning("hm")
			l.text("a")
			l.turnEnd(0)
			l.runEnd(protocol.RunFinished)
		}, []string{"user q", "reasoning hm", "assistant a"}},
		"an answer that was cut off keeps its blocks and not its reasoning": {func(l *log) {
			l.input("q")
			l.reasoning("hm")
			l.text("a")
			l.runEnd(protocol.RunCancelled)
		}, []string{"user q", "assistant a"}},
		"a rolled-back input is skipped": {func(l *log) {
			l.input("q")
			id := l.input("taken back")
			l.add(session.KindRolledBack, session.RolledBack{EntryID: id})
			l.runEnd(protocol.RunRolledBack)
			l.input("q2")
		}, []string{"user q", "user q2"}},
		"a call without a result gets one before the next request": {func(l *log) {
			l.input("q")
			l.call("c1")
			l.call("c2")
			l.turnEnd(0)
			l.result("c2")
			l.input("q2")
		}, []string{"user q", "call c1", "call c2", "result c2 r c2", "result c1 [No result was recorded]", "user q2"}},
		"a result that comes too late is left out": {func(l *log) {
			l.input("q")
			l.call("c1")
			l.turnEnd(0)
			l.input("q2")
			l.result("c1")
		}, []string{"user q", "call c1", "result c1 [No result was recorded]", "user q2"}},
		"a result without a call is left out": {func(l *log) {
			l.input("q")
			l.result("c1")
		}, []string{"user q"}},
		"an id used again belongs to the newer answer": {func(l *log) {
			l.input("q")
			l.call("c")
			l.turnEnd(0)
			l.result("c")
			l.call("c")
			l.turnEnd(1)
			l.result("c")
		}, []string{"user q", "call c", "result c r c", "call c", "result c r c"}},
		"a notification says what it is": {func(l *log) {
			l.add(session.KindInput, session.Input{Text: "n", Kind: protocol.InputNotification})
		}, []string{"system " + session.Input{Text: "n", Kind: protocol.InputNotification}.ModelText()}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var l log
			c.build(&l)
			if diff := cmp.Diff(c.want, lines(fold(t, l).Conversation())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFold_UnknownKindIsAnErrorThatSaysWhere(t *testing.T) {
	var l log
	l.input("q")
	l.add("telepathy", struct{}{})
	_, err := session.Fold(l)
	want := `read entry 1 (telepathy) of session s: unknown kind "telepathy"`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	l = l[:1]
	l[0].Payload = json.RawMessage(`{"text":`)
	if _, err := session.Fold(l); err == nil {
		t.Error("a torn payload is read")
	}
}

func TestUnfinished_IsALogThatStopsInsideARun(t *testing.T) {
	var l log
	check := func(want bool) {
		t.Helper()
		if got := fold(t, l).Unfinished(); got != want {
			t.Errorf("after %d entries: %t", len(l), got)
		}
	}
	check(false)
	l.input("q")
	check(true)
	l.text("a")
	l.turnEnd(0)
	check(true)
	l.runEnd(protocol.RunFinished)
	check(false)
	l.add(session.KindSystem, session.System{Text: "note"})
	check(false)
}

// anyLog draws logs that no program would write, too.
func anyLog(t *rapid.T) log {
	var l log
	var inputs []string
	turn := uint64(0)
	ids := rapid.SampledFrom([]string{"c1", "c2", "c3"})
	for range rapid.IntRange(0, 40).Draw(t, "entries") {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			inputs = append(inputs, l.input("q"))
		case 1:
			l.text("a")
		case 2:
			l.reasoning("hm")
		case 3, 4:
			l.call(ids.Draw(t, "id"))
		case 5, 6:
			l.result(ids.Draw(t, "id"))
		case 7:
			l.turnEnd(turn)
			turn++
		case 8:
			l.runEnd(rapid.SampledFrom([]protocol.RunResult{protocol.RunFinished, protocol.RunPaused, protocol.RunCancelled}).Draw(t, "result"))
		case 9:
			if len(inputs) > 0 && rapid.Bool().Draw(t, "roll back") {
				l.add(session.KindRolledBack, session.RolledBack{EntryID: inputs[len(inputs)-1]})
			} else {
				l.add(session.KindSystem, session.System{Text: "note"})
			}
		}
	}
	return l
}

// checkPairs fails unless every call is followed by exactly one result before
// anything but calls, results and blocks of its own answer.
func checkPairs(t *rapid.T, items []session.Item) {
	waiting := map[string]int{}
	open := 0
	inResults := false
	for n, i := range items {
		switch i.Kind {
		case session.KindToolResult:
			if waiting[i.Result.CallID] == 0 {
				t.Fatalf("item %d: a result without a call: %q", n, lines(items))
			}
			waiting[i.Result.CallID]--
			open--
			inResults = true
		default:
			if open > 0 && (i.Role != session.RoleAssistant || inResults) {
				t.Fatalf("item %d comes before %d results: %q", n, open, lines(items))
			}
			inResults = false
			if i.Kind == session.KindToolCall {
				waiting[i.Call.CallID]++
				open++
			}
		}
	}
	if open > 0 {
		t.Fatalf("%d calls without results: %q", open, lines(items))
	}
}

func TestConversation_EveryCallHasExactlyOneResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkPairs(t, fold(t, anyLog(t)).Conversation())
	})
}

func TestFold_StepByStepIsTheSameAsAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLog(t)
		step := &session.History{}
		for n, e := range l {
			if err := step.Apply(e); err != nil {
				t.Fatal(err)
			}
			whole := fold(t, l[:n+1])
			if diff := cmp.Diff(lines(whole.Conversation()), lines(step.Conversation())); diff != "" {
				t.Fatal(diff)
			}
			if whole.Length() != step.Length() || whole.Turns() != step.Turns() || whole.Unfinished() != step.Unfinished() {
				t.Fatal("the counters differ")
			}
		}
	})
}

func TestItems_OnlyGrowUnlessAnInputIsTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &session.History{}
		var before []string
		for _, e := range anyLog(t) {
			if err := h.Apply(e); err != nil {
				t.Fatal(err)
			}
			now := lines(h.Items())
			if e.Kind != session.KindRolledBack {
				if len(now) < len(before) {
					t.Fatalf("%s took items away", e.Kind)
				}
				if !slices.Equal(before, now[:len(before)]) {
					t.Fatalf("%s changed %q to %q", e.Kind, before, now)
				}
			}
			before = now
		}
	})
}

func TestCut_NeverPartsACallFromItsResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := fold(t, anyLog(t)).Conversation()
		for at := range len(items) + 1 {
			if !session.CanCut(items, at) {
				continue
			}
			checkPairs(t, items[:at])
			checkPairs(t, items[at:])
		}
		budget := rapid.Int64Range(0, 600).Draw(t, "budget")
		at := session.Cut(items, budget)
		if !session.CanCut(items, at) {
			t.Fatalf("cut at %d of %q", at, lines(items))
		}
		if tail := session.Tokens(items[at:]); tail > budget {
			t.Fatalf("the tail has %d tokens, the budget is %d", tail, budget)
		}
	})
}

func TestOccupancy_ARolledBackInputIsNotMeasuredAnyMore(t *testing.T) {
	var l log
	in := int64(1000)
	id := l.input("q")
	l.add(session.KindTurnEnd, session.TurnEnd{Usage: &session.Usage{InputTokens: &in}})
	l.add(session.KindRolledBack, session.RolledBack{EntryID: id})
	l.input("q2")
	h := fold(t, l)
	// Nothing of what was measured is left, so the bytes alone count.
	if got := h.Occupancy(0); h.Measured().Items != 0 || got > 20 {
		t.Errorf("%d tokens, %d items measured", got, h.Measured().Items)
	}
}

func TestOccupancy_IsTheMeasurementAndWhatCameSince(t *testing.T) {
	var l log
	l.input("q")
	h := fold(t, l)
	if got := h.Occupancy(100); got <= 100 || got > 120 {
		t.Errorf("unmeasured: %d tokens", got)
	}
	in, out := int64(1000), int64(50)
	l.text("a")
	l.add(session.KindTurnEnd, session.TurnEnd{Usage: &session.Usage{InputTokens: &in, OutputTokens: &out}})
	if got := fold(t, l).Occupancy(100); got != 1050 {
		t.Errorf("just measured: %d tokens", got)
	}
	l.input(string(make([]byte, 4000)))
	if got := fold(t, l).Occupancy(100); got < 2050 || got > 2070 {
		t.Errorf("4,000 bytes later: %d tokens", got)
	}
}
