package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/ncruces/go-sqlite3"
)

// conn is one connection with its prepared statements. It serves one
// goroutine at a time.
type conn struct {
	*sqlite3.Conn
	stmts map[string]*sqlite3.Stmt
	spent spent
}

// maxStatements bounds what a connection keeps prepared: the text of some
// statements depends on which parts of a filter are set.
const maxStatements = 256

// spent counts the work of a connection's statements since it was last set to
// zero.
type spent struct {
	statements             int
	steps, scanned, sorted int64
}

var statusCounters = [...]sqlite3.StmtStatus{sqlite3.STMTSTATUS_VM_STEP, sqlite3.STMTSTATUS_FULLSCAN_STEP, sqlite3.STMTSTATUS_SORT}

// begin sets a statement's own counters to zero, add adds them.
func (s *spent) begin(stmt *sqlite3.Stmt) {
	s.statements++
	for _, op := range statusCounters {
		stmt.Status(op, true)
	}
}

func (s *spent) add(stmt *sqlite3.Stmt) {
	s.steps += int64(stmt.Status(sqlite3.STMTSTATUS_VM_STEP, false))
	s.scanned += int64(stmt.Status(sqlite3.STMTSTATUS_FULLSCAN_STEP, false))
	s.sorted += int64(stmt.Status(sqlite3.STMTSTATUS_SORT, false))
}

// access says what a connection may do with its file.
type access int

const (
	readOnly access = iota
	readWrite
	readWriteCreate
)

// dial opens path, which must have passed checkFile unless it is to be made.
func dial(ctx context.Context, path string, a access, pragmas string) (_ *conn, err error) {
	// The path is text of the user's: in a URI only its escaped form is a path.
	uri := (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "vfs=" + vfsName}).String()
	flags := sqlite3.OPEN_URI | sqlite3.OPEN_NOFOLLOW
	switch a {
	case readOnly:
		flags |= sqlite3.OPEN_READONLY
	case readWrite:
		flags |= sqlite3.OPEN_READWRITE
	case readWriteCreate:
		flags |= sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE
	}
	registerVFS()
	raw, err := sqlite3.OpenFlags(uri, flags)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, stmts: make(map[string]*sqlite3.Stmt)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	c.SetInterrupt(ctx)
	defer c.SetInterrupt(context.Background())

	// A foreign schema must not run anything of its own through us.
	for _, set := range []struct {
		option sqlite3.DBConfig
		on     bool
	}{
		{sqlite3.DBCONFIG_DEFENSIVE, true},
		{sqlite3.DBCONFIG_TRUSTED_SCHEMA, false},
		{sqlite3.DBCONFIG_ENABLE_TRIGGER, false},
		{sqlite3.DBCONFIG_ENABLE_VIEW, false},
		{sqlite3.DBCONFIG_ENABLE_FKEY, true},
	} {
		if _, err := c.Config(set.option, set.on); err != nil {
			return nil, err
		}
	}
	return c, c.Exec("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; " + pragmas)
}

func (c *conn) close() error {
	for sql, stmt := range c.stmts {
		_ = stmt.Close() // reports the last step's error again
		delete(c.stmts, sql)
	}
	return c.Close()
}

// run executes a statement that gives no rows.
func (c *conn) run(sql string, args ...any) error {
	_, err := c.row(sql, func(*sqlite3.Stmt) error { return nil }, args...)
	return err
}

// row calls scan for the first row and reports whether there was one.
func (c *conn) row(sql string, scan func(*sqlite3.Stmt) error, args ...any) (found bool, err error) {
	err = c.each(sql, func(stmt *sqlite3.Stmt) error {
		found = true
		if err := scan(stmt); err != nil {
			return err
		}
		return errStop
	}, args...)
	return found, err
}

// errStop ends each early and is no error.
var errStop = errors.New("stop")

// each calls scan for every row. Arguments are bound in order; the statement
// is prepared once a connection.
func (c *conn) each(sql string, scan func(*sqlite3.Stmt) error, args ...any) (err error) {
	stmt, err := c.statement(sql)
	if err != nil {
		return err
	}
	c.spent.begin(stmt)
	// Reset repeats the error of the last step, which is in err already.
	defer func() {
		c.spent.add(stmt)
		_ = stmt.Reset()
	}()
	if n := stmt.BindCount(); n != len(args) {
		return fmt.Errorf("statement takes %d arguments, got %d: %s", n, len(args), sql)
	}
	for i, arg := range args {
		if err := bind(stmt, i+1, arg); err != nil {
			return err
		}
	}
	for stmt.Step() {
		if err := scan(stmt); err != nil {
			if errors.Is(err, errStop) {
				return nil
			}
			return err
		}
	}
	return stmt.Err()
}

func (c *conn) statement(sql string) (*sqlite3.Stmt, error) {
	if stmt, ok := c.stmts[sql]; ok {
		if stmt.Busy() {
			return nil, fmt.Errorf("statement is already being read: %s", sql)
		}
		return stmt, nil
	}
	for old, stmt := range c.stmts {
		if len(c.stmts) < maxStatements {
			break
		}
		if !stmt.Busy() {
			_ = stmt.Close() // reports the last step's error again
			delete(c.stmts, old)
		}
	}
	stmt, tail, err := c.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT)
	if err != nil {
		return nil, err
	}
	if stmt == nil || tail != "" {
		return nil, fmt.Errorf("not one statement: %s", sql)
	}
	c.stmts[sql] = stmt
	return stmt, nil
}

// bind gives a Go value to a parameter. nil, nil pointers and nil raw JSON are
// NULL.
func bind(stmt *sqlite3.Stmt, i int, arg any) error {
	switch v := arg.(type) {
	case nil:
		return stmt.BindNull(i)
	case string:
		return stmt.BindText(i, v)
	case int:
		return stmt.BindInt(i, v)
	case int64:
		return stmt.BindInt64(i, v)
	case float64:
		return stmt.BindFloat(i, v)
	case bool:
		return stmt.BindBool(i, v)
	case []byte:
		return stmt.BindBlob(i, v)
	case json.RawMessage:
		if v == nil {
			return stmt.BindNull(i)
		}
		return stmt.BindRawText(i, v)
	case *int64:
		if v == nil {
			return stmt.BindNull(i)
		}
		return stmt.BindInt64(i, *v)
	case *float64:
		if v == nil {
			return stmt.BindNull(i)
		}
		return stmt.BindFloat(i, *v)
	default:
		return fmt.Errorf("parameter %d: no way to bind %T", i, arg)
	}
}

// orNull makes empty text NULL.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// optionalFloat and optionalInt read a column that may be NULL.
func optionalFloat(stmt *sqlite3.Stmt, col int) *float64 {
	if stmt.ColumnType(col) == sqlite3.NULL {
		return nil
	}
	v := stmt.ColumnFloat(col)
	return &v
}

func optionalInt(stmt *sqlite3.Stmt, col int) *int64 {
	if stmt.ColumnType(col) == sqlite3.NULL {
		return nil
	}
	v := stmt.ColumnInt64(col)
	return &v
}
