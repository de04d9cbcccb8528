package store

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// logRef is a session's log and its counters.
type logRef struct {
	key, entries, messages int64
}

// logOf finds the log of a session that has its entries here.
func (s *snap) logOf(id string) (ref logRef, found bool, err error) {
	if !s.facts.has("logs") {
		return ref, false, nil
	}
	found, err = s.row("SELECT log_key, entries, messages FROM logs WHERE session_id = ?", func(stmt *sqlite3.Stmt) error {
		ref = logRef{stmt.ColumnInt64(0), stmt.ColumnInt64(1), stmt.ColumnInt64(2)}
		return nil
	}, id)
	return ref, found, err
}

// messageKinds is the SQL list of the kinds that are messages.
const messageKinds = "('input', 'system', 'text', 'reasoning', 'tool_call', 'tool_result')"

// fullEntry selects what scanEntry reads; parameter 1 is the length beyond
// which a payload is withheld, and the column after the entry says whether it
// was. Of a withheld call or result the call id stays.
const fullEntry = `ordinal, entry_id, kind, created_at,
	CASE WHEN length(payload) <= ?1 THEN payload ELSE json_object('call_id', substr(payload ->> '$.call_id', 1, 256)) END,
	(SELECT pod_id FROM pods WHERE pods.pod_key = entries.pod_key), seq, length(payload) > ?1, length(payload)`

// heldEntry is an entry with the size of its payload.
type heldEntry struct {
	session.Entry
	withheld bool
	size     int64 // characters
}

func scanHeld(stmt *sqlite3.Stmt, id string) (heldEntry, error) {
	e, err := scanEntry(stmt, id)
	return heldEntry{Entry: e, withheld: stmt.ColumnBool(7), size: stmt.ColumnInt64(8)}, err
}

// logDetail fills the one branch of a session that has its entries here.
func (s *snap) logDetail(d *session.Detail, log logRef, w session.Window) error {
	branch := &d.Branches[0]
	d.NextAnchors = make(map[string]string)
	branch.Total = log.messages
	next, err := s.logWindow(branch, d.ID, log, w)
	if err != nil {
		return err
	}
	if next != "" {
		d.NextAnchors[branch.ID] = next
	}
	t, err := s.tollOf(log)
	if err != nil {
		return err
	}
	branch.MessageCount, branch.Roles, branch.FirstAt, branch.LastAt = log.messages, maps.Clone(t.roles), t.first, t.last
	d.Stats = session.Stats{
		MessageCount: log.messages, Roles: maps.Clone(t.roles), ToolCallCount: t.calls, Errors: slices.Clone(t.errors),
		Files: slices.Clone(t.files), Bounded: t.bounded, FilesBounded: t.filesBounded,
	}
	return nil
}

// logWindow reads the window of messages and the anchor of the next older one.
func (s *snap) logWindow(branch *session.Branch, id string, log logRef, w session.Window) (next string, err error) {
	end, skip := log.entries, w.Offset
	current := ""
	if w.Anchors != nil {
		var given bool
		if current, given = w.Anchors[branch.ID]; !given {
			return "", nil
		}
		skip = 0
		if current != session.NewestAnchor {
			ordinal, found, err := s.ordinalOf(log.key, current)
			if err != nil {
				return "", err
			}
			if !found {
				return "", &session.AnchorError{Branch: branch.ID}
			}
			end = ordinal
		}
	}
	var held []heldEntry // newest first
	err = s.each("SELECT "+fullEntry+" FROM entries WHERE log_key = ?2 AND ordinal < ?3 AND kind IN "+messageKinds+" ORDER BY ordinal DESC LIMIT ?4 OFFSET ?5",
		func(stmt *sqlite3.Stmt) error {
			e, err := scanHeld(stmt, id)
			held = append(held, e)
			return err
		}, maxContent, log.key, end, w.Limit+1, skip)
	if err != nil {
		return "", err
	}
	if branch.HasOlder = len(held) > w.Limit; branch.HasOlder {
		held = held[:w.Limit]
	}
	b := s.newBudget()
	paid := len(held)
	for i, e := range held {
		size := e.size
		if e.withheld {
			size = 0
		}
		if !b.admits(size) {
			paid, branch.HasOlder = i, true
			break
		}
	}
	held = held[:paid]
	branch.Messages = shownMessages(held)
	switch {
	case !branch.HasOlder:
	case len(branch.Messages) > 0:
		next = branch.Messages[0].ID
	case current != "":
		next = current
	default:
		next = session.NewestAnchor
	}
	return next, nil
}

// shownMessages turns entries, newest first, into messages, oldest first.
func shownMessages(held []heldEntry) []session.Message {
	entries := make([]session.Entry, len(held))
	withheld := make(map[string]bool)
	for i, e := range held {
		entries[len(held)-1-i] = e.Entry
		if e.withheld {
			withheld[e.ID] = true
		}
	}
	messages := session.MessagesOf(entries)
	for i := range messages {
		m := &messages[i]
		if !withheld[m.ID] {
			continue
		}
		var links struct {
			Request  string `json:"action_request_id"`
			Response string `json:"action_response_id"`
		}
		if m.Content != nil {
			_ = json.Unmarshal([]byte(*m.Content), &links) // made by us, two texts or null
		}
		m.Content, m.Withheld, m.ActionRequestID, m.ActionResponseID = nil, true, links.Request, links.Response
	}
	return messages
}

