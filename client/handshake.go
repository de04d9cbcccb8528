package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"podium.local/protocol"
)

// Prefixes by which a pod marks what an internal error is about.
const (
	invalidPrefix = "invalid method: "
	refusedPrefix = "refused: "
)

// maxEarly is how many bytes of events may come before hello is answered.
const maxEarly = 64 << 20

// sayHello sends hello and reads until it is answered. Without an error the
// link speaks the vocabulary that hello and baseReason tell.
func (l *link) sayHello(ctx context.Context, o Options) error {
	hello := protocol.Hello{ProtocolVersion: protocol.ProtocolVersion, Client: o.Client, Tail: o.Tail}
	if o.Resume != nil {
		hello.PodID, hello.Since = &o.Resume.PodID, &o.Resume.Seq
	}
	id := newRequestID()
	if err := l.send(ctx, protocol.Method{Params: hello, RequestID: id}); err != nil && !errors.Is(err, ErrLost) {
		return err
	}
	// A pod that refuses the connection may have said so and closed it before
	// hello was written: what it said is still to be read.
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = l.conn.SetReadDeadline(time.Unix(1, 0))
		close(interrupted)
	})
	err := l.awaitHello(id)
	if !stop() {
		<-interrupted
		if err != nil {
			return fmt.Errorf("say hello to pod %s: %w", l.pod, context.Cause(ctx))
		}
		_ = l.conn.SetReadDeadline(time.Time{})
	}
	if err == nil && l.hello == nil && o.Mode == ModeExtended {
		err = l.baseReason
	}
	if err != nil {
		return fmt.Errorf("say hello to pod %s: %w", l.pod, err)
	}
	return nil
}

func (l *link) awaitHello(id string) error {
	for bytes := 0; bytes < maxEarly; {
		r, err := l.next()
		switch {
		case err == io.EOF:
			return fmt.Errorf("%w: the pod closed it without an answer", ErrLost)
		case err != nil:
			return fmt.Errorf("%w: %w", ErrLost, err)
		case r.err != nil:
			return fmt.Errorf("%w: %w", ErrNotAPod, r.err)
		}
		if e, ok := r.event.Data.(protocol.Error); ok {
			answered, err := l.refusedHello(id, r.event.RequestID, e)
			if answered || err != nil {
				return err
			}
		}
		l.early = append(l.early, r)
		bytes += r.size
		if h, ok := r.event.Data.(protocol.HelloEvent); ok {
			l.hello = &h
			l.early = slices.DeleteFunc(l.early, repeatedByHello)
			return nil
		}
	}
	return fmt.Errorf("%w: no answer within %d MiB of events", ErrNotAPod, maxEarly>>20)
}

// repeatedByHello reports the events that came while the pod still took this
// for a base client and that the extended stream tells again: in the snapshot,
// or as the events after Resume and in hello's Live.
func repeatedByHello(r received) bool {
	switch r.event.Data.(type) {
	case protocol.HelloEvent, protocol.Notification, protocol.ShutdownEvent, protocol.Unknown:
		return false
	default:
		return true
	}
}

// refusedHello reports whether an error answers hello with "I know no such
// thing"; its own error is an answer that forbids to go on. Other errors are
// events like any.
func (l *link) refusedHello(id, answers string, e protocol.Error) (bool, error) {
	switch {
	case e.Code == protocol.CodeUnsupportedVersion:
		l.baseReason = fmt.Errorf("%w: this client knows version %d; the pod says: %s", ErrBaseOnly, protocol.ProtocolVersion, e.Message)
		return true, nil
	case e.Code == protocol.CodeInternal && strings.HasPrefix(e.Message, invalidPrefix):
		l.baseReason = fmt.Errorf("%w: the pod does not know hello", ErrBaseOnly)
		return true, nil
	case answers == id, e.Code == protocol.CodeInternal && strings.HasPrefix(e.Message, refusedPrefix):
		return false, &PodError{Method: protocol.MethodHello, Code: e.Code, Message: e.Message}
	}
	return false, nil
}
