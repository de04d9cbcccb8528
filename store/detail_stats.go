package store

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Ceilings of the statistics over a session's tool calls.
const (
	maxActions    = 20_000 // calls and results looked into, newest first
	maxFiles      = 5_000
	maxFileBytes  = 1 << 20
	maxFileRows   = 200_000
	maxErrorBytes = 1 << 20 // of error outputs, for sessions with a log
)

// actionTypes are the type ids of calls and results, with true for calls.
func (s *snap) actionTypes() (map[int64]bool, error) {
	types := make(map[int64]bool)
	if !s.facts.has("message_types") || !s.facts.has("messages") {
		return types, nil
	}
	err := s.each("SELECT type_id, lion_class FROM message_types", func(stmt *sqlite3.Stmt) error {
		switch shortClass(stmt.ColumnText(1)) {
		case session.ClassActionRequest:
			types[stmt.ColumnInt64(0)] = true
		case session.ClassActionResponse:
			types[stmt.ColumnInt64(0)] = false
		}
		return nil
	})
	return types, err
}

// shortClass is a class name without the path in front of it.
func shortClass(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// progressionStats counts all messages of the branches, whatever the window.
func (s *snap) progressionStats(d *session.Detail, ids [][]string, b *budget) error {
	d.Stats.Roles = make(map[string]int64)
	types, err := s.actionTypes()
	if err != nil {
		return err
	}
	actions, err := s.newestActions(d, ids, types, b)
	if err != nil {
		return err
	}
	files := &fileUnion{paths: make(map[string]bool)}
	for i := range d.Branches {
		branch := &d.Branches[i]
		if err := s.countRoles(branch, ids[i]); err != nil {
			return err
		}
		d.Stats.MessageCount += branch.MessageCount
		for role, n := range branch.Roles {
			d.Stats.Roles[role] += n
		}
		countActions(&d.Stats, actions, ids[i])
		if err := s.touchedFiles(files, ids[i], types); err != nil {
			return err
		}
	}
	d.Stats.Files, d.Stats.FilesBounded = files.sorted(), files.full() || files.omitted
	return nil
}

// countRoles counts the messages of a branch that exist, by role, and finds
// the first and the last of them.
func (s *snap) countRoles(branch *session.Branch, ids []string) error {
	if len(ids) == 0 || !s.facts.has("messages") {
		return nil
	}
	param, err := list(ids)
	if err != nil {
		return err
	}
	return s.each(`SELECT m.role, count(*), min(m.created_at), max(m.created_at) FROM json_each(?) AS ids CROSS JOIN messages m ON m.id = ids.value GROUP BY m.role`,
		func(stmt *sqlite3.Stmt) error {
			if role := stmt.ColumnText(0); role != "" {
				n := stmt.ColumnInt64(1)
				branch.Roles[role] = n
				branch.MessageCount += n
			}
			if first := optionalNumber(stmt, 2); branch.FirstAt == nil || first != nil && *first < *branch.FirstAt {
				branch.FirstAt = first
			}
			if last := optionalNumber(stmt, 3); branch.LastAt == nil || last != nil && *last > *branch.LastAt {
				branch.LastAt = last
			}
			return nil
		}, param)
}

// newestActions reads the newest calls and results of all branches, by id.
func (s *snap) newestActions(d *session.Detail, ids [][]string, types map[int64]bool, b *budget) (map[string]session.Message, error) {
	if len(types) == 0 {
		return nil, nil
	}
	any := slices.ContainsFunc(ids, func(branch []string) bool { return len(branch) > 0 })
	if b.spent {
		d.Stats.Bounded = any
		return nil, nil
	}
	typeParam, err := list(sortedTypes(types))
	if err != nil {
		return nil, err
	}
	type key struct {
		at float64
		id string
	}
	var keys []key
	for _, branch := range ids {
		param, err := list(branch)
		if err != nil {
			return nil, err
		}
		err = s.each(`SELECT m.id, m.created_at FROM json_each(?) AS ids CROSS JOIN messages m ON m.id = ids.value WHERE +m.lion_class IN (SELECT value FROM json_each(?))`,
			func(stmt *sqlite3.Stmt) error {
				keys = append(keys, key{stmt.ColumnFloat(1), stmt.ColumnText(0)})
				return nil
			}, param, typeParam)
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	if len(keys) > maxActions {
		keys, d.Stats.Bounded = keys[len(keys)-maxActions:], true
	}
	wanted := make([]string, len(keys))
	for i, k := range keys {
		wanted[i] = k.id
	}
	messages, _, err := s.hydrate(wanted, b)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]session.Message, len(messages))
	for _, m := range messages {
		byID[m.ID] = m
		d.Stats.Bounded = d.Stats.Bounded || m.Withheld
	}
	d.Stats.Bounded = d.Stats.Bounded || len(messages) < len(wanted)
	return byID, nil
}

