package pod_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
)

// itemLines names the items of a snapshot or an answer to get_entries.
func itemLines(t testing.TB, items []jsontext.Value) []string {
	t.Helper()
	return roles(t, protocol.History{Items: items})
}

func TestAttach_MidRunSeesInputFinishedBlocksAndTheOpenOne(t *testing.T) {
	a := enter(t, newStore(t), "running")
	c := a.p.Dial()
	hello, snapshot := c.Hello(protocol.Hello{})
	if hello.State != protocol.StateRunning || hello.Resumed || hello.Seq != 2 {
		t.Errorf("hello: %+v", hello)
	}
	same(t, "items", []string{"user: start", "assistant: kept"}, itemLines(t, snapshot.Items))
	same(t, "in flight", []protocol.OpenBlock{{Kind: protocol.BlockText, Text: "lost"}}, snapshot.Live.InFlight)
	if snapshot.TotalItems != 2 || snapshot.Before != nil {
		t.Errorf("snapshot: %d items, before %v", snapshot.TotalItems, snapshot.Before)
	}
}

func TestHello_SaysWhoWeAreAndWhatWorks(t *testing.T) {
	a := newAudience(t, pod.Options{Version: "9.9"})
	c := a.p.Dial()
	c.SendAs("r-7", protocol.Hello{ProtocolVersion: 1, Client: "x/1"})
	ev := c.Next()
	for ; ev.Data.EventName() != protocol.EventHello; ev = c.Next() {
	}
	hello := ev.Data.(protocol.HelloEvent)
	if ev.RequestID != "r-7" || hello.Server != "podium/9.9" || hello.PodID != a.p.ID() || hello.PodName != "p" ||
		hello.SessionID.String() != a.p.SessionID() || hello.State != protocol.StateIdle || hello.ProtocolVersion != 1 {
		t.Errorf("hello: %+v", ev)
	}
	for _, feature := range []string{"entries", "request_id", "since"} {
		if !strings.Contains(strings.Join(hello.Features, " "), feature) {
			t.Errorf("feature %s is not listed in %q", feature, hello.Features)
		}
	}
}

func TestHello_OfAnUnknownVersionNamesTheKnownOnes(t *testing.T) {
	a := newAudience(t, pod.Options{})
	c := a.p.Dial()
	c.SendAs("r-1", protocol.Hello{ProtocolVersion: 7, Client: "x/1"})
	ev := nextButStatus(c)
	e, ok := ev.Data.(protocol.Error)
	// This client never said a hello that was understood.
	if !ok || ev.RequestID != "r-1" || !strings.Contains(e.Message, "known: 1") || e.Code != protocol.CodeUnsupportedVersion {
		t.Errorf("the answer is %+v", ev)
	}
}

// talk makes n runs that say their number.
func talk(t *testing.T, a *audience, provider *podtest.Provider, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		provider.Add(podtest.Text(fmt.Sprint("answer ", i)), podtest.End())
		a.base.Send(protocol.Run{Input: fmt.Sprint("question ", i)})
		a.await("status idle queued=0")
	}
}

func TestResume_GivesTheMissedEventsInOrderAndThenLive(t *testing.T) {
	provider := podtest.NewProvider()
	a := newAudience(t, pod.Options{Provider: provider})
	talk(t, a, provider, 0, 3)
	id, since := a.p.ID(), uint64(5)
	c := a.p.Dial()
	hello, _ := c.Hello(protocol.Hello{PodID: &id, Since: &since})
	if !hello.Resumed || hello.Live == nil || hello.Seq != 12 {
		t.Fatalf("hello: %+v", hello)
	}
	talk(t, a, provider, 3, 1)
	next := since
	for next < 16 {
		ev := c.Next()
		if ev.Seq == 0 {
			continue
		}
		if next++; ev.Seq != next {
			t.Fatalf("event %d (%s), want %d", ev.Seq, describeOne(ev), next)
		}
	}
}

func TestResume_WithoutGroundGivesASnapshot(t *testing.T) {
	provider := podtest.NewProvider()
	a := newAudience(t, pod.Options{Provider: provider})
	talk(t, a, provider, 0, 1)
	own, other := a.p.ID(), protocol.NewPodID()
	zero, ahead := uint64(0), uint64(99)
	for name, h := range map[string]protocol.Hello{
		"another pod":    {PodID: &other, Since: &zero},
		"ahead of us":    {PodID: &own, Since: &ahead},
		"no position":    {PodID: &own},
		"no pod":         {Since: &zero},
		"nothing at all": {},
	} {
		hello, snapshot := a.p.Dial().Hello(h)
		if hello.Resumed || len(snapshot.Items) != 2 {
			t.Errorf("%s: resumed %t, %d items", name, hello.Resumed, len(snapshot.Items))
		}
	}
	hello, _ := a.p.Dial().Hello(protocol.Hello{PodID: &own, Since: &zero})
	if !hello.Resumed {
		t.Error("from the beginning is a position too")
	}
}

