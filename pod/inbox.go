package pod

import (
	"context"
	"errors"
	"fmt"

	"podium.local/protocol"
	"podium.local/session"
)

// maxInput is the longest input, in bytes. A line may be longer, but SQLite
// holds a value several times while it writes or reads it, in 256 MB at most.
const maxInput = 32 << 20

var errInputTooLong = fmt.Errorf("an input may have %d MiB", maxInput>>20)

// accept makes an input durable in the inbox: from then on it is not lost.
// With a request id that was accepted before it returns the earlier entry id
// and does nothing; else change, which may be nil, is in force when it
// returns.
func (p *Pod) accept(kind protocol.InputKind, text, client, requestID string, change func(*view)) (entryID string, repeated bool, err error) {
	if len(text) > maxInput {
		return "", false, errInputTooLong
	}
	// The lock keeps the input from being taken before it is counted.
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	err = p.patiently(func(ctx context.Context) (err error) {
		entryID, repeated, err = p.o.Store.Accept(ctx, session.Acceptance{
			PodID: p.id, RequestID: requestID,
			Item: session.InboxItem{
				EntryID: protocol.NewEntryID(), Kind: kind, Text: text, Client: client, AcceptedAt: p.o.Now(),
			},
		})
		return err
	})
	if err != nil {
		return "", false, fmt.Errorf("save the input: %w", err)
	}
	if !repeated {
		p.hub.update(func(v *view) {
			v.queued++
			if change != nil {
				change(v)
			}
		})
	}
	return entryID, repeated, nil
}

// accepted is the entry id under which the request id was accepted before, ""
// when it was not.
func (p *Pod) accepted(requestID string) (entryID string, err error) {
	if requestID == "" {
		return "", nil
	}
	err = p.patiently(func(ctx context.Context) (err error) {
		entryID, err = p.o.Store.Accepted(ctx, p.id, requestID)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look up request_id %q: %w", requestID, err)
	}
	return entryID, nil
}

// refuseInput tells the sender why its input was not accepted.
func (p *Pod) refuseInput(c *client, requestID string, err error) {
	text := "refused: " + err.Error()
	if errors.Is(err, errInputTooLong) {
		text = "refused: " + errInputTooLong.Error() + "; put it into a file and name the file"
	}
	if errors.Is(err, session.ErrInboxFull) {
		text = "refused: the inbox is full; send it again when the pod has read what waits"
	}
	c.reject(p.hub, requestID, protocol.CodeInternal, text)
}

// podEventText is a child's report as it goes into the log.
func podEventText(e protocol.PodEvent) string {
	switch e.Kind {
	case protocol.PodEventTurnEnded:
		return fmt.Sprintf("Pod `%s` finished a turn.", e.PodName)
	case protocol.PodEventErrored:
		return fmt.Sprintf("Pod `%s` reported an error: %s", e.PodName, e.Message)
	case protocol.PodEventShutDown:
		return fmt.Sprintf("Pod `%s` has stopped.", e.PodName)
	default:
		return fmt.Sprintf("Pod `%s` spawned `%s` and delegated scope to it.", e.ParentPod, e.SubPod)
	}
}

// takeInbox moves everything accepted so far into the log, at a safe point: no
// call is open, or before closes those that are. The first step of a run also
// writes its state, so it commits whatever is there.
func (p *Pod) takeInbox(r *run, before []session.NewEntry, first bool) error {
	if !first && p.hub.queued() == 0 {
		return nil
	}
	items, err := p.inbox()
	if err != nil {
		return err
	}
	s := step{entries: before, phase: session.PhaseRunning, run: r.mark()}
	for _, i := range items {
		if i.TooLong > 0 {
			i.Text = fmt.Sprintf("[An input of %d bytes stood here. It is longer than the %d MiB that can be read, and was left out.]", i.TooLong, maxInput>>20)
			p.hub.notify(protocol.Notification{
				Level: protocol.LevelError, Source: protocol.SourcePod,
				Message: fmt.Sprintf("an input of %d bytes that an earlier version accepted cannot be read and is left out; put it into a file and name the file", i.TooLong),
			})
		}
		s.entries = append(s.entries, session.NewEntry{
			ID: i.EntryID, Kind: session.KindInput,
			Payload: session.Input{Text: i.Text, Kind: i.Kind, Client: i.Client},
		})
		s.taken = append(s.taken, i.EntryID)
		if s.name == "" && i.Kind == protocol.InputText {
			s.name = session.Clip(i.Text, maxSessionName)
		}
	}
	entries, err := p.record(s)
	if err != nil {
		r.untaken = &s
		return err
	}
	return r.apply(entries)
}

// maxSessionName is the longest name a session gets from its first input, in
// bytes.
const maxSessionName = 200

// maxReason is the longest text of a failure that a session's status repeats, in
// bytes; the log has the whole.
const maxReason = 500

func (p *Pod) inbox() (items []session.InboxItem, err error) {
	err = p.patiently(func(ctx context.Context) (err error) {
		items, err = p.o.Store.Inbox(ctx, p.id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the inbox: %w", err)
	}
	return items, nil
}
