package client_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"podium.local/client"
	"podium.local/protocol"
)

func TestErrors_SayWhatHappenedInOneLine(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&client.PodError{Method: "resume", Code: protocol.CodeNotPaused, Message: "Pod is not paused"}, "resume: Pod is not paused (not_paused)"},
		{&client.BadLineError{Err: io.EOF, Line: []byte("a\n\x1b[2J")}, `unreadable event: EOF: "a\n\x1b[2J"`},
		{&client.BadLineError{Err: protocol.ErrLineTooLong}, "unreadable event: line too long"},
		{&client.Disconnected{Cause: io.EOF}, "disconnected: EOF"},
		{&client.GapError{After: 3, Got: 7}, "the pod skipped its durable events 4 to 6"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestPassing_IsWhatASessionsStreamOutlives(t *testing.T) {
	for _, err := range []error{&client.BadLineError{Err: io.EOF}, &client.Disconnected{Cause: io.EOF}, fmt.Errorf("look: %w", &client.GapError{After: 3, Got: 7})} {
		if !client.Passing(err) {
			t.Errorf("the stream ends with %v", err)
		}
	}
	for _, err := range []error{nil, io.EOF, client.ErrClosed, client.ErrLost} {
		if client.Passing(err) {
			t.Errorf("the stream goes on after %v", err)
		}
	}
}

func TestBackoff_DoublesUpToItsLimitAndDrawsFromTheUpperHalf(t *testing.T) {
	const least, most = 100 * time.Millisecond, 1500 * time.Millisecond
	full := least
	for i, pause := range client.Pauses(least, most, 8) {
		if pause < full/2 || pause > full {
			t.Errorf("pause %d is %v, want %v to %v", i, pause, full/2, full)
		}
		full = min(2*full, most)
	}
	seen := map[time.Duration]bool{}
	for range 50 {
		seen[client.Pauses(least, most, 1)[0]] = true
	}
	if len(seen) < 2 {
		t.Error("all clients come back at the same moment")
	}
}
