package store

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strconv"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// walkStep is how many entries one read of a walk takes.
const walkStep = 200

// EntryWindow reads a window of a session's log. A session without a log here
// is read from its messages, each once, in order of time.
func (v *View) EntryWindow(ctx context.Context, id string, q session.EntryQuery) (w session.EntryWindow, err error) {
	found := false
	_, err = v.read(ctx, bounded, "read entries of session "+id, func(s *snap) error {
		l, err := s.openLog(id)
		if err != nil || l == nil {
			return err
		}
		found = true
		from, to, err := l.span(q)
		if err != nil {
			return err
		}
		w.Total = l.length()
		if w.Entries, err = l.entries(from, to, s.newBudget()); err != nil {
			return err
		}
		if _, own := l.(*ownLog); own {
			if err := s.ledger(id, &w); err != nil {
				return err
			}
		}
		n := len(w.Entries)
		if n == 0 && w.Total > 1 {
			// Behind the last or in front of the first: the way back begins there.
			w.Before, w.After = q.After, q.Before
		}
		if n > 0 {
			if first := w.Entries[0]; first.Ordinal > 0 {
				w.Before = first.ID
			}
			if last := w.Entries[n-1]; last.Ordinal < w.Total-1 {
				w.After = last.ID
			}
		}
		return nil
	})
	return w, orNotFound(err, found, "session", id)
}

// ledger reads what a session with its log here used, and which pod holds it.
func (s *snap) ledger(id string, w *session.EntryWindow) error {
	found, err := s.row(countersSQL, func(stmt *sqlite3.Stmt) error {
		c := scanCounters(stmt)
		w.Counters = &c
		return nil
	}, id)
	if err != nil || !found {
		return err
	}
	return s.each("SELECT coalesce(name, '') FROM pods WHERE session_id = ? AND ended_at IS NULL ORDER BY started_at DESC LIMIT 1", func(stmt *sqlite3.Stmt) error {
		w.Pod = stmt.ColumnText(0)
		return nil
	}, id)
}

// anyLog is a session's log, whichever tables hold it. Places count from 0.
type anyLog interface {
	length() int64
	// place finds an entry; missing ones are session.ErrStaleAnchor.
	place(entryID string) (int64, error)
	// entries reads from <= place < to in order, as far as the budget goes; the
	// first is always read.
	entries(from, to int64, b *budget) ([]session.Entry, error)
	span(q session.EntryQuery) (from, to int64, err error)
}

// openLog finds the log of a session, nil when there is no such session.
func (s *snap) openLog(id string) (anyLog, error) {
	n, err := s.integer("SELECT count(*) FROM sessions WHERE id = ?", id)
	if err != nil || n == 0 {
		return nil, err
	}
	ref, own, err := s.logOf(id)
	if err != nil {
		return nil, err
	}
	if own {
		return &ownLog{s, id, ref}, nil
	}
	l := &messageLog{s: s, session: id}
	if !s.facts.has("messages") {
		return l, nil
	}
	err = s.each("SELECT m.id FROM branches b JOIN progressions p ON p.id = b.progression_id CROSS JOIN json_each("+safeCollection+
		") AS member CROSS JOIN messages m ON m.id = member.value WHERE b.session_id = ? GROUP BY m.id ORDER BY m.created_at, m.id",
		func(stmt *sqlite3.Stmt) error {
			l.ids = append(l.ids, stmt.ColumnText(0))
			return nil
		}, id)
	return l, err
}

// spanOf turns a query into places of a log.
func spanOf(l anyLog, q session.EntryQuery) (from, to int64, err error) {
	limit, end := int64(q.Limit), l.length()
	switch {
	case q.From != nil:
		from = min(*q.From, end)
		return from, min(end, from+limit), nil
	case q.Before != "":
		if to, err = l.place(q.Before); err != nil {
			return 0, 0, err
		}
		return max(0, to-limit), to, nil
	case q.After != "":
		at, err := l.place(q.After)
		return at + 1, min(end, at+1+limit), err
	case q.Around != "":
		at, err := l.place(q.Around)
		from = max(0, at-limit/2)
		return from, min(end, from+limit), err
	default:
		return max(0, end-limit), end, nil
	}
}

