package pod_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
)

func TestSocket_IsPrivateToTheUser(t *testing.T) {
	a := newAudience(t, pod.Options{})
	for path, want := range map[string]os.FileMode{
		a.p.Socket():                             0o600,
		filepath.Dir(a.p.Socket()):               0o700,
		filepath.Dir(filepath.Dir(a.p.Socket())): 0o700,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
}

func TestLines_BadOnesAreAnsweredToTheirSenderAlone(t *testing.T) {
	a := newAudience(t, pod.Options{})
	for _, line := range []string{
		"garbage", `{"method":"explode"}`, `["run",{"input":"x"}]`, `{"method":"run"}`, "{\"method\":\"run\",\"params\":{\"input\":\"a\xff\"}}",
	} {
		if err := a.base.Raw([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		ev := a.base.Next()
		if e, ok := ev.Data.(protocol.Error); !ok || e.Code != protocol.CodeInternal || !strings.HasPrefix(e.Message, "invalid method: ") {
			t.Errorf("%q is answered %s", line, describeOne(ev))
		}
	}
	if _, extended := a.settle(); len(extended) > 0 {
		t.Errorf("another client got %q", extended)
	}
}

func TestLines_ABadOneKeepsItsRequestID(t *testing.T) {
	a := newAudience(t, pod.Options{})
	a.base.Raw([]byte(`{"method":"explode","request_id":"r-9"}` + "\n"))
	if ev := a.base.Next(); ev.RequestID != "r-9" {
		t.Errorf("the answer is %+v", ev)
	}
}

func TestLines_BlankCRLFAndSplitOnesAreRead(t *testing.T) {
	a := newAudience(t, pod.Options{})
	for _, part := range []string{"\r\n \n", `{"meth`, `od":"can`, "cel\"}\r\n", `{"method":"pause"}` + "\n"} {
		a.base.Raw([]byte(part))
	}
	for range 2 {
		same(t, "answer", `error not_running "Pod is not running"`, describeOne(a.base.Next()))
	}
}

func TestLines_OneSentInPiecesWhileEventsStreamIsNotLost(t *testing.T) {
	// The pieces of the cancel are mixed with events going the other way.
	tick, reached := make(chan struct{}), make(chan struct{})
	steps := []podtest.Step{podtest.Open("x")}
	cancel := `{"method":"cancel"}` + "\n"
	for range cancel {
		steps = append(steps, podtest.Gate(tick, reached), podtest.Delta(delta("y")))
	}
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider(append(steps, podtest.Hang(nil)))})
	a.base.Send(protocol.Run{Input: "hi"})
	close(tick)
	for i := range cancel {
		<-reached
		a.base.Raw([]byte{cancel[i]})
	}
	_, extended := a.await("status idle queued=0")
	same(t, "the end", "run_end cancelled", extended[len(extended)-2])
}

func TestLines_AMebibyteOfInput(t *testing.T) {
	a := newAudience(t, pod.Options{})
	input := strings.Repeat("設計 ", 1<<20/7)
	a.base.Send(protocol.Run{Input: input})
	if in := podtest.Await[protocol.UserInput](a.extended); in.Text != input {
		t.Errorf("%d bytes came back of %d", len(in.Text), len(input))
	}
	a.await("status idle queued=0")
}

func TestLines_TooLongIsRefusedAndTheConnectionGoesOn(t *testing.T) {
	a := newAudience(t, pod.Options{})
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(a.base.Conn(), io.LimitReader(zeros{}, 65<<20))
		a.base.Raw([]byte("\n"))
		done <- err
	}()
	ev := a.base.Next()
	if e, ok := ev.Data.(protocol.Error); !ok || e.Code != protocol.CodeInternal || !strings.HasPrefix(e.Message, "refused: ") {
		t.Errorf("64 MiB of one line are answered %s", describeOne(ev))
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	a.base.Send(protocol.Cancel{})
	same(t, "the next line", `error not_running "Pod is not running"`, describeOne(a.base.Next()))
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

func TestClient_ThatOnlyWritesIsHeard(t *testing.T) {
	// It connects, writes and closes, while events are on their way to it.
	reached := make(chan struct{}, 1)
	provider := podtest.NewProvider([]podtest.Step{podtest.Open("x"), podtest.Hang(reached)})
	a := newAudience(t, pod.Options{Provider: provider})
	a.base.Send(protocol.Run{Input: "hi"})
	<-reached
	for i := range 20 {
		c := a.p.Dial()
		c.Send(protocol.Notify{Message: fmt.Sprint(i)})
		c.Close()
	}
	a.await("status running queued=20")
}

func TestClient_HalfClosedIsAnsweredAndThenLeft(t *testing.T) {
	a := newAudience(t, pod.Options{})
	c := a.p.Dial()
	c.Send(protocol.GetHistory{})
	c.Conn().CloseWrite()
	events := c.Rest()
	if len(events) != 1 || events[0].Data.EventName() != protocol.EventHistory {
		t.Errorf("events: %q", describe(events))
	}
}

func TestClient_ThatNeverReadsDoesNotDisturbTheRun(t *testing.T) {
	const turns, size = 6, 1 << 20
	var scripts [][]podtest.Step
	text := strings.Repeat("x", size)
	for range turns {
		scripts = append(scripts, []podtest.Step{podtest.Text(text), podtest.End()})
	}
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider(scripts...)})
	a.extended.Close()
	stalled := a.p.Dial()
	stalled.Hello(protocol.Hello{Client: "stalled/1"})
	for range turns {
		a.base.Send(protocol.Run{Input: "go"})
		events := a.base.UntilName(protocol.EventRunEnd)
		got := 0
		for _, ev := range events {
			if d, ok := ev.Data.(protocol.TextDone); ok {
				got = len(d.Text)
			}
		}
		if got != size {
			t.Fatalf("a client that reads got %d bytes of %d", got, size)
		}
	}
	stats := a.p.Stats()
	if stats.Disconnected != 1 {
		t.Errorf("%d clients were disconnected, want the stalled one", stats.Disconnected)
	}
	for _, c := range stats.Clients {
		if c.Name == "stalled/1" {
			t.Errorf("the stalled client is still there: %+v", c)
		}
	}
	// Coming back with its position it gets what it missed.
	id, since := a.p.ID(), uint64(0)
	back := a.p.Dial()
	if hello, _ := back.Hello(protocol.Hello{PodID: &id, Since: &since}); !hello.Resumed {
		t.Errorf("the client comes back and is not resumed: %+v", hello)
	}
	back.Until(func(ev protocol.Event) bool { return ev.Seq == 4*turns })
}

