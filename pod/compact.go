package pod

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// headroom is the share of the size that made a compaction necessary which
// the new context may take at most, in percent.
const headroom = 70

// maxFailures and maxIneffective are how many automatic compactions in a row
// may fail, or leave the context as full as it was, before they stop.
const (
	maxFailures    = 3
	maxIneffective = 2
)

// Errors whose texts people see.
var (
	errNothingToCompact = errors.New("nothing left to compact")
	errThrash           = errors.New("compaction thrash: context still exceeds threshold immediately after compact")
)

// compactor is what the pod remembers of its compactions. It belongs to the
// run's goroutine during a run and to the controller between runs.
type compactor struct {
	failures    int
	ineffective int
	off         bool
	// after is the threshold that the first measured request after a compaction
	// between runs is compared with; 0 when there is none to compare.
	after int64
}

// compaction is one compaction: what it is made from, by what it is judged,
// and the state the pod goes back to.
type compaction struct {
	p    *Pod
	hist *session.History
	// judged is the size whose headroom share the new context must fit into.
	judged int64
	phase  session.Phase
	state  protocol.PodState
	run    *runMark
	// failed opens the notification of a failure, with its level.
	failed string
	level  protocol.NotificationLevel
	// settled, which may be nil, is given the outcome when it is in force and
	// nobody was told of it yet; it must not wait.
	settled func(error)
}

// occupancy is the tokens that the next request would take.
func (p *Pod) occupancy(h *session.History) int64 { return h.Occupancy(p.promptTokens()) }

// promptTokens estimates the system prompt and the tools.
func (p *Pod) promptTokens() int64 {
	bytes := len(p.system)
	for _, s := range p.toolSpecs {
		bytes += len(s.Name) + len(s.Description) + len(s.Schema)
	}
	return int64(bytes) / 4
}

// announce puts the pod into the state compacting and says so.
func (c *compaction) announce(patience time.Duration) error {
	start := protocol.Event{Data: protocol.CompactStart{}}
	view := func(v *view) { v.state = protocol.StateCompacting }
	_, err := c.p.record(step{
		phase: session.PhaseCompacting, run: c.run, view: view, after: []protocol.Event{start}, patience: patience,
	})
	if err != nil {
		// Said all the same, as its failure is.
		c.p.hub.update(view, start)
	}
	c.p.writeStatus()
	return err
}

// prepared is a new session that is ready to be moved to, or why there is
// none. The usage counts in both cases.
type prepared struct {
	entries []session.NewEntry
	tokens  int64
	usage   *session.Usage
	err     error
}

// prepare summarises and judges; nothing is committed yet. A cancelled
// context is errStopped.
func (c *compaction) prepare(ctx context.Context) (r prepared) {
	r.err = c.attempt(ctx, &r)
	if ctx.Err() != nil {
		r.err = errStopped
	}
	return r
}

func (c *compaction) attempt(ctx context.Context, r *prepared) error {
	items := c.hist.Items()
	overhead := c.overhead(items)
	limit := c.judged * headroom / 100
	if len(items) == 0 || overhead >= limit {
		return errNothingToCompact
	}
	cut := c.cut(items)
	summary, err := c.p.summarise(ctx, items[:cut])
	r.usage = summary.usage
	if err != nil {
		return err
	}
	if r.entries, err = c.successor(ctx, summary, items, cut); err != nil {
		return err
	}
	tokens, err := tokensOf(r.entries)
	if err != nil {
		return err
	}
	if r.tokens = overhead + tokens; r.tokens > limit {
		return fmt.Errorf("the compacted context would still hold %d tokens, more than %d", r.tokens, limit)
	}
	return nil
}

// settle commits and announces the one outcome: the move to the new session,
// or the failure. The error is the one that was announced.
func (c *compaction) settle(r prepared) error {
	err := r.err
	if err == nil {
		err = c.move(r)
	}
	if err != nil {
		c.fail(err, r.usage)
	}
	c.p.writeStatus()
	return err
}

