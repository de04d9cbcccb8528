package store

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Ceilings of one read of messages. None of them bounds another: a row that is
// withheld costs no characters, and a short one still costs a row.
const (
	maxContent  = 1 << 20  // characters of one message; a longer one is withheld
	maxHydrated = 64 << 20 // characters of all messages together
	maxRows     = 50_000
	maxScanned  = 64 << 20 // characters parsed to link withheld calls and results
	maxScanOne  = 16 * maxContent
	maxLink     = 256 // characters of a linked id
	chunkIDs    = 500
)

// budget is what is left of the ceilings; one for the whole read.
type budget struct {
	content, rows, scan int64
	spent               bool // something was refused
}

func (s *snap) newBudget() *budget {
	return &budget{content: maxHydrated, rows: s.opened.rows, scan: maxScanned}
}

// admits charges one row, or refuses it.
func (b *budget) admits(size int64) bool {
	if size > b.content || b.rows <= 0 {
		b.spent = true
		return false
	}
	b.content -= size
	b.rows--
	return true
}

func (b *budget) admitsScan(size int64) bool {
	if size > maxScanOne || size > b.scan {
		return false
	}
	b.scan -= size
	return true
}

// members reads the ids of a progression. A text that is not a list of ids
// reads as an empty one; an entry that is not text keeps its place.
func (s *snap) members(progression string) (ids []string, err error) {
	if progression == "" {
		return nil, nil
	}
	_, err = s.row("SELECT collection FROM progressions WHERE id = ?", func(stmt *sqlite3.Stmt) error {
		ids = memberIDs(stmt.ColumnText(0))
		return nil
	}, progression)
	return ids, err
}

func memberIDs(collection string) []string {
	var ids []string
	if json.Unmarshal([]byte(collection), &ids) == nil {
		return ids
	}
	var values []any
	if json.Unmarshal([]byte(collection), &values) != nil {
		return nil
	}
	ids = make([]string, len(values))
	for i, v := range values {
		ids[i], _ = v.(string)
	}
	return ids
}

// messageSizes reads the length of the content of each message that exists.
func (s *snap) messageSizes(ids []string) (map[string]int64, error) {
	param, err := list(ids)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(ids))
	err = s.each("SELECT m.id, length(m.content) FROM messages m WHERE m.id IN (SELECT value FROM json_each(?))", func(stmt *sqlite3.Stmt) error {
		sizes[stmt.ColumnText(0)] = stmt.ColumnInt64(1)
		return nil
	}, param)
	return sizes, err
}

// hydrate reads the messages of ids, in their order, those that exist and the
// budget allows; it pays from the end of the list, where the newest are. What
// stands in front of the place from was refused.
func (s *snap) hydrate(ids []string, b *budget) (out []session.Message, from int, err error) {
	if len(ids) == 0 || !s.facts.has("messages") {
		return nil, 0, nil
	}
	sizes, err := s.messageSizes(ids)
	if err != nil {
		return nil, 0, err
	}
	var paid []string
	for i, id := range slices.Backward(ids) {
		size, exists := sizes[id]
		if !exists {
			continue
		}
		if size > maxContent {
			size = 0
		}
		if !b.admits(size) {
			from = i + 1
			break
		}
		paid = append(paid, id)
	}
	byID := make(map[string]session.Message, len(paid))
	for part := range slices.Chunk(paid, chunkIDs) {
		param, err := list(part)
		if err != nil {
			return nil, 0, err
		}
		err = s.each("SELECT "+s.messageColumns()+" WHERE m.id IN (SELECT value FROM json_each(?2))", func(stmt *sqlite3.Stmt) error {
			m := scanMessage(stmt)
			byID[m.ID] = m
			return nil
		}, maxContent, param)
		if err != nil {
			return nil, 0, err
		}
	}
	for _, id := range ids[from:] {
		if m, ok := byID[id]; ok {
			out = append(out, m)
		}
	}
	return out, from, s.linkWithheld(out, sizes, b)
}

// messageColumns selects what scanMessage reads, FROM included. Parameter 1 is
// the length beyond which content is withheld.
func (s *snap) messageColumns() string {
	class, join := "''", ""
	if s.facts.has("message_types") {
		class, join = "mt.lion_class", " LEFT JOIN message_types mt ON mt.type_id = m.lion_class"
	}
	return "m.id, m.created_at, m.sender, m.role, CASE WHEN length(m.content) > ?1 THEN NULL ELSE m.content END, length(m.content) > ?1, " +
		class + " FROM messages m" + join
}

func scanMessage(stmt *sqlite3.Stmt) session.Message {
	m := session.Message{
		ID: stmt.ColumnText(0), At: stmt.ColumnFloat(1), Sender: optionalText(stmt, 2), Role: stmt.ColumnText(3),
		Content: optionalText(stmt, 4), Withheld: stmt.ColumnBool(5), Class: stmt.ColumnText(6),
	}
	return m
}