func TestClient_OneEventLargerThanTheQueueDisconnectsNobody(t *testing.T) {
	text := strings.Repeat("x", 9<<20)
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider([]podtest.Step{podtest.Text(text), podtest.End()})})
	// It reads nothing before the run is over: the delta and its done event wait.
	late := a.p.Dial()
	late.Hello(protocol.Hello{Client: "late/1"})
	a.base.Send(protocol.Run{Input: "go"})
	a.base.UntilName(protocol.EventRunEnd)
	got := 0
	for _, ev := range late.UntilName(protocol.EventRunEnd) {
		if d, ok := ev.Data.(protocol.TextDone); ok {
			got = len(d.Text)
		}
	}
	if got != len(text) {
		t.Errorf("%d bytes of %d arrived", got, len(text))
	}
	if n := a.p.Stats().Disconnected; n != 0 {
		t.Errorf("%d clients were disconnected", n)
	}
}

func TestClient_SlowOneGetsDeltasInOneButAllOfThem(t *testing.T) {
	const n = 5000
	steps := []podtest.Step{podtest.Open("")}
	var want strings.Builder
	for i := range n {
		piece := fmt.Sprintf("%d ", i)
		want.WriteString(piece)
		steps = append(steps, podtest.Delta(delta(piece)))
	}
	reached, gate := make(chan struct{}, 1), make(chan struct{})
	steps = append(steps, podtest.Gate(gate, reached), podtest.Delta(stop()), podtest.End())
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider(steps)})
	// Both directions of its buffers fill up, since it does not read.
	slow := a.p.Dial()
	slow.Send(protocol.Run{Input: "go"})
	<-reached
	close(gate)
	var text strings.Builder
	deltas := 0
	for _, ev := range slow.UntilName(protocol.EventTextDone) {
		if d, ok := ev.Data.(protocol.TextDelta); ok {
			text.WriteString(d.Text)
			deltas++
		}
	}
	if text.String() != want.String() {
		t.Errorf("%d bytes of deltas arrived, want %d", text.Len(), want.Len())
	}
	if deltas >= n {
		t.Errorf("%d deltas arrived one by one", deltas)
	}
}