// overhead is what requests carry besides the conversation: measured if there
// was a request, else estimated.
func (c *compaction) overhead(items []session.Item) int64 {
	if m := c.hist.Measured(); m.Items > 0 {
		return max(0, m.Tokens-session.Tokens(items[:m.Items]))
	}
	return c.p.promptTokens()
}

// cut is where the tail begins that is kept word for word. When that would be
// everything, everything is summarised; an answer whose calls still wait to
// run is kept whatever its size.
func (c *compaction) cut(items []session.Item) int {
	cut := session.Cut(items, c.p.o.Compaction.Retained)
	if cut == 0 {
		cut = len(items)
	}
	calls, _ := c.hist.OpenCalls()
	if len(calls) == 0 {
		return cut
	}
	open := len(items)
	for open > 0 && (items[open-1].Role == session.RoleAssistant || items[open-1].Kind == session.KindToolResult) {
		open--
	}
	return min(cut, open)
}

// successor is the log of the new session: the summary, the task that is
// open, files to have at hand, and the tail.
func (c *compaction) successor(ctx context.Context, s summary, items []session.Item, cut int) ([]session.NewEntry, error) {
	entries := []session.NewEntry{systemEntry("[Compacted context summary]\n\n" + s.text)}
	if task, ok := c.hist.OpenTask(c.run != nil); ok {
		entries = append(entries, systemEntry("[Open task]\n\n"+session.Clip(task, maxOpenTask)))
	}
	for _, f := range s.files {
		entries = append(entries, systemEntry("[Auto-read file: "+f.name+"]\n"+f.text))
	}
	if len(s.references) > 0 {
		text := "[Referenced files, to be read when they are needed]"
		for _, path := range s.references {
			text += "\n- " + path
		}
		entries = append(entries, systemEntry(text))
	}
	if cut == len(items) {
		return entries, nil
	}
	kept := map[string]bool{}
	for _, i := range items[cut:] {
		kept[i.EntryID] = true
	}
	tail, err := c.p.o.Store.Log(ctx, c.p.sessionID(), items[cut].Ordinal, c.hist.Length(), 0)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	for _, e := range tail {
		copied := session.NewEntry{ID: protocol.NewEntryID(), Kind: e.Kind, Payload: e.Payload}
		switch {
		case e.Kind == session.KindTurnEnd:
			// It says which answers are complete; what they cost stays where it was
			// paid.
			payload, err := e.Decode()
			if err != nil {
				return nil, err
			}
			end, _ := payload.(session.TurnEnd)
			end.Usage = nil
			copied.Payload = end
		case !kept[e.ID]:
			continue
		}
		entries = append(entries, copied)
	}
	return entries, nil
}

// maxOpenTask is how much of a request stands in the new session again, in
// bytes.
const maxOpenTask = 4 << 10

// tokensOf estimates what a model is given of the entries.
func tokensOf(entries []session.NewEntry) (int64, error) {
	h := &session.History{}
	for _, e := range entries {
		payload, err := json.Marshal(e.Payload)
		if err != nil {
			return 0, fmt.Errorf("estimate the new context: %w", err)
		}
		if err := h.Apply(session.Entry{ID: e.ID, Kind: e.Kind, Payload: payload}); err != nil {
			return 0, err
		}
	}
	return session.Tokens(h.Items()), nil
}

