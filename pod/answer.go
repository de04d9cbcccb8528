package pod

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"podium.local/protocol"
	"podium.local/session"
)

// Limits of what is read back for one client.
const (
	// logWindow is how many entries are read from the store at a time.
	logWindow = 128
	// maxHistoryBytes keeps a history line below what readers of lines accept.
	maxHistoryBytes = 60 << 20
	// wholeBytes is the largest history that is rendered in memory.
	wholeBytes = 1 << 20
	// A snapshot and an answer to get_entries hold at most so much.
	defaultTail  = 200
	maxTail      = 2000
	maxTailBytes = 4 << 20
	// A client that is further behind gets a snapshot instead of events.
	maxBehind      = 10_000
	maxBehindBytes = 16 << 20
)

// shown is one history item with the entry it came from.
type shown struct {
	ordinal int64
	entryID string
	item    jsontext.Value
}

// backward yields the history items of a session's log before ordinal to,
// newest first, until yield returns false. rolledBack collects the inputs that
// are left out; it may be filled before.
func (p *Pod) backward(ctx context.Context, sessionID string, to int64, withID bool, rolledBack map[string]bool, yield func(shown) bool) error {
	for to > 0 {
		from := max(0, to-logWindow)
		entries, err := p.o.Store.Log(ctx, sessionID, from, to, 0)
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		for _, e := range slices.Backward(entries) {
			if id, ok := rolledBackID(e); ok {
				rolledBack[id] = true
			}
			if rolledBack[e.ID] {
				continue
			}
			v, ok, err := session.HistoryItem(e, withID)
			if err != nil {
				return err
			}
			if ok && !yield(shown{e.Ordinal, e.ID, v}) {
				return nil
			}
		}
		to = from
	}
	return nil
}

// rolledBackID is the input that an entry takes back.
func rolledBackID(e session.Entry) (string, bool) {
	if e.Kind != session.KindRolledBack {
		return "", false
	}
	payload, err := e.Decode()
	r, ok := payload.(session.RolledBack)
	return r.EntryID, ok && err == nil
}

// rolledBackAfter finds the inputs before ordinal that are taken back after
// it. Only what nothing was answered to can be taken back, so the search ends
// at the first entry of an answer or a run's end.
func (p *Pod) rolledBackAfter(ctx context.Context, sessionID string, ordinal, length int64) (map[string]bool, error) {
	found := map[string]bool{}
	for from := ordinal; from < length; from += logWindow {
		entries, err := p.o.Store.Log(ctx, sessionID, from, min(from+logWindow, length), 0)
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		for _, e := range entries {
			switch e.Kind {
			case session.KindInput, session.KindSystem:
			case session.KindRolledBack:
				id, _ := rolledBackID(e)
				found[id] = true
			default:
				return found, nil
			}
		}
	}
	return found, nil
}

// tail is the newest items before an ordinal, oldest first, within the limits
// of one answer; before names the oldest of them when there are older ones.
func (p *Pod) tail(ctx context.Context, sessionID string, to int64, most uint64, rolledBack map[string]bool) (items []jsontext.Value, before *string, err error) {
	var bytes int
	var oldest string
	err = p.backward(ctx, sessionID, to, true, rolledBack, func(s shown) bool {
		full := uint64(len(items)) >= most || len(items) > 0 && bytes+len(s.item) > maxTailBytes
		if full {
			if len(items) > 0 {
				before = &oldest
			}
			return false
		}
		items = append(items, s.item)
		bytes += len(s.item)
		oldest = s.entryID
		return true
	})
	slices.Reverse(items)
	return items, before, err
}

// writeEvent writes one line.
func writeEvent(w io.Writer, ev protocol.Event, extended bool) error {
	f, err := newFrame(ev)
	if err != nil {
		return err
	}
	if line := f.line(extended); line != nil {
		_, err = w.Write(line)
	}
	return err
}