// ordinalOf is the place of an entry in a log.
func (s *snap) ordinalOf(logKey int64, entryID string) (ordinal int64, found bool, err error) {
	found, err = s.row("SELECT ordinal FROM entries WHERE entry_id = ? AND log_key = ?", func(stmt *sqlite3.Stmt) error {
		ordinal = stmt.ColumnInt64(0)
		return nil
	}, entryKey(entryID), logKey)
	return ordinal, found, err
}

// toll is what a pass over a log counted. A log only grows, so a toll stays
// true for the length it was taken at.
type toll struct {
	roles        map[string]int64
	calls        int64
	errors       []session.ToolError
	files        []string
	bounded      bool
	filesBounded bool
	first, last  *float64
}

type tollKey struct{ log, entries int64 }

// maxTolls is how many tolls are kept.
const maxTolls = 64

// tollOf counts a log's newest entries, or takes what was counted at the same
// length.
func (s *snap) tollOf(log logRef) (toll, error) {
	key := tollKey{log.key, log.entries}
	s.opened.mu.Lock()
	t, ok := s.opened.toll[key]
	s.opened.mu.Unlock()
	if ok {
		return t, nil
	}
	t, err := s.takeToll(log)
	if err != nil {
		return t, err
	}
	s.opened.mu.Lock()
	defer s.opened.mu.Unlock()
	if len(s.opened.toll) >= maxTolls {
		clear(s.opened.toll)
	}
	s.opened.toll[key] = t
	return t, nil
}

// takeToll reads kinds, and of the payloads only those of calls and of results
// that say they failed.
func (s *snap) takeToll(log logRef) (t toll, err error) {
	t.roles = make(map[string]int64)
	u := &fileUnion{paths: make(map[string]bool)}
	names := make(map[string]string) // call id -> tool
	type failure struct {
		callID string
		e      session.ToolError
	}
	var failures []failure // newest first
	actions, errorBytes := 0, 0
	err = s.each(`SELECT kind, created_at, CASE WHEN kind = 'tool_call' OR kind = 'tool_result' AND instr(payload, '"is_error":true') > 0
		THEN CASE WHEN length(payload) <= ?1 THEN payload ELSE '' END END FROM entries WHERE log_key = ?2 ORDER BY ordinal DESC LIMIT ?3`,
		func(stmt *sqlite3.Stmt) error {
			kind := session.Kind(stmt.ColumnText(0))
			if role := session.RoleOf(kind); role != "" {
				t.roles[role]++
			}
			if kind == session.KindToolCall {
				t.calls++
			}
			if stmt.ColumnType(2) == sqlite3.NULL {
				return nil
			}
			payload := stmt.ColumnText(2)
			actions++
			if payload == "" || actions > maxActions {
				t.bounded, u.omitted = true, u.omitted || kind == session.KindToolCall
				return nil
			}
			if kind == session.KindToolCall {
				noteCall(u, names, payload)
				return nil
			}
			var p session.ToolResult
			if json.Unmarshal([]byte(payload), &p) != nil || !p.IsError {
				return nil
			}
			output := p.Output()
			if errorBytes += len(output); errorBytes > maxErrorBytes {
				t.bounded = true
				return nil
			}
			failures = append(failures, failure{p.CallID, session.ToolError{At: optionalNumber(stmt, 1), Output: output}})
			return nil
		}, maxContent, log.key, maxRows)
	if err != nil {
		return t, err
	}
	for _, f := range slices.Backward(failures) {
		f.e.Function = names[f.callID]
		t.errors = append(t.errors, f.e)
	}
	cut := log.entries > maxRows
	t.files, t.filesBounded = u.sorted(), u.full() || u.omitted || cut
	t.bounded = t.bounded || cut
	for _, end := range []struct {
		order string
		to    **float64
	}{{"", &t.first}, {" DESC", &t.last}} {
		_, err := s.row("SELECT created_at FROM entries WHERE log_key = ? AND kind IN "+messageKinds+" ORDER BY ordinal"+end.order, func(stmt *sqlite3.Stmt) error {
			*end.to = optionalNumber(stmt, 0)
			return nil
		}, log.key)
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// noteCall remembers a call's tool and the file it is about.
func noteCall(u *fileUnion, names map[string]string, payload string) {
	var p session.ToolCall
	if json.Unmarshal([]byte(payload), &p) != nil {
		return
	}
	names[p.CallID] = p.Name
	var args struct {
		FilePath string `json:"file_path"`
		Path     string `json:"path"`
	}
	if json.Unmarshal(p.Arguments, &args) == nil {
		u.add(session.TouchedFile(p.Name, args.FilePath, args.Path))
	}
}