func TestClients_AreRefusedBeyondTheLimit(t *testing.T) {
	a := newAudience(t, pod.Options{})
	var conns []net.Conn
	for range 1024 - 2 {
		c, err := net.Dial("unix", a.p.Socket())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	waitFor(t, func() bool { return len(a.p.Stats().Clients) == 1024 })
	events := a.p.Dial().Rest()
	if len(events) != 1 || !strings.HasPrefix(describeOne(events[0]), `error internal "refused: `) {
		t.Errorf("client 1025 is told %q", describe(events))
	}
	a.base.Send(protocol.Run{Input: "hi"})
	a.base.UntilName(protocol.EventRunEnd)
	conns[0].Close()
	waitFor(t, func() bool { return len(a.p.Stats().Clients) == 1023 })
	c := a.p.Dial()
	c.Send(protocol.Cancel{})
	same(t, "with room again", `error not_running "Pod is not running"`, describeOne(c.Next()))
}

// waitFor polls a condition that becomes true without telling anybody.
func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("what is waited for does not happen")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestClients_ComingAndGoingAreCountedInStatus(t *testing.T) {
	a := newAudience(t, pod.Options{})
	c := a.p.Dial()
	for want := uint64(3); want >= 2; want-- {
		for podtest.Await[protocol.Status](a.extended).Clients != want {
		}
		c.Close()
	}
}

func TestNotifications_AreReplayedOnceToLateClients(t *testing.T) {
	p := podtest.Start(t, pod.Options{Store: newStore(t), Notices: []protocol.Notification{
		{Level: protocol.LevelWarn, Source: protocol.SourcePod, Message: "one", TimestampMS: 5},
		{Level: protocol.LevelWarn, Source: protocol.SourcePod, Message: "two"},
	}})
	events := barrier(p.Dial())
	if len(events) != 2 {
		t.Fatalf("replayed: %q", describe(events))
	}
	if n := events[0].Data.(protocol.Notification); n.Message != "one" || n.TimestampMS != 5 {
		t.Errorf("first: %+v", n)
	}
	if n := events[1].Data.(protocol.Notification); n.Message != "two" || n.TimestampMS == 0 {
		t.Errorf("second: %+v", n)
	}
}

func TestPlainPod_SendsAnUnaskedClientNothing(t *testing.T) {
	a := newAudience(t, pod.Options{})
	c := a.p.Dial()
	if events := barrier(c); len(events) > 0 {
		t.Errorf("a base client got %q", describe(events))
	}
}

func TestStop_DoesNotWaitForAClientThatNeverReads(t *testing.T) {
	p := podtest.Try(t, pod.Options{Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text(strings.Repeat("x", 1<<20)), podtest.End()})})
	stalled := p.Dial()
	stalled.Send(protocol.Run{Input: "hi"})
	waitFor(t, func() bool {
		stats := p.Stats().Clients
		return len(stats) == 1 && stats[0].QueuedBytes > 0
	})
	// It returns at all: a test that hangs here fails.
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}