// ownLog is a log in our tables.
type ownLog struct {
	s       *snap
	session string
	ref     logRef
}

func (l *ownLog) length() int64 { return l.ref.entries }

func (l *ownLog) span(q session.EntryQuery) (int64, int64, error) { return spanOf(l, q) }

func (l *ownLog) place(entryID string) (int64, error) {
	at, found, err := l.s.ordinalOf(l.ref.key, entryID)
	if err == nil && !found {
		err = session.ErrStaleAnchor
	}
	return at, err
}

func (l *ownLog) entries(from, to int64, b *budget) (out []session.Entry, err error) {
	err = l.s.each("SELECT "+fullEntry+" FROM entries WHERE log_key = ?2 AND ordinal >= ?3 AND ordinal < ?4 ORDER BY ordinal", func(stmt *sqlite3.Stmt) error {
		held, err := scanHeld(stmt, l.session)
		if err != nil {
			return err
		}
		size := held.size
		if held.withheld {
			held.Payload, size = withheldCall(held.size, held.Payload), 0
		}
		if !b.admits(size) && out != nil {
			return errStop
		}
		out = append(out, held.Entry)
		return nil
	}, maxContent, l.ref.key, from, to)
	return out, err
}

// withheldCall is withheldPayload with the call that the entry belongs to, if
// kept names one.
func withheldCall(size int64, kept json.RawMessage) json.RawMessage {
	var call struct {
		ID string `json:"call_id"`
	}
	if err := json.Unmarshal(kept, &call); err != nil || call.ID == "" {
		return withheldPayload(size)
	}
	id, err := json.Marshal(call.ID)
	if err != nil {
		return withheldPayload(size)
	}
	return json.RawMessage(`{"withheld":true,"size":` + strconv.FormatInt(size, 10) + `,"call_id":` + string(id) + `}`)
}

// withheldPayload stands for a payload too large for a window; size is in
// characters.
func withheldPayload(size int64) json.RawMessage {
	return json.RawMessage(`{"withheld":true,"size":` + strconv.FormatInt(size, 10) + `}`)
}

// messageLog is the log that the messages of another program's session make.
type messageLog struct {
	s       *snap
	session string
	ids     []string
}

func (l *messageLog) length() int64 { return int64(len(l.ids)) }

func (l *messageLog) span(q session.EntryQuery) (int64, int64, error) { return spanOf(l, q) }

func (l *messageLog) place(entryID string) (int64, error) {
	at := slices.Index(l.ids, entryID)
	if at < 0 {
		return 0, session.ErrStaleAnchor
	}
	return int64(at), nil
}

func (l *messageLog) entries(from, to int64, b *budget) (out []session.Entry, err error) {
	from, to = min(from, l.length()), min(to, l.length())
	wanted := l.ids[from:max(from, to)]
	// Paid from the front here: a window is read on from its last entry.
	sizes, err := l.s.messageSizes(wanted)
	if err != nil {
		return nil, err
	}
	for i, id := range wanted {
		size := sizes[id]
		if size > maxContent {
			size = 0
		}
		if !b.admits(size) && i > 0 {
			wanted = wanted[:i]
			break
		}
	}
	messages, _, err := l.s.hydrate(wanted, l.s.newBudget())
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		e := session.EntryOf(m, l.session, from+int64(slices.Index(wanted, m.ID)))
		if m.Withheld {
			e.Payload = withheldPayload(sizes[m.ID])
		}
		out = append(out, e)
	}
	return out, nil
}