// queueAnswer takes the position and queues the answer that is rendered from
// it: every event up to the position is in the answer, every later one comes
// behind it in the same queue.
func (p *Pod) queueAnswer(c *client, requestID string, render func(at position) func(context.Context, io.Writer) error) {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	answer := render(p.hub.view.position(p.contextLimit))
	name := c.name
	ok := c.push(item{answer: func(ctx context.Context, w io.Writer) error {
		err := answer(ctx, w)
		var refused refusal
		switch {
		case err == nil:
			return nil
		case errors.As(err, &refused):
			ev := protocol.Error{Code: protocol.CodeInternal, Message: refused.Error()}
			return writeEvent(w, protocol.Event{Data: ev, RequestID: requestID}, true)
		default:
			// Part of a line may have been written: this connection is of no use
			// any more.
			if ctx.Err() == nil {
				p.log.Error("answer a client", "client", name, "error", err)
			}
			return err
		}
	}})
	if _, joined := p.hub.clients[c]; !ok && joined {
		p.hub.drop(c)
	}
}

// refusal is an error that a client is told of, as nothing was written yet.
type refusal struct{ error }

func refuse(format string, args ...any) refusal {
	return refusal{fmt.Errorf("refused: "+format, args...)}
}

// answerHistory answers get_history.
func (p *Pod) answerHistory(c *client, requestID string) {
	p.queueAnswer(c, requestID, func(at position) func(context.Context, io.Writer) error {
		return func(ctx context.Context, w io.Writer) error { return p.writeHistory(ctx, w, at, requestID) }
	})
}

// writeHistory writes the history line: in one piece when it is small, else
// item by item, so that a reader that takes its time costs no memory.
func (p *Pod) writeHistory(ctx context.Context, w io.Writer, at position, requestID string) error {
	s := streamed{at: at, first: at.length, rolledBack: map[string]bool{}}
	var bytes int
	var items []jsontext.Value
	err := p.backward(ctx, at.sessionID.String(), at.length, false, s.rolledBack, func(i shown) bool {
		if bytes+len(i.item) > p.historyLimit {
			return false
		}
		bytes += len(i.item) + 1
		s.first = i.ordinal
		s.count++
		if items = append(items, i.item); bytes > wholeBytes {
			items = nil
		}
		return true
	})
	if err != nil {
		return refusal{err}
	}
	frame := protocol.Event{Data: protocol.History{Greeting: p.greeting()}, RequestID: requestID}
	if bytes <= wholeBytes && s.count == at.items {
		slices.Reverse(items)
		frame.Data = protocol.History{Items: items, Greeting: p.greeting()}
		return writeEvent(w, frame, true)
	}
	if s.empty, err = frame.Append(nil); err != nil {
		return err
	}
	return p.streamHistory(ctx, w, s)
}

// streamed is a history too large for memory: count items from ordinal first
// on, inside the line of an empty history.
type streamed struct {
	at         position
	first      int64
	count      uint64
	rolledBack map[string]bool
	empty      []byte
}

func (p *Pod) streamHistory(ctx context.Context, w io.Writer, s streamed) error {
	const opening = `{"event":"history","data":{"items":[`
	out := bufio.NewWriterSize(w, 64<<10)
	out.WriteString(opening)
	separator := ""
	add := func(v jsontext.Value) {
		out.WriteString(separator)
		out.Write(v)
		separator = ","
	}
	if older := s.at.items - min(s.at.items, s.count); older > 0 {
		note, err := session.SystemItem(fmt.Sprintf(
			"[This history is too long for one answer: %d older items are left out.]", older))
		if err != nil {
			return err
		}
		add(note)
	}
	for from := s.first; from < s.at.length; from += logWindow {
		entries, err := p.o.Store.Log(ctx, s.at.sessionID.String(), from, min(from+logWindow, s.at.length), 0)
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		for _, e := range entries {
			v, ok, err := session.HistoryItem(e, false)
			if err != nil {
				return err
			}
			if ok && !s.rolledBack[e.ID] {
				add(v)
			}
		}
	}
	out.Write(s.empty[len(opening):])
	out.WriteByte('\n')
	return out.Flush() // the first error of all the writes above
}
