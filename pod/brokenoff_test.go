package pod_test

import (
	"slices"
	"strings"
	"testing"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/tool"
)

// aDollar prices every request alike.
func aDollar(string, session.Usage) (float64, string, bool) { return 1, "catalog", true }

// What a vendor takes for a request that has no end is not known: who attaches
// later must not read an exact cost off the totals.
func TestCost_OfARequestThatBrokeOffIsUnknown(t *testing.T) {
	reached := make(chan struct{}, 1)
	broken := &llm.Error{Kind: llm.ErrorStream, Message: "cut"}
	refused := &llm.Error{Kind: llm.ErrorAuth, Status: 401, Message: "bad key"}
	cases := []struct {
		name    string
		steps   []podtest.Step
		stop    protocol.MethodParams
		partial bool
		input   uint64
	}{
		{"complete", []podtest.Step{podtest.Text("x"), podtest.Usage(7, 3), podtest.End()}, nil, false, 17},
		{"refused", []podtest.Step{podtest.Fail(refused)}, nil, false, 10},
		{"the stream broke, tokens reported", []podtest.Step{podtest.Usage(7, 1), podtest.Text("x"), podtest.Fail(broken)}, nil, true, 17},
		{"the stream broke, none reported", []podtest.Step{podtest.Text("x"), podtest.Fail(broken)}, nil, true, 10},
		{"cancelled in an answer", []podtest.Step{podtest.Usage(7, 1), podtest.Open("x"), podtest.Hang(reached)}, protocol.Cancel{}, true, 17},
		{"cancelled before one", []podtest.Step{podtest.Hang(reached)}, protocol.Cancel{}, true, 10},
		{"paused", []podtest.Step{podtest.Open("x"), podtest.Hang(reached)}, protocol.Pause{}, true, 10},
		{"cancelled in a tool", []podtest.Step{podtest.Call("c", "Hang", "{}"), podtest.Usage(7, 3), podtest.Calls()}, protocol.Cancel{}, false, 17},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			st := podtest.NewStore()
			a := newAudience(t, pod.Options{
				Store: st, Name: podName(), Price: aDollar, Tools: tool.NewRegistry(hanging(reached)),
				Provider: podtest.NewProvider([]podtest.Step{podtest.Text("first"), podtest.Usage(10, 5), podtest.End()}, c.steps),
			})
			a.base.Send(protocol.Run{Input: "hi"})
			a.await("status idle queued=0")
			a.base.Send(protocol.Run{Input: "again"})
			if c.stop != nil {
				<-reached
				a.base.Send(c.stop)
			}
			rest := "status idle queued=0"
			if c.stop == (protocol.Pause{}) {
				rest = "status paused queued=0"
			}
			base, _ := a.await(rest)
			if told := slices.Contains(base, "usage"); told != (c.input != 10) {
				t.Errorf("usage is told: %t, although %d tokens were reported: %q", told, c.input-10, base)
			}
			total := func(at string, u protocol.Usage) {
				t.Helper()
				cost := 1.0
				if !c.partial && c.input == 17 {
					cost = 2
				}
				if u.CostPartial != c.partial || u.Extra.CostUSD == nil || *u.Extra.CostUSD != cost || *u.InputTokens != c.input {
					t.Errorf("%s: %d tokens, cost %v, partial %t; want %d, %v, %t", at, *u.InputTokens, *u.Extra.CostUSD, u.CostPartial, c.input, cost, c.partial)
				}
			}
			cl := a.p.Dial()
			_, snapshot := cl.Hello(protocol.Hello{})
			total("snapshot", snapshot.Live.Usage)
			id := a.p.ID()
			hello, _ := a.p.Dial().Hello(protocol.Hello{PodID: &id, Since: &snapshot.Seq})
			total("resumed", hello.Live.Usage)
			if row := st.Row(a.p.SessionID()); row.Usage.Partial != c.partial {
				t.Errorf("the session's row: %+v", row.Usage)
			}
			hist, err := session.Fold(st.All(a.p.SessionID()))
			if err != nil || hist.Totals().Partial != c.partial {
				t.Errorf("the log: %+v, %v", hist.Totals(), err)
			}
		})
	}
}

func TestCost_OfARequestThatAKillBrokeOffIsUnknown(t *testing.T) {
	inText := entry(session.KindText, session.Text{Text: "x"})
	for name, c := range map[string]struct {
		entries []session.NewEntry
		partial bool
	}{
		"in an answer":      {[]session.NewEntry{saidHi, inText, called}, true},
		"before the answer": {[]session.NewEntry{saidHi}, true},
		"in a tool round":   {[]session.NewEntry{saidHi, called, turnEnd}, false},
	} {
		t.Run(name, func(t *testing.T) {
			st := podtest.NewStore()
			leftBehind(t, st, session.PhaseRunning, "", slices.Clone(c.entries)...)
			p := podtest.Start(t, pod.Options{Store: st, Price: aDollar, Provider: podtest.NewProvider()})
			_, snapshot := p.Dial().Hello(protocol.Hello{})
			if snapshot.Live.Usage.CostPartial != c.partial {
				t.Errorf("totals: %+v", snapshot.Live.Usage)
			}
		})
	}
}

func TestCost_OfASummaryThatBrokeOffIsUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		failure error
		partial bool
	}{
		"the stream broke": {&llm.Error{Kind: llm.ErrorStream, Message: "cut"}, true},
		"refused":          {&llm.Error{Kind: llm.ErrorAuth, Status: 401, Message: "bad key"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			steps := []podtest.Step{podtest.Fail(c.failure)}
			if c.partial {
				steps = append([]podtest.Step{podtest.Open("x")}, steps...)
			}
			provider := podtest.NewProvider([]podtest.Step{podtest.Text(strings.Repeat("long ", 2000)), podtest.Usage(2000, 5), podtest.End()}, steps)
			a := newAudience(t, pod.Options{Price: aDollar, Provider: provider, Retry: pod.Retry{Attempts: 1}})
			a.base.Send(protocol.Run{Input: "hi"})
			a.await("status idle queued=0")
			a.extended.Send(protocol.Compact{})
			podtest.Await[protocol.CompactFailed](a.extended)
			_, snapshot := a.p.Dial().Hello(protocol.Hello{})
			if u := snapshot.Live.Usage; u.CostPartial != c.partial {
				t.Errorf("totals: %+v", u)
			}
		})
	}
}
