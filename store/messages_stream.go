package store

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// streamRows is how many messages of a log one page of a stream holds.
const streamRows = 1000

// MessagesAfter reads the messages after a position in the order of the
// stream, as many as one budget allows. Nothing after the position is skipped.
func (v *View) MessagesAfter(ctx context.Context, id string, after session.StreamPosition) (page []session.Message, err error) {
	_, err = v.read(ctx, bounded, "read messages of session "+id, func(s *snap) error {
		log, own, err := s.logOf(id)
		if err != nil {
			return err
		}
		if own {
			page, err = s.logAfter(id, log, after)
		} else {
			page, err = s.progressionsAfter(id, after)
		}
		return err
	})
	return page, err
}

// logAfter reads on in a log, whose order is that of its ordinals. A position
// whose message is not in the log goes by its time.
func (s *snap) logAfter(id string, log logRef, after session.StreamPosition) ([]session.Message, error) {
	from := int64(-1)
	if after.MessageID != "" {
		ordinal, found, err := s.ordinalOf(log.key, after.MessageID)
		if err != nil {
			return nil, err
		}
		if !found {
			if ordinal, err = s.integer("SELECT coalesce(max(ordinal), -1) FROM entries WHERE log_key = ? AND created_at <= ?", log.key, after.At); err != nil {
				return nil, err
			}
		}
		from = ordinal
	}
	branch := ""
	if _, err := s.row("SELECT id FROM branches WHERE session_id = ? ORDER BY created_at, rowid", func(stmt *sqlite3.Stmt) error {
		branch = stmt.ColumnText(0)
		return nil
	}, id); err != nil {
		return nil, err
	}
	var held []heldEntry
	b := s.newBudget()
	err := s.each("SELECT "+fullEntry+" FROM entries WHERE log_key = ?2 AND ordinal > ?3 AND kind IN "+messageKinds+" ORDER BY ordinal LIMIT ?4",
		func(stmt *sqlite3.Stmt) error {
			e, err := scanHeld(stmt, id)
			if err != nil {
				return err
			}
			size := e.size
			if e.withheld {
				size = 0
			}
			if !b.admits(size) && held != nil {
				return errStop
			}
			held = append(held, e)
			return nil
		}, maxContent, log.key, from, streamRows)
	if err != nil {
		return nil, err
	}
	for i, j := 0, len(held)-1; i < j; i, j = i+1, j-1 {
		held[i], held[j] = held[j], held[i]
	}
	messages := shownMessages(held)
	for i := range messages {
		messages[i].BranchID = branch
	}
	return messages, nil
}

// progressionsAfter reads on over the members of all branches by time, message
// and branch. The list goes through json_each: a branch may have more members
// than a statement has variables.
func (s *snap) progressionsAfter(id string, after session.StreamPosition) ([]session.Message, error) {
	if !s.facts.has("messages") {
		return nil, nil
	}
	sql := "SELECT " + s.streamColumns() + ` WHERE b.session_id = ?2
		AND (m.created_at > ?3 OR m.created_at = ?3 AND m.id > ?4 OR m.created_at = ?3 AND m.id = ?4 AND b.id > ?5)
		ORDER BY m.created_at, m.id, b.id LIMIT ?6`
	var page []session.Message
	sizes := make(map[string]int64)
	b := s.newBudget()
	err := s.each(sql, func(stmt *sqlite3.Stmt) error {
		m := scanMessage(stmt)
		m.BranchID, sizes[m.ID] = stmt.ColumnText(7), stmt.ColumnInt64(8)
		size := sizes[m.ID]
		if m.Withheld {
			size = 0
		}
		if !b.admits(size) && page != nil {
			return errStop
		}
		page = append(page, m)
		return nil
	}, maxContent, id, after.At, after.MessageID, after.BranchID, maxRows+1)
	if err != nil {
		return nil, err
	}
	return page, s.linkWithheld(page, sizes, b)
}

// streamColumns are messageColumns with the branch and the length, over the
// members of branches.
func (s *snap) streamColumns() string {
	class, join := "''", ""
	if s.facts.has("message_types") {
		class, join = "mt.lion_class", " LEFT JOIN message_types mt ON mt.type_id = m.lion_class"
	}
	return "m.id, m.created_at, m.sender, m.role, CASE WHEN length(m.content) > ?1 THEN NULL ELSE m.content END, length(m.content) > ?1, " + class +
		", b.id, length(m.content) FROM branches b JOIN progressions p ON p.id = b.progression_id CROSS JOIN json_each(" + safeCollection +
		") AS member CROSS JOIN messages m ON m.id = member.value" + join
}

// safeCollection is a progression's list, empty where it cannot be read.
const safeCollection = "CASE WHEN json_valid(p.collection) THEN p.collection ELSE '[]' END"
