package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
)

// follow prints a pod's log to its end and goes on as it grows, into the next
// session when the pod compacts, until the pod ends or ctx does. What is
// printed comes from the store; the pod's events only say when to look.
func (a *app) follow(ctx context.Context, st *store.Store, name, sessionID string, each func(session.Entry) error) error {
	socket, err := a.socketOf(name)
	if err != nil {
		return err
	}
	// Subscribing comes before the first look, so that nothing falls between.
	s, err := client.Attach(ctx, socket, client.AttachOptions{
		Options: client.Options{Client: clientName(), PodName: name, Tail: new(uint64)}, GiveUp: 30 * time.Second,
	})
	if errors.Is(err, client.ErrNotRunning) {
		_, err := readLog(ctx, st, sessionID, 0, each)
		return err
	}
	if err != nil {
		return err
	}
	defer s.Close()
	next, err := readLog(ctx, st, sessionID, 0, each)
	for err == nil {
		var e protocol.Event
		e, err = s.Recv(ctx)
		switch {
		case errors.Is(err, io.EOF):
			_, err = readLog(ctx, st, sessionID, next, each)
			return err
		case ctx.Err() != nil:
			return nil
		case err != nil && client.Passing(err):
			err = nil
			continue
		case err != nil:
			return fmt.Errorf("follow pod %s: %w", name, err)
		}
		if d, ok := e.Data.(protocol.CompactDone); ok {
			if _, err = readLog(ctx, st, sessionID, next, each); err != nil {
				return err
			}
			sessionID, next = d.NewSessionID.String(), 0
		}
		if e.Seq != 0 {
			next, err = readLog(ctx, st, sessionID, next, each)
		}
	}
	return err
}

// readLog calls each with a session's entries from an ordinal on and returns
// the next one. It reads a window at a time.
func readLog(ctx context.Context, st *store.Store, sessionID string, from int64, each func(session.Entry) error) (next int64, err error) {
	for {
		entries, err := st.Log(ctx, sessionID, from, -1, logWindow)
		if err != nil {
			return from, err
		}
		for _, e := range entries {
			if err := each(e); err != nil {
				return from, err
			}
			from = e.Ordinal + 1
		}
		if len(entries) < logWindow {
			return from, nil
		}
	}
}
