package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

func TestClassify_GoesByCodeAndNeverByText(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want error
	}{
		{sqlite3.BUSY, session.ErrBusy},
		{sqlite3.BUSY_SNAPSHOT, session.ErrBusy},
		{sqlite3.BUSY_RECOVERY, session.ErrBusy},
		{sqlite3.LOCKED, session.ErrBusy},
		{sqlite3.PROTOCOL, session.ErrBusy},
		{sqlite3.FULL, session.ErrFull},
		{sqlite3.READONLY, session.ErrReadOnly},
		{sqlite3.READONLY_DBMOVED, session.ErrReadOnly},
		{sqlite3.PERM, session.ErrReadOnly},
		{sqlite3.AUTH, session.ErrReadOnly},
		{sqlite3.CORRUPT, session.ErrCorrupt},
		{sqlite3.CORRUPT_INDEX, session.ErrCorrupt},
		{sqlite3.NOTADB, session.ErrCorrupt},
		{sqlite3.IOERR, session.ErrIO},
		{sqlite3.IOERR_FSYNC, session.ErrIO},
		{sqlite3.CANTOPEN, session.ErrIO},
		{fmt.Errorf("%w: %w", sqlite3.CANTOPEN, fs.ErrPermission), session.ErrReadOnly},
		{fmt.Errorf("%w: %w", sqlite3.CANTOPEN, syscall.EROFS), session.ErrReadOnly},
		{sqlite3.INTERRUPT, context.Canceled},
		{sqlite3.CONSTRAINT_UNIQUE, nil},
		{sqlite3.ERROR, nil},
		{errors.New("database is locked"), nil},
		{nil, nil},
	} {
		if got := classify(tt.err); got != tt.want {
			t.Errorf("%v is %v, want %v", tt.err, got, tt.want)
		}
		wrapped := explain("commit", tt.err)
		if tt.want != nil && (!errors.Is(wrapped, tt.want) || !errors.Is(wrapped, tt.err)) {
			t.Errorf("explained it is %v", wrapped)
		}
		if again := explain("twice", wrapped); tt.want != nil && again.Error() != "twice: "+wrapped.Error() {
			t.Errorf("explained twice it repeats itself: %v", again)
		}
	}
}

func TestFull_IsADiskAQuotaOrALimitThatIsUsedUp(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		// The driver passes on what the operating system's file said.
		said := error(&fs.PathError{Op: "write", Path: "x", Err: errno})
		if got := full(said); got == said || got.Error() != said.Error() {
			t.Errorf("%v became %v", said, got)
		}
	}
	for _, err := range []error{nil, syscall.EIO, &fs.PathError{Op: "write", Path: "x", Err: syscall.EIO}} {
		if got := full(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestExplain_SaysTheNextStepOnce(t *testing.T) {
	for _, tt := range []struct {
		code sqlite3.ErrorCode
		step string
	}{
		{sqlite3.CORRUPT, "podium store check"},
		{sqlite3.NOTADB, "restore a backup"},
		{sqlite3.FULL, "free some space and run it again"},
	} {
		err := explain("outer", explain("inner", tt.code))
		if n := strings.Count(err.Error(), tt.step); n != 1 {
			t.Errorf("%v: %q stands in it %d times", err, tt.step, n)
		}
	}
}
