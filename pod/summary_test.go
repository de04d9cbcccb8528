package pod_test

import (
	"encoding/json"
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

// compactByHand has a left-behind session compacted and returns how that ended.
func compactByHand(t *testing.T, o pod.Compaction, entries ...session.NewEntry) string {
	t.Helper()
	st := podtest.NewStore()
	leftBehind(t, st, session.PhaseIdle, "", append(entries, entry(session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished}))...)
	p := podtest.Start(t, pod.Options{Store: st, Compaction: o, Retry: soon})
	c := p.Dial()
	c.Send(protocol.Compact{})
	events := c.Until(func(ev protocol.Event) bool {
		name := ev.Data.EventName()
		return name == protocol.EventCompactDone || name == protocol.EventCompactFailed
	})
	return describeOne(events[len(events)-1])
}

func said(text string) session.NewEntry { return entry(session.KindText, session.Text{Text: text}) }

func TestSummary_OfALongConversationGetsItsBeginningAndItsEnd(t *testing.T) {
	entries := []session.NewEntry{entry(session.KindInput, session.Input{Text: "the first request", Kind: protocol.InputText})}
	for range 200 {
		entries = append(entries, said(long(100)))
	}
	entries = append(entries, said("the newest word"))
	summaries := good()
	same(t, "outcome", "compact_done", compactByHand(t, pod.Compaction{Provider: summaries, Model: "small", MaxInput: 4000}, entries...))
	prompt := conversation(summaries.Requests()[0])[0]
	for _, part := range []string{"[User] the first request", "paragraphs are left out here]", "[Assistant] the newest word", " […]"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the worker is not told %q", part)
		}
	}
	if len(prompt) > 4000*4*3/4 {
		t.Errorf("the worker is given %d bytes", len(prompt))
	}
}

func TestSummary_FileTextIsWithinItsBudget(t *testing.T) {
	big := fakeTool{"Read", nil}
	big.run = readerOf(long(300))
	summaries := worker([]podtest.Step{
		podtest.Call("1", "mark_read_required", `{"file_path":"/a"}`),
		podtest.Call("2", "mark_read_required", `{"file_path":"/b","offset":5}`),
		podtest.Call("3", "mark_read_required", `{"file_path":"/c"}`),
		podtest.Call("4", "write_summary", `{"text":""}`), podtest.Call("5", "add_reference", `{}`), podtest.Call("6", "Write", `{}`),
		podtest.Calls(),
	}, writes("short"), []podtest.Step{podtest.End()})
	got := compactByHand(t, pod.Compaction{
		Provider: summaries, Model: "small", AutoReadBudget: 700, Read: func() tool.Tool { return big },
	}, saidHi, said(long(5000)))
	same(t, "outcome", "compact_done", got)
	answers := conversation(summaries.Requests()[1])
	for _, want := range []string{
		"result 1: marked /a; 400 tokens of the budget are left",
		"result 2: marked /b; 100 tokens of the budget are left: mark only what is needed at once",
		"result 3: Tool execution failed: Invalid argument: these lines take 300 tokens, the budget has 100 left: mark fewer lines",
		"result 4: Tool execution failed: Invalid argument: text is empty",
		"result 5: Tool execution failed: Invalid argument: file_path is empty",
		"result 6: Tool 'Write' not found",
	} {
		if !slices.Contains(answers, want) {
			t.Errorf("no %q in %q", want, answers)
		}
	}
}

func TestSummary_IsTriedAgainAsOftenAsARunsRequest(t *testing.T) {
	busy := &llm.Error{Kind: llm.ErrorOverloaded, Status: 529, Message: "busy"}
	summaries := worker([]podtest.Step{podtest.Fail(busy)}, writes("short"), []podtest.Step{podtest.End()})
	same(t, "outcome", "compact_done", compactByHand(t, pod.Compaction{Provider: summaries, Model: "small"}, saidHi, said(long(5000))))
	fails := []podtest.Step{podtest.Fail(busy)}
	summaries = worker(fails, fails, fails, fails, fails, fails, fails, fails)
	got := compactByHand(t, pod.Compaction{Provider: summaries, Model: "small"}, saidHi, said(long(5000)))
	same(t, "outcome", `compact_failed "API error (status 529): busy"`, got)
	if n := len(summaries.Requests()); n != 6 {
		t.Errorf("%d requests, want 6", n)
	}
}

func TestSummary_IsAskedForAgainWhenItIsMissing(t *testing.T) {
	summaries := worker([]podtest.Step{podtest.Text("I am thinking"), podtest.End()}, writes("short"), []podtest.Step{podtest.End()})
	same(t, "outcome", "compact_done", compactByHand(t, pod.Compaction{Provider: summaries, Model: "small"}, saidHi, said(long(5000))))
	asked := conversation(summaries.Requests()[1])
	if last := asked[len(asked)-1]; !strings.Contains(last, "You have not called write_summary yet") {
		t.Errorf("the worker is told %q", last)
	}
}

func TestSummary_ToolSchemasAreJSON(t *testing.T) {
	summaries := good()
	compactByHand(t, pod.Compaction{Provider: summaries, Model: "small", Read: func() tool.Tool { return reader }}, saidHi, said(long(5000)))
	var names []string
	for _, s := range summaries.Requests()[0].Tools {
		names = append(names, s.Name)
		if !json.Valid(s.Schema) || s.Description == "" {
			t.Errorf("%s: %s", s.Name, s.Schema)
		}
	}
	same(t, "tools", []string{"write_summary", "add_reference", "mark_read_required", "Read"}, names)
}
