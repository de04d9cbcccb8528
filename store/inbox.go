package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"podium.local/protocol"
	"podium.local/session"
)

// What may wait in one pod: accepted inputs, and bytes of all their texts, for
// they are read together. An empty inbox takes an input of any length.
const (
	inboxLimit = 128
	inboxBytes = 64 << 20
	// inboxText is the longest text that is read; programs before this one
	// accepted longer ones.
	inboxText = 32 << 20
)

// Accept makes an input durable in the pod's inbox. A request id that this
// pod accepted before is answered with the earlier entry id and changes
// nothing. A full inbox is session.ErrInboxFull.
func (s *Store) Accept(ctx context.Context, a session.Acceptance) (entryID string, repeated bool, err error) {
	err = s.writePodium(ctx, "accept input", func(c *conn) error {
		entryID, repeated, err = s.accept(c, a)
		return err
	})
	if err != nil {
		return "", false, err
	}
	return entryID, repeated, nil
}

func (s *Store) accept(c *conn, a session.Acceptance) (entryID string, repeated bool, err error) {
	h, err := s.holding(c, a.PodID)
	if err != nil {
		return "", false, err
	}
	if a.Item.EntryID == "" {
		return "", false, errors.New("an input needs an entry id")
	}
	if a.RequestID != "" {
		earlier, err := accepted(c, a.PodID, a.RequestID)
		if err != nil || earlier != "" {
			return earlier, true, err
		}
	}
	var waiting, bytes int64
	if _, err := c.row("SELECT count(*), coalesce(sum(octet_length(text)), 0) FROM inbox WHERE pod_key = ?", func(stmt *sqlite3.Stmt) error {
		waiting, bytes = stmt.ColumnInt64(0), stmt.ColumnInt64(1)
		return nil
	}, h.podKey); err != nil {
		return "", false, err
	}
	if waiting >= inboxLimit || waiting > 0 && bytes+int64(len(a.Item.Text)) > inboxBytes {
		return "", false, fmt.Errorf("%d inputs of %d bytes wait already: %w", waiting, bytes, session.ErrInboxFull)
	}
	at := seconds(s.orNow(a.Item.AcceptedAt))
	err = c.run("INSERT INTO inbox (pod_key, entry_id, kind, text, client, accepted_at) VALUES (?, ?, ?, ?, ?, ?)",
		h.podKey, a.Item.EntryID, string(a.Item.Kind), a.Item.Text, a.Item.Client, at)
	if err == nil && a.RequestID != "" {
		err = c.run("INSERT INTO accepted_requests (pod_key, request_id, entry_id, accepted_at) VALUES (?, ?, ?, ?)",
			h.podKey, a.RequestID, a.Item.EntryID, at)
	}
	return a.Item.EntryID, false, err
}

// Accepted returns the entry id under which the pod accepted the request id
// before, or "".
func (s *Store) Accepted(ctx context.Context, pod protocol.PodID, requestID string) (entryID string, err error) {
	err = s.read(ctx, func(c *conn) error {
		entryID, err = accepted(c, pod, requestID)
		return err
	})
	return entryID, explain("find request "+requestID, err)
}

func accepted(c *conn, pod protocol.PodID, requestID string) (entryID string, err error) {
	_, err = c.row("SELECT entry_id FROM accepted_requests WHERE pod_key = (SELECT pod_key FROM pods WHERE pod_id = ?) AND request_id = ?",
		func(stmt *sqlite3.Stmt) error {
			entryID = stmt.ColumnText(0)
			return nil
		}, pod.String(), requestID)
	return entryID, err
}

// Inbox lists accepted inputs that are not yet entries, oldest first. Their
// texts are read one by one, as SQLite holds each of them more than once.
func (s *Store) Inbox(ctx context.Context, pod protocol.PodID) (items []session.InboxItem, err error) {
	err = s.read(ctx, func(c *conn) error {
		var positions []int64
		if err := c.each(`SELECT position, octet_length(text), entry_id, kind, client, accepted_at FROM inbox
			WHERE pod_key = (SELECT pod_key FROM pods WHERE pod_id = ?) ORDER BY position`,
			func(stmt *sqlite3.Stmt) error {
				item := session.InboxItem{
					EntryID: stmt.ColumnText(2), Kind: protocol.InputKind(stmt.ColumnText(3)),
					Client: stmt.ColumnText(4), AcceptedAt: columnTime(stmt, 5),
				}
				if n := stmt.ColumnInt64(1); n > inboxText {
					item.TooLong = n
				}
				positions = append(positions, stmt.ColumnInt64(0))
				items = append(items, item)
				return nil
			}, pod.String()); err != nil {
			return err
		}
		for i := range items {
			if items[i].TooLong > 0 {
				continue
			}
			if _, err := c.row("SELECT text FROM inbox WHERE position = ?", func(stmt *sqlite3.Stmt) error {
				items[i].Text = stmt.ColumnText(0)
				return nil
			}, positions[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return items, explain("read inbox", err)
}

// take removes inputs that became entries; each must be there.
func take(c *conn, h hold, entryIDs []string) error {
	for _, id := range entryIDs {
		if err := c.run("DELETE FROM inbox WHERE pod_key = ? AND entry_id = ?", h.podKey, id); err != nil {
			return err
		}
		if c.Changes() != 1 {
			return fmt.Errorf("input %s is not in the inbox: %w", id, session.ErrNotFound)
		}
	}
	return nil
}