func TestResume_FromTooFarBehindGivesASnapshot(t *testing.T) {
	st := newStore(t)
	entries := []session.NewEntry{saidHi}
	for range 17 {
		entries = append(entries, entry(session.KindText, session.Text{Text: strings.Repeat("x", 1<<20)}))
	}
	leftBehind(t, st, session.PhaseIdle, "", append(entries, entry(session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished}))...)
	p := podtest.Start(t, pod.Options{Store: st})
	id := p.ID()
	for since, want := range map[uint64]bool{1: false, 10: true} {
		hello, snapshot := p.Dial().Hello(protocol.Hello{PodID: &id, Since: &since})
		if hello.Resumed != want {
			t.Errorf("%d MiB behind: resumed %t", 18-since, hello.Resumed)
		}
		if !want && (len(snapshot.Items) != 3 || snapshot.Before == nil || snapshot.TotalItems != 18) {
			t.Errorf("a snapshot holds at most 4 MiB: %d items of %d", len(snapshot.Items), snapshot.TotalItems)
		}
	}
}

func TestHistory_OverItsLimitSaysHowMuchIsLeftOut(t *testing.T) {
	st := podtest.NewStore()
	entries := []session.NewEntry{saidHi}
	for range 40 {
		entries = append(entries, entry(session.KindText, session.Text{Text: strings.Repeat("x", 2<<10)}))
	}
	leftBehind(t, st, session.PhaseIdle, "", append(entries, entry(session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished}))...)
	p := podtest.Start(t, pod.Options{Store: st})
	p.LimitHistory(60 << 10)
	items := history(t, p.Dial())
	if len(items) != 29 || !strings.Contains(items[0], "13 older items are left out") || !strings.HasPrefix(items[0], "system: ") {
		t.Errorf("%d items, the first is %.80s", len(items), items[0])
	}
}

func TestHistory_OfSomeMebibytesIsWholeAndInOrder(t *testing.T) {
	st := podtest.NewStore()
	entries := []session.NewEntry{saidHi}
	want := []string{"user: hi"}
	for i := range 300 {
		text := fmt.Sprintf("%d %s", i, strings.Repeat("x", 10<<10))
		entries = append(entries, entry(session.KindText, session.Text{Text: text}))
		want = append(want, "assistant: "+text)
	}
	leftBehind(t, st, session.PhaseIdle, "", append(entries, entry(session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished}))...)
	p := podtest.Start(t, pod.Options{Store: st})
	c := p.Dial()
	c.SendAs("r", protocol.GetHistory{})
	ev := c.Next()
	if ev.RequestID != "r" || ev.Data.(protocol.History).Greeting.PodName != "p" {
		t.Errorf("the answer is for %q", ev.RequestID)
	}
	same(t, "history", want, roles(t, ev.Data.(protocol.History)))
}

func TestEntries_PageThroughTheWholeHistory(t *testing.T) {
	provider := podtest.NewProvider()
	a := newAudience(t, pod.Options{Provider: provider})
	talk(t, a, provider, 0, 5)
	want := history(t, a.base)
	c := a.p.Dial()
	tail := uint64(3)
	_, snapshot := c.Hello(protocol.Hello{Tail: &tail})
	got := itemLines(t, snapshot.Items)
	if len(got) != 3 || snapshot.TotalItems != 10 || snapshot.Before == nil {
		t.Fatalf("snapshot: %q of %d", got, snapshot.TotalItems)
	}
	limit := uint64(2)
	for before := snapshot.Before; before != nil; {
		c.SendAs("r", protocol.GetEntries{Before: before, Limit: &limit})
		ev := nextButStatus(c)
		page, ok := ev.Data.(protocol.Entries)
		if !ok || ev.RequestID != "r" || len(page.Items) == 0 || len(page.Items) > 2 {
			t.Fatalf("page: %+v", ev)
		}
		got = append(itemLines(t, page.Items), got...)
		before = page.Before
	}
	same(t, "pages", want, got)
}

func TestEntries_LeaveOutWhatWasRolledBackAcrossPages(t *testing.T) {
	reached := make(chan struct{}, 1)
	provider := podtest.NewProvider()
	a := newAudience(t, pod.Options{Provider: provider})
	talk(t, a, provider, 0, 1)
	provider.Add(podtest.Hang(reached))
	a.base.Send(protocol.Run{Input: "taken back"})
	<-reached
	a.base.Send(protocol.Cancel{})
	a.await("status idle queued=0")
	talk(t, a, provider, 1, 1)
	want := []string{"user: question 0", "assistant: answer 0", "user: question 1", "assistant: answer 1"}
	same(t, "history", want, history(t, a.base))
	c := a.p.Dial()
	one := uint64(1)
	_, snapshot := c.Hello(protocol.Hello{Tail: &one})
	got := itemLines(t, snapshot.Items)
	if snapshot.TotalItems != 4 {
		t.Errorf("%d items in all, want 4", snapshot.TotalItems)
	}
	for before := snapshot.Before; before != nil; {
		c.Send(protocol.GetEntries{Before: before, Limit: &one})
		page := podtest.Await[protocol.Entries](c)
		got = append(itemLines(t, page.Items), got...)
		before = page.Before
	}
	same(t, "pages", want, got)
}