// linkWithheld finds the ids that link a withheld call or result to its other
// half, parsing a bounded amount of text.
func (s *snap) linkWithheld(messages []session.Message, sizes map[string]int64, b *budget) error {
	at := make(map[string][]int)
	var ids []string
	for i := range messages {
		m := &messages[i]
		if !m.Withheld {
			continue
		}
		if at[m.ID] == nil && b.admitsScan(sizes[m.ID]) {
			ids = append(ids, m.ID)
		}
		at[m.ID] = append(at[m.ID], i)
	}
	if ids == nil {
		return nil
	}
	param, err := list(ids)
	if err != nil {
		return err
	}
	const link = "substr(json_extract(CASE WHEN json_valid(m.content) THEN m.content END, '$.%s'), 1, ?1)"
	sql := "SELECT m.id, " + strings.Replace(link, "%s", "action_request_id", 1) + ", " + strings.Replace(link, "%s", "action_response_id", 1) +
		" FROM messages m WHERE m.id IN (SELECT value FROM json_each(?2))"
	return s.each(sql, func(stmt *sqlite3.Stmt) error {
		for _, i := range at[stmt.ColumnText(0)] {
			messages[i].ActionRequestID, messages[i].ActionResponseID = stmt.ColumnText(1), stmt.ColumnText(2)
		}
		return nil
	}, maxLink, param)
}

// progressionDetail fills branches, statistics and anchors of a session whose
// messages hang on progressions.
func (s *snap) progressionDetail(d *session.Detail, progressions []string, w session.Window) error {
	b := s.newBudget()
	ids := make([][]string, len(d.Branches))
	d.NextAnchors = make(map[string]string)
	for i := range d.Branches {
		var err error
		if ids[i], err = s.members(progressions[i]); err != nil {
			return err
		}
		d.Branches[i].Total = int64(len(ids[i]))
	}
	for i := range d.Branches {
		branch := &d.Branches[i]
		anchor, err := s.window(branch, ids[i], w, b)
		if err != nil {
			return err
		}
		if anchor != "" {
			d.NextAnchors[branch.ID] = anchor
		}
	}
	return s.progressionStats(d, ids, b)
}

// window reads a branch's messages of the window and returns the anchor of the
// next older one. A row that the budget refused is not skipped: the next window
// begins where this one could not go on.
func (s *snap) window(branch *session.Branch, ids []string, w session.Window, b *budget) (next string, err error) {
	end := len(ids)
	current := ""
	switch {
	case w.Anchors != nil:
		var given bool
		if current, given = w.Anchors[branch.ID]; !given {
			return "", nil
		}
		if current != session.NewestAnchor {
			if end = placeOf(ids, current); end < 0 {
				return "", &session.AnchorError{Branch: branch.ID}
			}
		}
	case w.Offset > 0:
		end = int(max(0, int64(len(ids))-w.Offset))
	}
	start := max(0, end-w.Limit)
	wanted := ids[start:end]
	var from int
	if branch.Messages, from, err = s.hydrate(wanted, b); err != nil {
		return "", err
	}
	switch from {
	case 0:
		// A member whose message was pruned is no older message.
		if branch.HasOlder, err = s.anyMessage(ids[:start]); branch.HasOlder {
			next = anchorAt(ids, start)
		}
	case len(wanted):
		branch.HasOlder, next = true, cmp.Or(current, session.NewestAnchor)
	default:
		branch.HasOlder, next = true, anchorAt(ids, start+from)
	}
	return next, err
}

// anchorAt names the member at a place: by its id where that is the last
// member of that id, else as @place@id, so that a walk back passes members that
// stand in a branch more than once.
func anchorAt(ids []string, at int) string {
	id := ids[at]
	if id != "" && !strings.HasPrefix(id, "@") && lastIndex(ids, id) == at {
		return id
	}
	return "@" + strconv.Itoa(at) + "@" + id
}

// placeOf finds the member that an anchor names, -1 for none.
func placeOf(ids []string, anchor string) int {
	text, placed := strings.CutPrefix(anchor, "@")
	if !placed {
		return lastIndex(ids, anchor)
	}
	place, id, _ := strings.Cut(text, "@")
	at, err := strconv.Atoi(place)
	if err != nil || at < 0 || at >= len(ids) || ids[at] != id {
		return -1
	}
	return at
}

func lastIndex(ids []string, id string) int {
	for i, member := range slices.Backward(ids) {
		if member == id {
			return i
		}
	}
	return -1
}

// anyMessage reports whether a message of ids exists, looking from the end,
// where it most likely does.
func (s *snap) anyMessage(ids []string) (found bool, err error) {
	if !s.facts.has("messages") {
		return false, nil
	}
	for end := len(ids); end > 0 && !found && err == nil; end -= chunkIDs {
		part, failed := list(ids[max(0, end-chunkIDs):end])
		if failed != nil {
			return false, failed
		}
		found, err = s.row("SELECT 1 FROM json_each(?) AS ids CROSS JOIN messages m ON m.id = ids.value LIMIT 1", func(*sqlite3.Stmt) error { return nil }, part)
	}
	return found, err
}
