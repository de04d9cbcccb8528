package store

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Status is what a file at a store's path is and holds.
type Status struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	// Schema is the store's number and Newest the one this program brings it to;
	// an adopted store counts its own. Lionagi is lionagi's number.
	Schema  int `json:"schema"`
	Newest  int `json:"newest_schema"`
	Lionagi int `json:"lionagi_schema,omitempty"`
	// Why says what is wrong and the next step, empty when nothing is.
	Why string `json:"why,omitempty"`

	// Bytes of the file and of its write-ahead log.
	Bytes    int64 `json:"bytes"`
	WALBytes int64 `json:"wal_bytes"`
	// FreeBytes are inside the file and will be used again.
	FreeBytes int64 `json:"free_bytes"`

	Sessions int64 `json:"sessions"`
	// Running counts sessions with status running.
	Running  int64 `json:"running"`
	Entries  int64 `json:"entries"`
	Messages int64 `json:"messages"`
	Pods     int64 `json:"pods"`

	Indexes []IndexStatus `json:"indexes"`
	// Incarnation is the identity under which listings can be continued; empty
	// when the store has none.
	Incarnation string `json:"incarnation,omitempty"`
	// Holders are the pods that did not leave; a killed one is among them until
	// it is found.
	Holders []session.Pod `json:"-"`
}

// IndexStatus is the state of one listing index: ok, missing or different.
type IndexStatus struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// The states of an index.
const (
	IndexOK        = "ok"
	IndexMissing   = "missing"
	IndexDifferent = "different"
)

// Ready reports whether this program can use the store as it is, its bounded
// listing included.
func (st Status) Ready() bool {
	if st.Kind != KindPodium && st.Kind != KindAdopted || st.Schema != st.Newest || st.Incarnation == "" {
		return false
	}
	for _, index := range st.Indexes {
		if index.State != IndexOK {
			return false
		}
	}
	return true
}

// Examine looks at the file at path and changes nothing. An absent, foreign or
// newer file is an answer and no error; one that may not be opened, or is
// damaged, is an error.
func Examine(ctx context.Context, path string) (Status, error) {
	st, err := examine(ctx, path)
	return st, explain("examine store "+path, err)
}

