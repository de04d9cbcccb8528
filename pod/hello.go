package pod

import (
	"context"
	"fmt"
	"io"

	"podium.local/protocol"
	"podium.local/session"
)

// protocolVersion is the one version of the extended vocabulary.
const protocolVersion = 1

// features are what hello lists, sorted; each of them works.
var features = []string{"compact", "entries", "request_id", "since"}

// hello opens the extended stream: the answer, then either the durable events
// the client missed or one snapshot, then the status of the moment, then what
// happens from now on.
func (p *Pod) hello(c *client, h protocol.Hello, requestID string) {
	if h.ProtocolVersion != protocolVersion {
		// Whoever says hello knows the words of the extended vocabulary.
		c.tellAs(p.hub, protocol.Event{RequestID: requestID, Data: protocol.Error{
			Code:    protocol.CodeUnsupportedVersion,
			Message: fmt.Sprintf("protocol version %d is not known here; known: %d", h.ProtocolVersion, protocolVersion),
		}}, true)
		return
	}
	tail := uint64(defaultTail)
	if h.Tail != nil {
		tail = min(*h.Tail, maxTail)
	}
	p.queueAnswer(c, requestID, func(at position) func(context.Context, io.Writer) error {
		c.extended = true
		c.name = h.Client
		now := p.hub.status()
		return func(ctx context.Context, w io.Writer) error {
			if err := p.writeHello(ctx, w, helloRequest{h, at, tail, requestID}); err != nil {
				return err
			}
			// What hello and snapshot do not say of the moment: how long, how many
			// clients, what is queued.
			return writeEvent(w, protocol.Event{Data: now}, true)
		}
	})
}

// helloRequest is one hello and the position it subscribed at.
type helloRequest struct {
	protocol.Hello
	at        position
	tail      uint64
	requestID string
}

func (p *Pod) writeHello(ctx context.Context, w io.Writer, r helloRequest) error {
	resumed, err := p.canResume(ctx, r)
	if err != nil {
		return refusal{err}
	}
	answer := protocol.HelloEvent{
		ProtocolVersion: protocolVersion, Server: "podium/" + p.o.Version,
		PodID: p.id, PodName: p.o.Name, SessionID: r.at.sessionID, State: r.at.state,
		Seq: r.at.seq, Resumed: resumed, Features: features,
	}
	if resumed {
		live := r.at.live()
		answer.Live = &live
	}
	if err := writeEvent(w, protocol.Event{Data: answer, RequestID: r.requestID}, true); err != nil {
		return err
	}
	if resumed {
		return p.eachSince(ctx, *r.Since, r.at.seq, func(e session.Entry) error {
			ev, _, err := session.Event(e)
			if err != nil {
				return err
			}
			return writeEvent(w, ev, true)
		})
	}
	items, before, err := p.tail(ctx, r.at.sessionID.String(), r.at.length, r.tail, map[string]bool{})
	if err != nil {
		return err
	}
	return writeEvent(w, protocol.Event{Data: protocol.Snapshot{
		SessionID: r.at.sessionID, State: r.at.state, Seq: r.at.seq,
		Items: items, TotalItems: r.at.items, Before: before, Live: r.at.live(),
	}}, true)
}

// canResume reports whether the events after the client's are ours and few
// enough.
func (p *Pod) canResume(ctx context.Context, r helloRequest) (bool, error) {
	if r.PodID == nil || *r.PodID != p.id || r.Since == nil || *r.Since > r.at.seq || r.at.seq-*r.Since > maxBehind {
		return false, nil
	}
	bytes := 0
	err := p.eachSince(ctx, *r.Since, r.at.seq, func(e session.Entry) error {
		if bytes += len(e.Payload); bytes > maxBehindBytes {
			return errTooFar
		}
		return nil
	})
	if err == errTooFar {
		return false, nil
	}
	return err == nil, err
}

var errTooFar = fmt.Errorf("more than %d MiB behind", maxBehindBytes>>20)

// eachSince visits the durable entries with after < seq <= to, in order.
func (p *Pod) eachSince(ctx context.Context, after, to uint64, visit func(session.Entry) error) error {
	for after < to {
		entries, err := p.o.Store.Since(ctx, p.id, after, int(min(logWindow, to-after)))
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if len(entries) == 0 {
			return fmt.Errorf("read the log: no event after %d, though %d was written", after, to)
		}
		for _, e := range entries {
			if err := visit(e); err != nil {
				return err
			}
			after = e.Seq
		}
	}
	return nil
}

// entries answers get_entries.
func (p *Pod) entries(c *client, g protocol.GetEntries, requestID string) {
	if !c.extended {
		c.reject(p.hub, requestID, protocol.CodeInternal, "refused: get_entries needs hello first")
		return
	}
	limit := uint64(defaultTail)
	if g.Limit != nil {
		limit = max(1, min(*g.Limit, maxTail))
	}
	p.queueAnswer(c, requestID, func(at position) func(context.Context, io.Writer) error {
		return func(ctx context.Context, w io.Writer) error {
			return p.writeEntries(ctx, w, g.Before, limit, at, requestID)
		}
	})
}

func (p *Pod) writeEntries(ctx context.Context, w io.Writer, before *string, limit uint64, at position, requestID string) error {
	sid, to := at.sessionID.String(), at.length
	rolledBack := map[string]bool{}
	if before != nil {
		ordinal, err := p.o.Store.Ordinal(ctx, sid, *before)
		if err != nil {
			return refuse("no entry %q in session %s: %w", *before, sid, err)
		}
		to = min(ordinal, at.length)
		if rolledBack, err = p.rolledBackAfter(ctx, sid, to, at.length); err != nil {
			return refusal{err}
		}
	}
	items, older, err := p.tail(ctx, sid, to, limit, rolledBack)
	if err != nil {
		return refusal{err}
	}
	return writeEvent(w, protocol.Event{Data: protocol.Entries{Items: items, Before: older}, RequestID: requestID}, true)
}