// move commits the new session in one transaction; compact_done is published
// when it is the pod's.
func (c *compaction) move(r prepared) error {
	p := c.p
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	next := protocol.NewSessionID()
	done := session.Compaction{
		FromSession: p.mark.Session, NewSession: next.String(),
		TokensBefore: p.occupancy(c.hist), TokensAfter: r.tokens, Turns: p.mark.Turns,
	}
	if r.usage != nil {
		done.CostUSD = r.usage.CostUSD
	}
	mark := bookmark{Session: next.String(), Turns: p.mark.Turns, Context: uint64(r.tokens), Name: p.mark.Name, Run: c.run, Ended: p.mark.Ended}
	for _, e := range r.entries {
		mark.Length++
		if e.Kind != session.KindTurnEnd {
			mark.Items++
		}
	}
	mark.Length++ // the compaction entry
	encoded, err := json.Marshal(mark)
	if err != nil {
		return fmt.Errorf("write the bookmark: %w", err)
	}
	var written []session.Entry
	err = p.patiently(func(ctx context.Context) (err error) {
		written, err = p.o.Store.Continue(ctx, session.Continuation{
			PodID: p.id, FromSession: p.mark.Session, NewSession: next.String(), At: p.o.Now(), Head: c.hist.Length(),
			Entries: r.entries,
			Done:    session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindCompaction, Payload: done},
			Usage:   r.usage, Name: p.mark.Name, Phase: c.phase, Bookmark: encoded,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("save the compacted session: %w", err)
	}
	p.mark = mark
	events, err := p.events(written[len(written)-1:], 0)
	if err != nil {
		return err
	}
	p.hub.update(func(v *view) {
		v.state, v.sessionID = c.state, next
		v.seq = max(v.seq, written[len(written)-1].Seq)
		v.length, v.items, v.totals, v.context = mark.Length, mark.Items, mark.Totals, mark.Context
		c.over(nil)
	}, events...)
	p.log.Info("compacted", "from", done.FromSession, "to", done.NewSession, "tokens_before", done.TokensBefore, "tokens_after", r.tokens)
	return nil
}

// fail announces that the compaction failed and goes back to the session as
// it is. A cancel is no failure that people must hear of beside the event.
func (c *compaction) fail(err error, spent *session.Usage) {
	text := failureText(err)
	events := []protocol.Event{{Data: protocol.CompactFailed{Error: text}}}
	var notices []*frame
	if !errors.Is(err, errStopped) {
		n := protocol.Notification{
			Level: c.level, Source: protocol.SourceCompactor, Message: c.failed + ": " + text, TimestampMS: c.p.o.Now().UnixMilli(),
		}
		c.p.log.Warn(n.Message)
		events = append(events, protocol.Event{Data: n})
		notices = c.p.hub.notice(n)
	}
	view := func(v *view) {
		v.state = c.state
		c.p.hub.keep(notices)
		c.over(err)
	}
	if _, unsaved := c.p.record(step{
		phase: c.phase, run: c.run, usage: spent, summaryUsage: true, view: view, after: events,
	}); unsaved != nil {
		c.p.log.Error("save the end of a compaction", "error", unsaved)
		c.p.hub.update(view, events...)
	}
}

// over hands the outcome on.
func (c *compaction) over(err error) {
	if c.settled != nil {
		c.settled(err)
	}
}

func failureText(err error) string {
	if errors.Is(err, errStopped) {
		return session.Cancelled
	}
	return err.Error()
}

// count notes the outcome of a compaction that nobody asked for.
func (k *compactor) count(p *Pod, err error) {
	switch {
	case err == nil:
		k.failures = 0
	case errors.Is(err, errStopped):
	default:
		if k.failures++; k.failures == maxFailures && !k.off {
			k.switchOff(p, fmt.Sprintf("it failed %d times in a row", maxFailures))
		}
	}
}

// measured compares the first measured request after a compaction between
// runs with the threshold that had fired.
func (k *compactor) measured(p *Pod, u *session.Usage) {
	if k.after == 0 || u == nil || u.InputTokens == nil {
		return
	}
	if *u.InputTokens <= k.after {
		k.ineffective = 0
	} else if k.ineffective++; k.ineffective == maxIneffective && !k.off {
		k.switchOff(p, fmt.Sprintf("%d in a row left the context above its threshold", maxIneffective))
	}
	k.after = 0
}

// CompactionOff begins the notification of the compactor that it will not
// compact by itself any more.
const CompactionOff = "automatic compaction is switched off"

func (k *compactor) switchOff(p *Pod, why string) {
	k.off = true
	p.hub.notify(protocol.Notification{
		Level: protocol.LevelWarn, Source: protocol.SourceCompactor,
		Message: CompactionOff + " until the pod is restarted: " + why,
	})
}