func sortedTypes(types map[int64]bool) []int64 {
	out := make([]int64, 0, len(types))
	for id := range types {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// actionContent is what statistics read of a call or result.
type actionContent struct {
	Function   string          `json:"function"`
	ResponseID string          `json:"action_response_id"`
	Output     json.RawMessage `json:"output"`
}

// countActions counts the calls of one branch and finds those that failed.
func countActions(stats *session.Stats, actions map[string]session.Message, ids []string) {
	here := make(map[string]bool, len(ids))
	for _, id := range ids {
		here[id] = true
	}
	for _, id := range ids {
		m, ok := actions[id]
		if !ok || shortClass(m.Class) != session.ClassActionRequest {
			continue
		}
		stats.ToolCallCount++
		call := contentOf(m)
		result, ok := actions[call.ResponseID]
		if !ok || !here[call.ResponseID] || shortClass(result.Class) != session.ClassActionResponse {
			continue
		}
		output := outputText(contentOf(result).Output)
		if session.OutputFailed(output) {
			at := m.At
			stats.Errors = append(stats.Errors, session.ToolError{Function: call.Function, Sender: m.Sender, At: &at, Output: output})
		}
	}
}

func contentOf(m session.Message) (c actionContent) {
	if m.Content != nil {
		_ = json.Unmarshal([]byte(*m.Content), &c) // what cannot be read counts as empty
	}
	return c
}

// outputText is an output as text: a string's own, other values as JSON.
func outputText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// fileUnion collects the files that calls touched, within ceilings.
type fileUnion struct {
	paths       map[string]bool
	bytes, rows int
	omitted     bool // a call too large to look into
}

func (u *fileUnion) full() bool {
	return len(u.paths) >= maxFiles || u.bytes >= maxFileBytes || u.rows >= maxFileRows
}

func (u *fileUnion) add(path string) {
	if path != "" && !u.paths[path] && !u.full() {
		u.paths[path] = true
		u.bytes += len(path)
	}
}

func (u *fileUnion) sorted() []string {
	out := make([]string, 0, len(u.paths))
	for p := range u.paths {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// touchedFiles adds the files of a branch's calls; only short fields are read.
func (s *snap) touchedFiles(u *fileUnion, ids []string, types map[int64]bool) error {
	var calls []int64
	for id, call := range types {
		if call {
			calls = append(calls, id)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	slices.Sort(calls)
	typeParam, err := list(calls)
	if err != nil {
		return err
	}
	const field = "CASE WHEN length(m.content) <= ?1 AND json_valid(m.content) THEN json_extract(m.content, '%s') END"
	sql := "SELECT " + strings.Replace(field, "%s", "$.function", 1) + ", " + strings.Replace(field, "%s", "$.arguments.file_path", 1) + ", " +
		strings.Replace(field, "%s", "$.arguments.path", 1) + `, length(m.content) > ?1
		FROM json_each(?2) AS ids CROSS JOIN messages m ON m.id = ids.value WHERE +m.lion_class IN (SELECT value FROM json_each(?3))`
	for part := range slices.Chunk(ids, chunkIDs) {
		if u.full() {
			return nil
		}
		u.rows += len(part)
		param, err := list(part)
		if err != nil {
			return err
		}
		err = s.each(sql, func(stmt *sqlite3.Stmt) error {
			if stmt.ColumnBool(3) {
				u.omitted = true
				return nil
			}
			u.add(session.TouchedFile(stmt.ColumnText(0), stmt.ColumnText(1), stmt.ColumnText(2)))
			return nil
		}, maxContent, param, typeParam)
		if err != nil {
			return err
		}
	}
	return nil
}