// WalkLog yields a session's whole log in order. Every step is a read of its
// own, so that a slow consumer holds no snapshot; payloads come whole.
func (v *View) WalkLog(ctx context.Context, id string) iter.Seq2[session.Entry, error] {
	return func(yield func(session.Entry, error) bool) {
		for from := int64(0); ; {
			var part []session.Entry
			var end int64
			found := false
			_, err := v.read(ctx, bounded, "read log of session "+id, func(s *snap) error {
				l, err := s.openLog(id)
				if err != nil || l == nil {
					return err
				}
				found, end = true, l.length()
				if own, ok := l.(*ownLog); ok {
					part, err = own.whole(from, min(from+walkStep, end))
				} else {
					part, err = l.entries(from, min(from+walkStep, end), s.newBudget())
				}
				return err
			})
			if err = orNotFound(err, found, "session", id); err != nil {
				yield(session.Entry{}, err)
				return
			}
			for _, e := range part {
				if !yield(e, nil) {
					return
				}
			}
			from += int64(len(part))
			if len(part) == 0 || from >= end {
				return
			}
		}
	}
}

// whole reads entries with their payloads however long, as many as one budget
// allows and at least one.
func (l *ownLog) whole(from, to int64) (out []session.Entry, err error) {
	b := l.s.newBudget()
	err = l.s.each("SELECT "+entryColumns+" FROM entries WHERE log_key = ? AND ordinal >= ? AND ordinal < ? ORDER BY ordinal", func(stmt *sqlite3.Stmt) error {
		e, err := scanEntry(stmt, l.session)
		if err != nil {
			return err
		}
		if !b.admits(int64(len(e.Payload))) && out != nil {
			return errStop
		}
		out = append(out, e)
		return nil
	}, l.ref.key, from, to)
	return out, err
}

// maxChain is how many compactions a lineage follows in one direction.
const maxChain = 1000

// Lineage reads the sessions that one was compacted from and continued in,
// oldest first. A store of lionagi's has none.
func (v *View) Lineage(ctx context.Context, id string) (l session.Lineage, err error) {
	found := false
	_, err = v.read(ctx, bounded, "read lineage of session "+id, func(s *snap) error {
		n, err := s.integer("SELECT count(*) FROM sessions WHERE id = ?", id)
		if err != nil || n == 0 {
			return err
		}
		found = true
		if l.Imported, err = s.importedLineage(id); err != nil || !s.facts.has("lineage") {
			return err
		}
		back, err := s.chain(id, `SELECT l.compacted_from, (SELECT name FROM sessions x WHERE x.id = l.compacted_from), l.created_at, l.tokens_before, l.tokens_after, l.cost_usd
			FROM lineage l WHERE l.session_id = ?`)
		if err != nil {
			return err
		}
		slices.Reverse(back)
		l.CompactedFrom = back
		l.ContinuedIn, err = s.chain(id, `SELECT l.session_id, (SELECT name FROM sessions x WHERE x.id = l.session_id), l.created_at, l.tokens_before, l.tokens_after, l.cost_usd
			FROM lineage l WHERE l.compacted_from = ? ORDER BY l.created_at, l.session_id`)
		return err
	})
	return l, orNotFound(err, found, "session", id)
}

// chain follows one direction from session to session.
func (s *snap) chain(id, sql string) (steps []session.LineageStep, err error) {
	seen := map[string]bool{id: true}
	for len(steps) < maxChain {
		var next session.LineageStep
		found, err := s.row(sql, func(stmt *sqlite3.Stmt) error {
			next = session.LineageStep{
				SessionID: stmt.ColumnText(0), Name: optionalText(stmt, 1), At: optionalNumber(stmt, 2),
				TokensBefore: optionalWhole(stmt, 3), TokensAfter: optionalWhole(stmt, 4), CostUSD: optionalNumber(stmt, 5),
			}
			return nil
		}, id)
		if err != nil || !found || seen[next.SessionID] {
			return steps, err
		}
		steps = append(steps, next)
		id = next.SessionID
		seen[id] = true
	}
	return steps, nil
}
