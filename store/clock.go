package store

import (
	"math"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// seconds is how a time is stored: Unix seconds with microseconds, the
// precision that binary64 keeps exact enough to come back equal.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// moment is the time that seconds stored, in UTC.
func moment(s float64) time.Time { return time.UnixMicro(int64(math.Round(s * 1e6))).UTC() }

// columnTime reads a stored time; NULL is the zero time.
func columnTime(stmt *sqlite3.Stmt, col int) time.Time {
	if stmt.ColumnType(col) == sqlite3.NULL {
		return time.Time{}
	}
	return moment(stmt.ColumnFloat(col))
}

// orNow is t unless it is zero.
func (s *Store) orNow(t time.Time) time.Time {
	if t.IsZero() {
		return s.opts.Now()
	}
	return t
}
