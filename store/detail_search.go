package store

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// snippetRunes is how much of a text is shown on each side of a match.
const snippetRunes = 80

// SearchEntries looks through a bounded part of a session's log, oldest first,
// ignoring case.
func (v *View) SearchEntries(ctx context.Context, id string, q session.SearchQuery) (w session.SearchWindow, err error) {
	found := false
	_, err = v.read(ctx, large, "search session "+id, func(s *snap) error {
		l, err := s.openLog(id)
		if err != nil || l == nil {
			return err
		}
		found = true
		from := int64(0)
		if q.After != "" {
			at, err := l.place(q.After)
			if err != nil {
				return err
			}
			from = at + 1
		}
		look := newSearch(q, &w)
		if own, ok := l.(*ownLog); ok {
			return own.scan(from, look)
		}
		return scanMessages(s, l, from, look)
	})
	if err != nil {
		return session.SearchWindow{}, err
	}
	return w, orNotFound(nil, found, "session", id)
}

// search examines entries one by one until a limit is reached.
type search struct {
	q     session.SearchQuery
	text  string // lower case
	plain bool   // the text reads the same inside JSON
	w     *session.SearchWindow
}

func newSearch(q session.SearchQuery, w *session.SearchWindow) *search {
	text := strings.ToLower(q.Text)
	plain := !strings.ContainsFunc(text, func(r rune) bool {
		return r < 0x20 || r == '"' || r == '\\' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
	})
	return &search{q: q, text: text, plain: plain, w: w}
}

// full reports that no further entry may be examined; the caller then only
// asks whether there is one.
func (l *search) full() bool {
	return l.w.Examined >= l.q.Candidates || len(l.w.Matches) >= l.q.Rows
}

// examine looks at one entry.
func (l *search) examine(e session.Entry) {
	l.w.Examined++
	l.w.Last = e.ID
	if l.plain && !strings.Contains(strings.ToLower(string(e.Payload)), l.text) {
		return
	}
	text := session.SearchText(e.Kind, e.Payload)
	lower := strings.ToLower(text)
	at := strings.Index(lower, l.text)
	if at < 0 {
		return
	}
	if len(lower) != len(text) { // folding moved the bytes: count characters instead
		at = byteOfRune(text, utf8.RuneCountInString(lower[:at]))
	}
	l.w.Matches = append(l.w.Matches, session.SearchMatch{
		EntryID: e.ID, Ordinal: e.Ordinal, Kind: e.Kind, At: e.CreatedAt, Snippet: snippet(text, at, len(l.q.Text)),
	})
}

func byteOfRune(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// snippet is the text around a match on one line.
func snippet(text string, at, length int) string {
	start, end := at, min(len(text), at+length)
	for range snippetRunes {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	for range snippetRunes {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	out := strings.Join(strings.FieldsFunc(text[start:end], unicode.IsSpace), " ")
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return strings.ToValidUTF8(out, "\uFFFD")
}

// scan examines a log in our tables. Entries larger than any window shows are
// examined too; they are read one at a time.
func (l *ownLog) scan(from int64, look *search) error {
	return l.s.each("SELECT ordinal, entry_id, kind, created_at, payload FROM entries WHERE log_key = ? AND ordinal >= ? ORDER BY ordinal", func(stmt *sqlite3.Stmt) error {
		if look.full() {
			look.w.More = true
			return errStop
		}
		look.examine(session.Entry{
			Ordinal: stmt.ColumnInt64(0), ID: columnEntryID(stmt, 1), Kind: session.Kind(stmt.ColumnText(2)),
			CreatedAt: columnTime(stmt, 3), Payload: json.RawMessage(stmt.ColumnText(4)),
		})
		return nil
	}, l.ref.key, from)
}

// scanMessages examines a log made of messages, a few at a time.
func scanMessages(s *snap, l anyLog, from int64, look *search) error {
	for from < l.length() {
		part, err := l.entries(from, min(from+walkStep, l.length()), s.newBudget())
		if err != nil {
			return err
		}
		for _, e := range part {
			if look.full() {
				look.w.More = true
				return nil
			}
			look.examine(e)
		}
		if len(part) == 0 {
			return nil
		}
		from = part[len(part)-1].Ordinal + 1
	}
	return nil
}
