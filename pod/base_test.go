package pod_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun_PlainSequenceForABaseClient(t *testing.T) {
	provider := podtest.NewProvider([]podtest.Step{podtest.Text("Hel", "lo"), podtest.Usage(409, 71), podtest.End()})
	p := podtest.Start(t, pod.Options{Provider: provider})
	c := p.Dial()
	c.Send(protocol.Run{Input: "hi"})
	got := c.UntilName(protocol.EventRunEnd)
	want := []string{"turn_start", "text_delta", "text_done", "usage", "turn_end", "run_end"}
	if diff := cmp.Diff(want, shape(got)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	c.Send(protocol.GetHistory{})
	h := podtest.Await[protocol.History](c)
	if len(h.Items) != 2 {
		t.Errorf("history holds %s", h.Items)
	}
}

// shape is the tags of events, with deltas that follow each other as one: how
// many there are depends on how fast a client reads.
func shape(events []protocol.Event) []string {
	var names []string
	for _, name := range podtest.Names(events) {
		if n := len(names); n > 0 && names[n-1] == name && strings.HasSuffix(name, "_delta") {
			continue
		}
		names = append(names, name)
	}
	return names
}