func TestEntries_OfAnUnknownEntryIsRefused(t *testing.T) {
	a := newAudience(t, pod.Options{})
	nowhere := "nowhere"
	a.extended.SendAs("r", protocol.GetEntries{Before: &nowhere})
	e := podtest.Await[protocol.Error](a.extended)
	if e.Code != protocol.CodeInternal || !strings.HasPrefix(e.Message, `refused: no entry "nowhere"`) {
		t.Errorf("answer: %+v", e)
	}
	// Without hello its answer would be a tag the client does not know.
	a.base.Send(protocol.GetEntries{})
	if e := podtest.Await[protocol.Error](a.base); !strings.HasPrefix(e.Message, "refused: ") {
		t.Errorf("answer: %+v", e)
	}
}

func TestRequestID_MakesRunAndNotifyIdempotent(t *testing.T) {
	provider := podtest.NewProvider()
	a := newAudience(t, pod.Options{Provider: provider})
	entry := func(method protocol.MethodParams, id string) string {
		a.extended.SendAs(id, method)
		ac := podtest.Await[protocol.Accepted](a.extended)
		if ac.EntryID == nil {
			t.Fatalf("%s: accepted without an entry", method.MethodName())
		}
		return *ac.EntryID
	}
	first := entry(protocol.Run{Input: "once"}, "a")
	a.await("status idle queued=0")
	if again := entry(protocol.Run{Input: "once"}, "a"); again != first {
		t.Errorf("the retry is answered with %s, not %s", again, first)
	}
	n := entry(protocol.Notify{Message: "n"}, "b")
	a.await("status idle queued=0")
	if again := entry(protocol.Notify{Message: "n"}, "b"); again != n {
		t.Errorf("the retry is answered with %s, not %s", again, n)
	}
	a.settle()
	// A base client gets no answer, and nothing happens either.
	a.base.SendAs("a", protocol.Run{Input: "once"})
	if base, _ := a.settle(); len(base) > 0 {
		t.Errorf("a base client's retry brings %q", base)
	}
	if n := len(provider.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	// A retry while the pod is busy is still no new run.
	reached := make(chan struct{}, 1)
	provider.Add(podtest.Hang(reached))
	a.base.Send(protocol.Run{Input: "busy"})
	<-reached
	if again := entry(protocol.Run{Input: "once"}, "a"); again != first {
		t.Errorf("the retry in a run is answered with %s, not %s", again, first)
	}
}

func TestRequestID_OfTheEntryIsTheOneInTheLog(t *testing.T) {
	a := newAudience(t, pod.Options{})
	a.extended.SendAs("a", protocol.Run{Input: "x"})
	entry := *podtest.Await[protocol.Accepted](a.extended).EntryID
	if in := podtest.Await[protocol.UserInput](a.extended); in.EntryID != entry || in.Client != "test/1" {
		t.Errorf("user_input %+v, accepted as %s", in, entry)
	}
}

func TestInbox_RefusesWhatTheStoreCouldNotReadBack(t *testing.T) {
	a := newAudience(t, pod.Options{})
	a.base.Send(protocol.Run{Input: strings.Repeat("b", 32<<20+1)})
	if e := podtest.Await[protocol.Error](a.base); e.Code != protocol.CodeInternal || !strings.HasPrefix(e.Message, "refused: an input may have 32 MiB") {
		t.Errorf("answer: %.200s", e.Message)
	}
	a.base.Send(protocol.Run{Input: "small"})
	a.base.UntilName(protocol.EventRunEnd)
}

func TestInbox_FullRefusesAndDropsNothing(t *testing.T) {
	gate, reached := make(chan struct{}), make(chan struct{}, 1)
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text("x"), podtest.Gate(gate, reached), podtest.End()})})
	a.base.Send(protocol.Run{Input: "hi"})
	<-reached
	for i := range 128 {
		a.base.Send(protocol.Notify{Message: fmt.Sprint(i)})
	}
	if base, _ := a.settle(); strings.Contains(strings.Join(base, " "), "refused") {
		t.Fatalf("128 inputs fit: %q", base)
	}
	a.base.Send(protocol.Notify{Message: "one too many"})
	if e := podtest.Await[protocol.Error](a.base); e.Code != protocol.CodeInternal || !strings.HasPrefix(e.Message, "refused: the inbox is full") {
		t.Errorf("answer: %+v", e)
	}
	close(gate)
	a.base.UntilName(protocol.EventRunEnd)
	a.base.UntilName(protocol.EventRunEnd)
	if items := history(t, a.base); len(items) != 1+1+128+1 {
		t.Errorf("%d items in the history", len(items))
	}
}
