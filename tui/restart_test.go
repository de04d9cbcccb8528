package tui_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/tui"
)

func TestKilled_EnterWithATextStartsThePodAndSendsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := 0
		s := running(t, func(o *tui.Options) { o.Start = func(context.Context) error { started++; return nil } })
		s.fail(&client.Disconnected{Cause: client.ErrNotRunning, Attempt: 2, Next: time.Now()})
		s.press("h", "i", "enter")
		if started != 1 {
			t.Fatalf("started %d times", started)
		}
		s.shows("queued  hi")
		// The run that the kill cut off fails first; that does not hold the text.
		s.event(hello(protocol.StateIdle), protocol.RunEnd{Result: protocol.RunFailed, Error: "lost"}, status(protocol.StateIdle))
		if got := s.pod.told(); len(got) != 1 || got[0] != "run hi" {
			t.Errorf("the pod was told %q", got)
		}
	})
}

func TestEnd_EnterWithATextStartsThePodAndSendsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t, func(o *tui.Options) { o.Start = func(context.Context) error { return nil } })
		s.fail(errEnd)
		s.press("h", "i", "enter")
		s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, nil), status(protocol.StateIdle))
		if got := s.pod.told(); len(got) != 1 || got[0] != "run hi" {
			t.Errorf("the pod was told %q", got)
		}
	})
}