func examine(ctx context.Context, path string) (st Status, err error) {
	abs, err := absolute(path)
	if err != nil {
		return st, err
	}
	st = Status{Path: abs, Kind: KindAbsent, Newest: newestSchema(), Indexes: []IndexStatus{}}
	c, sh, _, err := dialChecked(ctx, abs)
	switch {
	case errors.Is(err, ErrAbsent):
		st.Why = absentNext(ErrAbsent).Error()
		return st, nil
	case errors.Is(err, ErrForeign) && !errors.Is(err, session.ErrCorrupt):
		st.Kind, st.Why = KindForeign, err.Error()
		return st, nil
	case err != nil:
		return st, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	st.Kind, st.Schema, st.Lionagi = sh.kind, sh.schema, sh.lionagi
	if sh.kind == KindAdopted || sh.kind == KindLionagi {
		st.Newest = adoptionSchema
	}
	if err := usable(sh, true); err != nil {
		st.Why = err.Error()
		if sh.kind == KindNewer || sh.kind == KindForeign {
			return st, st.measure(c)
		}
	}
	if err := snapshot(ctx, c, func(c *conn) error { return st.count(c, sh) }); err != nil {
		return st, err
	}
	if st.Why == "" {
		st.Why = st.unready(sh)
	}
	if err := st.measure(c); err != nil {
		return st, err
	}
	if sh.kind != KindPodium {
		return st, nil // rows that break lionagi's own rules are no damage
	}
	return st, snapshot(ctx, c, st.sound)
}

// smallStore is up to which size, in bytes, a look at everything costs little.
const smallStore = 16 << 20

// sound looks for damage in a small store, and in every store before a command
// that writes to it is advised: what is missing may have been torn out.
func (st *Status) sound(c *conn) error {
	check := "PRAGMA integrity_check(1)"
	if st.Bytes > smallStore {
		if st.Why == "" {
			return nil
		}
		check = "PRAGMA quick_check(1)"
	}
	_, err := c.row(check, func(stmt *sqlite3.Stmt) error {
		if text := stmt.ColumnText(0); text != "ok" {
			return damage(text)
		}
		return nil
	})
	return err
}

// damage is what the engine found to be wrong with a file.
type damage string

// Error describes it.
func (d damage) Error() string { return strings.Join(strings.Fields(string(d)), " ") }

// Unwrap gives it the code that the engine would have met it with.
func (damage) Unwrap() error { return sqlite3.CORRUPT }

// unready says what the bounded listing lacks, and the next step.
func (st *Status) unready(sh shape) string {
	switch {
	case st.Ready():
		return ""
	case sh.kind != KindLionagi && st.Incarnation == "" && sh.objects["listing_store_identity"] == "table":
		return "it has no listing identity, as a copy has none; run `podium store rotate-identity`"
	case sh.kind == KindLionagi:
		return "it was not adopted: its bounded listing is not ready; run `podium store migrate`"
	default:
		return "its listing indexes are not what they have to be; run `podium store migrate`"
	}
}

// measure reads the sizes.
func (st *Status) measure(c *conn) error {
	pageSize, err := c.integer("PRAGMA page_size")
	if err != nil {
		return err
	}
	free, err := c.integer("PRAGMA freelist_count")
	if err != nil {
		return err
	}
	st.FreeBytes = free * pageSize
	info, err := os.Stat(st.Path)
	if err != nil {
		return err
	}
	st.Bytes = info.Size()
	if info, err := os.Stat(st.Path + "-wal"); err == nil {
		st.WALBytes = info.Size()
	}
	return nil
}

// count reads what a store of a known kind holds.
func (st *Status) count(c *conn, sh shape) (err error) {
	if st.Sessions, err = c.integer("SELECT count(*) FROM sessions"); err != nil {
		return err
	}
	if st.Running, err = c.integer("SELECT count(*) FROM sessions WHERE status = 'running'"); err != nil {
		return err
	}
	if sh.kind == KindPodium && sh.schema >= logMigration {
		if _, err := c.row("SELECT coalesce(sum(entries), 0), coalesce(sum(messages), 0) FROM logs", func(stmt *sqlite3.Stmt) error {
			st.Entries, st.Messages = stmt.ColumnInt64(0), stmt.ColumnInt64(1)
			return nil
		}); err != nil {
			return err
		}
		pods, err := listPods(c)
		if err != nil {
			return err
		}
		st.Pods = int64(len(pods))
		for _, p := range pods {
			if p.EndedAt.IsZero() {
				st.Holders = append(st.Holders, p)
			}
		}
	}
	if st.Indexes, err = listingIndexStatus(c); err != nil {
		return err
	}
	if sh.objects["listing_store_identity"] == "table" {
		_, err = c.row("SELECT incarnation FROM listing_store_identity WHERE id = 1", func(stmt *sqlite3.Stmt) error {
			st.Incarnation = stmt.ColumnText(0)
			return nil
		})
	}
	return err
}

// listingIndexStatus compares the three listing indexes with what they have to
// be.
func listingIndexStatus(c *conn) ([]IndexStatus, error) {
	all := make([]IndexStatus, 0, len(listingIndexes))
	for _, index := range listingIndexes {
		state := IndexMissing
		_, err := c.row("SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND name = ?", func(stmt *sqlite3.Stmt) error {
			state = IndexDifferent
			if stmt.ColumnText(0) == "sessions" && squeeze(stmt.ColumnText(1)) == squeeze(index.sql) {
				state = IndexOK
			}
			return nil
		}, index.name)
		if err != nil {
			return nil, err
		}
		all = append(all, IndexStatus{Name: index.name, State: state})
	}
	return all, nil
}
