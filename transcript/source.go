package transcript

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"podium.local/session"
)

// openRegular opens a file for reading; anything but a regular file is refused
// without waiting for it.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// anchorBytes is how much at either end the anchor covers.
const anchorBytes = 1 << 10

// anchorOf hashes the beginning of a file and the bytes before the cursor.
func anchorOf(f io.ReaderAt, cursor int64) ([]byte, error) {
	h := sha256.New()
	n := min(cursor, anchorBytes)
	for _, from := range []int64{0, cursor - n} {
		if _, err := io.CopyN(h, io.NewSectionReader(f, from, n), n); err != nil {
			return nil, err
		}
	}
	return h.Sum(nil), nil
}

// resume prepares the reading of a file where the ledger left it. A file that
// was replaced or shrunk begins anew.
func resume(f *os.File, info fs.FileInfo, row session.ImportFile) (next session.ImportFile, st state, replaced bool, err error) {
	next = row
	next.Size, next.ModTime, next.LastError, next.GoneAt = info.Size(), info.ModTime(), "", time.Time{}
	if row.Cursor == 0 {
		return anew(next), st, false, nil
	}
	anchor, err := anchorOf(f, row.Cursor)
	switch {
	case errors.Is(err, io.EOF):
		replaced = true
	case err != nil:
		return next, st, false, err
	default:
		replaced = string(anchor) != string(row.Anchor)
	}
	if !replaced {
		if err := json.Unmarshal(row.State, &st); err == nil {
			return next, st, false, nil
		}
		st = state{} // of another version of this program: begin anew
	}
	return anew(next), st, replaced, nil
}

// anew is a file of which nothing was read.
func anew(f session.ImportFile) session.ImportFile {
	f.Cursor, f.Lines, f.Damaged, f.Raw, f.Clamped, f.Skipped, f.Problems = 0, 0, 0, 0, 0, nil, nil
	return f
}

// SourceCommand is the command line that prints what stands at a source.
func SourceCommand(s session.Source) string {
	return fmt.Sprintf("podium import source '%s' %d %d %s", strings.ReplaceAll(s.File, "'", `'\''`), s.Offset, s.Length, s.SHA256)
}

// ErrSourceGone means that a file is no longer what it was when it was
// imported.
var ErrSourceGone = errors.New("the source is gone")

// ReadSource writes what stands at a source to w, after it was found to be
// what was imported: ErrSourceGone if it is not, and nothing is written.
func ReadSource(ctx context.Context, s session.Source, w io.Writer) (err error) {
	f, _, err := openRegular(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", s.File, ErrSourceGone)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", s.File, plainPath(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	for _, to := range []io.Writer{h, w} {
		n, err := io.Copy(to, &stoppable{ctx, io.NewSectionReader(f, s.Offset, s.Length)})
		if err != nil {
			return fmt.Errorf("read %s: %w", s.File, err)
		}
		if n != s.Length || to == h && hex.EncodeToString(h.Sum(nil)) != s.SHA256 {
			return fmt.Errorf("read %s: %w: other bytes stand there now", s.File, ErrSourceGone)
		}
	}
	return nil
}

// stoppable is a reader that ends with a context.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := context.Cause(s.ctx); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
