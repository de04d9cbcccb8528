package pod_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
)

// anyLog is what some runs leave, of any shape a pod makes.
func anyLog(r *rand.Rand) []session.NewEntry {
	var entries []session.NewEntry
	add := func(kind session.Kind, payload any) { entries = append(entries, entry(kind, payload)) }
	text := func() string { return strings.Repeat("x", 40+r.IntN(800)) }
	turn := uint64(0)
	for range 1 + r.IntN(8) {
		add(session.KindInput, session.Input{Text: text(), Kind: protocol.InputText})
		for range 1 + r.IntN(4) {
			if r.IntN(2) == 0 {
				add(session.KindReasoning, session.Reasoning{Text: text()})
			}
			add(session.KindText, session.Text{Text: text()})
			calls := r.IntN(4)
			for i := range calls {
				add(session.KindToolCall, session.ToolCall{CallID: fmt.Sprint("c", i), Name: "Echo", Arguments: []byte("{}")})
			}
			if r.IntN(5) > 0 {
				add(session.KindTurnEnd, session.TurnEnd{Turn: turn})
				turn++
			}
			for _, i := range r.Perm(calls) {
				add(session.KindToolResult, session.ToolResult{CallID: fmt.Sprint("c", i), Summary: "done", Content: text()})
			}
		}
		add(session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished})
	}
	return entries
}

func TestCompact_NothingAfterTheCutIsLostAndNoPairIsParted(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		st := podtest.NewStore()
		old := leftBehind(t, st, session.PhaseIdle, "", anyLog(r)...)
		retained := int64(r.IntN(1500))
		p := podtest.Try(t, pod.Options{Store: st, Compaction: pod.Compaction{Retained: retained, Provider: good(), Model: "small"}})
		c := p.Dial()
		c.Send(protocol.Compact{})
		events := c.Until(func(ev protocol.Event) bool {
			name := ev.Data.EventName()
			return name == protocol.EventCompactDone || name == protocol.EventCompactFailed
		})
		next := p.SessionID()
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
		if last := events[len(events)-1]; last.Data.EventName() == protocol.EventCompactFailed {
			// A log too short, or a tail too large, to be worth it.
			if next != old {
				t.Fatalf("seed %d: %s, and the session changed", seed, describeOne(last))
			}
			continue
		}
		before, err := session.Fold(st.All(old))
		if err != nil {
			t.Fatal(err)
		}
		after, err := session.Fold(st.All(next))
		if err != nil {
			t.Fatal(err)
		}
		tail := after.Items()[1:]
		if n := session.Tokens(tail); n > retained {
			t.Errorf("seed %d: the tail has %d tokens, the budget is %d", seed, n, retained)
		}
		whole := before.Items()
		same(t, fmt.Sprintf("seed %d: the tail", seed), sayings(whole[len(whole)-len(tail):]), sayings(tail))
		open := 0
		for _, i := range after.Conversation() {
			switch i.Kind {
			case session.KindToolCall:
				open++
			case session.KindToolResult:
				open--
				if i.EntryID == "" || open < 0 {
					t.Fatalf("seed %d: a call or a result stands alone", seed)
				}
			}
		}
		if open != 0 || after.Turns() != before.Turns() {
			t.Fatalf("seed %d: %d open calls, %d turns of %d", seed, open, after.Turns(), before.Turns())
		}
	}
}

// sayings are items without what a copy has of its own.
func sayings(items []session.Item) []string {
	var out []string
	for _, i := range items {
		out = append(out, fmt.Sprintf("%s %s %s %s %t", i.Kind, i.Text, i.Call.CallID, i.Result.CallID+i.Result.Content, i.Complete))
	}
	return out
}
