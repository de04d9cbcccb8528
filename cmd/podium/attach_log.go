package main

import (
	"context"
	"errors"
	"time"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/tui"
)

// logFacts reads what the log of a session says from one entry to another
// besides its items.
func (a *app) logFacts(ctx context.Context, storeFile, sessionID, first, last string) (facts []tui.Fact, err error) {
	v, _, err := a.sessionView(storeFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	// The window around an entry says where in the log it is.
	w, err := v.EntryWindow(ctx, sessionID, session.EntryQuery{Around: first, Limit: 1})
	if err != nil {
		return nil, err
	}
	f := &factFold{}
	passed := false
	for w.After != "" || len(w.Entries) > 0 {
		for _, e := range w.Entries {
			if passed && begins(e.Kind) {
				return f.facts, nil
			}
			f.apply(e)
			passed = passed || e.ID == last
		}
		if w.After == "" {
			break
		}
		if w, err = v.EntryWindow(ctx, sessionID, session.EntryQuery{After: w.After, Limit: logWindow}); err != nil {
			return nil, err
		}
	}
	return f.facts, nil
}

// begins reports whether an entry is shown as something of its own; others
// belong to those before them.
func begins(k session.Kind) bool {
	switch k {
	case session.KindInput, session.KindSystem, session.KindText, session.KindReasoning, session.KindToolCall:
		return true
	default:
		return false
	}
}

// factFold makes facts of log entries.
type factFold struct {
	facts []tui.Fact
	// after is the newest entry that began something, before the one before it.
	after, before string
	// called is when the newest calls could begin.
	called time.Time
	// whole says that the run's begin was seen, began when that was.
	whole  bool
	began  time.Time
	turns  int
	totals session.Totals
}

// apply adds the next entry. One that cannot be read tells nothing.
func (f *factFold) apply(e session.Entry) {
	payload, err := e.Decode()
	if err != nil {
		return
	}
	// What a compaction copied is of runs before.
	if f.began.IsZero() && e.Seq > 0 && e.Kind != session.KindRunEnd && e.Kind != session.KindCompaction {
		f.began = e.CreatedAt
		f.whole = f.whole || e.Kind == session.KindInput
	}
	fact := tui.Fact{EntryID: e.ID, Seq: e.Seq, At: e.CreatedAt, After: f.after}
	switch d := payload.(type) {
	case session.Input:
		f.before, f.after = f.after, e.ID
		fact.Input = &tui.InputFact{Text: d.Text, Kind: d.Kind, Client: d.Client}
	case session.System, session.Text, session.Reasoning:
		f.after = e.ID
	case session.ToolCall:
		f.after = e.ID
	case session.TurnEnd:
		f.turns++
		f.called = e.CreatedAt
		f.totals.Add(d.Usage)
	case session.ToolResult:
		fact.Result = &tui.ResultFact{CallID: d.CallID}
		// Copies that a compaction made tell nothing of time.
		if e.Seq > 0 && !f.called.IsZero() {
			fact.Result.Took = e.CreatedAt.Sub(f.called)
		}
	case session.RolledBack:
		if d.EntryID == f.after {
			f.after = f.before
		}
	case session.RunEnd:
		fact.End = f.end(e, d)
	case session.Compaction:
		fact.Compacted = d.NewSession
	}
	if fact.Input != nil || fact.Result != nil || fact.End != nil || fact.Compacted != "" {
		f.facts = append(f.facts, fact)
	}
}

// end closes a run. Its last request may have failed or been broken off.
func (f *factFold) end(e session.Entry, d session.RunEnd) *tui.EndFact {
	if d.Usage != nil || d.Code == protocol.CodeProviderError {
		f.turns++
		f.totals.Add(d.Usage)
	}
	end := &tui.EndFact{
		Result: d.Result, Code: d.Code, Error: d.Error, Whole: f.whole, Requests: f.turns,
		In: f.totals.InputTokens - min(f.totals.InputTokens, f.totals.CacheReadTokens), Out: f.totals.OutputTokens,
		CostUSD: f.totals.CostUSD, CostPartial: f.totals.Partial,
	}
	if !f.began.IsZero() {
		end.Took = e.CreatedAt.Sub(f.began)
	}
	// What follows is another run, seen from its begin.
	f.began, f.whole, f.turns, f.totals = time.Time{}, true, 0, session.Totals{}
	return end
}

// spentBefore sums up what the sessions used that one was compacted from.
func (a *app) spentBefore(ctx context.Context, storeFile, sessionID string) (sum tui.Spent, err error) {
	v, _, err := a.sessionView(storeFile)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	lineage, err := v.Lineage(ctx, sessionID)
	if err != nil {
		return sum, err
	}
	for _, step := range lineage.CompactedFrom {
		w, err := v.EntryWindow(ctx, step.SessionID, session.EntryQuery{Limit: 1})
		if errors.Is(err, session.ErrNotFound) {
			sum.Partial = true // it was deleted
			continue
		}
		if err != nil {
			return sum, err
		}
		c := w.Counters
		if c == nil {
			continue
		}
		if c.InputTokens != nil {
			sum.In += *c.InputTokens - min(*c.InputTokens, c.CacheReadTokens)
		}
		if c.OutputTokens != nil {
			sum.Out += *c.OutputTokens
		}
		if c.CostUSD != nil {
			cost := *c.CostUSD
			if sum.CostUSD != nil {
				cost += *sum.CostUSD
			}
			sum.CostUSD = &cost
		}
		sum.Partial = sum.Partial || c.Unpriced > 0
	}
	return sum, nil
}
