package store

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/ncruces/go-sqlite3"
)

// Kind is what a file turned out to be.
type Kind string

// The kinds of file at a store's path.
const (
	KindAbsent  Kind = "absent"  // nothing there, or an empty file
	KindPodium  Kind = "podium"  // ours
	KindAdopted Kind = "adopted" // lionagi's, with our listing in it
	KindLionagi Kind = "lionagi" // lionagi's, not adopted: read by v1 only
	KindForeign Kind = "foreign" // something else
	KindNewer   Kind = "newer"   // of a newer Podium or lionagi
)

const (
	// applicationID marks a Podium store in the file's header: "Podi".
	applicationID = 0x506F6469
	// lionagiVersion is the one schema of lionagi that is read and adopted.
	lionagiVersion = 4
)

// shape is what inspection found.
type shape struct {
	kind Kind
	// schema is podium_meta.schema, 0 where there is none.
	schema int
	// lionagi is schema_meta.version, 0 where there is none.
	lionagi int
	// cookie is the schema cookie that all this was read under.
	cookie int64
	// objects are the types of all named objects: table, virtual table, view,
	// index, trigger.
	objects map[string]string
	// triggered are the tables that have a trigger.
	triggered map[string]string
	// why says what makes the file foreign, newer or damaged.
	why string
}

// inspect reads what kind of file a connection has open, in one snapshot.
func inspect(c *conn) (sh shape, err error) {
	if err := c.Exec("BEGIN"); err != nil {
		return shape{}, err
	}
	defer func() { err = errors.Join(err, c.Exec("ROLLBACK")) }()
	sh, err = look(c)
	if err == nil && sh.kind == KindPodium {
		err = sh.checkTables(ourTables)
	}
	if err == nil && (sh.kind == KindAdopted || sh.kind == KindLionagi) {
		err = sh.checkTables(requiredTables)
	}
	return sh, err
}

// look classifies within the running transaction.
func look(c *conn) (shape, error) {
	sh := shape{kind: KindForeign, objects: make(map[string]string), triggered: make(map[string]string)}
	appID, err := c.integer("PRAGMA application_id")
	if err != nil {
		return sh, err
	}
	if sh.cookie, err = c.integer("PRAGMA schema_version"); err != nil {
		return sh, err
	}
	// A virtual table has no page of its own: what it reads is up to its module.
	err = c.each("SELECT CASE WHEN type = 'table' AND rootpage = 0 THEN 'virtual table' ELSE type END, name, tbl_name FROM sqlite_schema", func(stmt *sqlite3.Stmt) error {
		kind, name := stmt.ColumnText(0), stmt.ColumnText(1)
		sh.objects[name] = kind
		if kind == "trigger" {
			sh.triggered[stmt.ColumnText(2)] = name
		}
		return nil
	})
	if err != nil {
		return sh, err
	}
	if len(sh.objects) == 0 && appID == 0 {
		sh.kind = KindAbsent
		return sh, nil
	}
	origin := ""
	if sh.objects["podium_meta"] == "table" {
		_, err := c.row("SELECT origin, schema FROM podium_meta WHERE id = 1", func(stmt *sqlite3.Stmt) error {
			origin, sh.schema = stmt.ColumnText(0), stmt.ColumnInt(1)
			return nil
		})
		if otherColumns(err) {
			origin, sh.schema = "", 0
		} else if err != nil {
			return sh, err
		}
	}
	if sh.objects["schema_meta"] == "table" {
		_, err := c.row("SELECT value FROM schema_meta WHERE key = 'version'", func(stmt *sqlite3.Stmt) error {
			// lionagi ignores a version that is no number, and so do we.
			sh.lionagi, _ = strconv.Atoi(stmt.ColumnText(0))
			return nil
		})
		if otherColumns(err) {
			delete(sh.objects, "schema_meta") // another program's table of that name
		} else if err != nil {
			return sh, err
		}
	}
	sh.classify(appID, origin)
	return sh, nil
}

// otherColumns reports that a statement does not fit the table it names.
func otherColumns(err error) bool { return errors.Is(err, sqlite3.ERROR) }

func (sh *shape) classify(appID int64, origin string) {
	newest := newestSchema()
	if origin == "adopted" {
		newest = adoptionSchema
	}
	switch {
	case sh.schema > newest:
		sh.kind, sh.why = KindNewer, fmt.Sprintf("its schema is %d and this podium knows up to %d; use a newer podium", sh.schema, newest)
	case sh.lionagi > lionagiVersion:
		sh.kind, sh.why = KindNewer, fmt.Sprintf("its lionagi schema is %d and this podium knows %d; use a newer podium", sh.lionagi, lionagiVersion)
	case appID == applicationID && origin == "podium" && sh.schema >= 1:
		sh.kind = KindPodium
	case appID == applicationID:
		sh.why = "it carries podium's mark but not its record (podium_meta); restore a backup"
	case sh.lionagi == lionagiVersion && origin == "adopted":
		sh.kind = KindAdopted
	case sh.lionagi == lionagiVersion:
		sh.kind = KindLionagi
	case sh.objects["schema_meta"] == "table":
		sh.why = fmt.Sprintf("its lionagi schema is %d and podium reads %d; let lionagi update it first", sh.lionagi, lionagiVersion)
	default:
		sh.why = "it is another program's database; name another file"
	}
}

// requiredTables are those without which nothing can be listed.
var requiredTables = []string{"sessions", "branches", "progressions"}

// optionalTables may be missing from a store of lionagi's, where they read as
// empty.
var optionalTables = []string{
	"messages", "message_types", "run_tags", "projects", "invocations", "status_transitions",
	"session_signals", "session_controls", "shows", "plays", "listing_store_identity", "podium_meta",
}

// ourTables are those a Podium store must have.
var ourTables = []string{
	"sessions", "branches", "progressions", "messages", "message_types", "run_tags", "projects", "invocations",
	"status_transitions", "session_signals", "session_controls", "shows", "plays", "podium_meta", "podium_migrations",
}

// checkTables wants the named tables to be there and to be ordinary, and the
// optional ones to be ordinary where they are: a view or a virtual table would
// run what its author put into it.
func (sh *shape) checkTables(required []string) error {
	for _, name := range required {
		if sh.objects[name] == "" {
			return fmt.Errorf("%w: table %s is missing; restore a backup", ErrForeign, name)
		}
	}
	for _, names := range [][]string{required, optionalTables} {
		for _, name := range names {
			if kind := sh.objects[name]; kind != "" && kind != "table" {
				return fmt.Errorf("%w: %s is a %s where a table belongs; restore a backup", ErrUnsafe, name, kind)
			}
		}
	}
	return nil
}

// checkTriggers wants no trigger on a table that is to be written: what it
// would do is not ours to start, and switching it off breaks its owner's rule.
func (sh *shape) checkTriggers() error {
	for table, trigger := range sh.triggered {
		return fmt.Errorf("%w: trigger %s on table %s; drop it or use another store", ErrUnsafe, trigger, table)
	}
	return nil
}

// integer is the single integer that a pragma or query gives, 0 for no row.
func (c *conn) integer(sql string, args ...any) (n int64, err error) {
	_, err = c.row(sql, func(stmt *sqlite3.Stmt) error {
		n = stmt.ColumnInt64(0)
		return nil
	}, args...)
	return n, err
}
