package transcript

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"podium.local/session"
)

// Options say what to import.
type Options struct {
	Tool Tool
	// Dir is the tool's own folder, a folder of session files, or one file.
	Dir string
	// Since leaves out files that were last written before it; zero for none.
	Since time.Time
	// Restore brings back sessions that were deleted from the store.
	Restore bool
	// Price says what requests cost; nil leaves all costs unknown.
	Price session.Pricer
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Progress is called after every batch that was stored; nil for nobody.
	Progress func(Progress)
}

// Progress is how far an import is. Bytes are those that had not been read
// before.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
}

// importer is one import on its way. What it holds of a file that is neither
// read nor waits to be stored is its name and its place in the order.
type importer struct {
	opts Options
	sink Sink
	// queue are the files still to be read, in order of rank; rows are the
	// ledger's rows of the next ones.
	queue []queued
	rows  map[string]session.ImportFile
	// steps are read and wait to be stored, in order, waiting is what they hold.
	// flight are those before them, which are being stored; nil for none.
	steps   []step
	waiting load
	flight  *flight
	lines   lineReader
	// files are all that were found, ids the paths of Codex sessions among them
	// by session id, nil until one is asked for.
	files  []found
	ids    map[string]string
	failed error // of the sink, where it cannot be returned
	report Report
	prog   Progress
}

// Import reads what is new in a tool's files into sink. Files that cannot be
// read are told in the report and do not end it; an error of the sink does. A
// cancelled import ends after the step at hand, and the report tells of what
// was stored.
func Import(ctx context.Context, sink Sink, opts Options) (Report, error) {
	i := newImporter(sink, opts)
	start := i.opts.Now()
	err := i.run(ctx)
	i.report.Seconds = i.opts.Now().Sub(start).Seconds()
	return i.report, err
}

func newImporter(sink Sink, opts Options) *importer {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &importer{
		opts: opts, sink: sink, rows: make(map[string]session.ImportFile),
		report: newReport(opts),
	}
}

// run looks through the whole folder.
func (i *importer) run(ctx context.Context) error {
	t, err := look(ctx, i.opts.Tool, i.opts.Dir)
	if err != nil {
		return err
	}
	if i.opts.Restore {
		if _, err := i.sink.ImportRestore(ctx, string(i.opts.Tool)); err != nil {
			return err
		}
	}
	return i.readTree(ctx, t)
}

// readTree reads what is new in the files that were found; with names also in
// no others of the ledger.
func (i *importer) readTree(ctx context.Context, t tree, names ...string) error {
	i.report.Files, i.report.Links, i.report.Compressed = len(t.files), t.links, t.packed
	i.report.Troubles = append(i.report.Troubles, t.troubles...)
	i.report.Stats = t.stats
	if err := i.compare(ctx, t.files, names); err != nil {
		return err
	}
	if i.opts.Tool == Codex {
		i.files = t.files
	}
	defer i.settle()
	for {
		at, err := i.next(ctx)
		var order *session.ImportOrderError
		switch {
		case errors.As(err, &order):
			err = i.reorder(ctx, order, at)
		case err == nil && at.path == "":
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// next reads one file, or stores what is left when all are read. It returns
// the file at hand, an empty one at the end.
func (i *importer) next(ctx context.Context) (at queued, err error) {
	if len(i.queue) == 0 {
		return at, i.flush(ctx)
	}
	at, i.queue[0] = i.queue[0], queued{}
	i.queue = i.queue[1:]
	row, err := i.row(ctx, at)
	if err == nil {
		err = i.read(ctx, row)
	}
	var unreadable *unreadableError
	if errors.As(err, &unreadable) {
		err = i.unreadable(ctx, at, unreadable)
	}
	return at, err
}

// rowsAhead is how many of the ledger's rows are read at once.
const rowsAhead = 100

// row is the ledger's row of a file, a new one where there is none.
func (i *importer) row(ctx context.Context, q queued) (session.ImportFile, error) {
	if _, held := i.rows[q.path]; q.known && !held {
		paths := []string{q.path}
		for _, next := range i.queue[:min(len(i.queue), rowsAhead)] {
			if next.known {
				paths = append(paths, next.path)
			}
		}
		rows, err := i.sink.ImportFiles(ctx, string(i.opts.Tool), paths)
		if err != nil {
			return session.ImportFile{}, err
		}
		clear(i.rows)
		for _, row := range rows {
			i.rows[row.Path] = row
		}
	}
	row := i.rows[q.path]
	delete(i.rows, q.path)
	row.Tool, row.Path, row.Rank = string(i.opts.Tool), q.path, q.rank.text(q.path)
	return row, nil
}

// unreadableError is an error of a source, not of the sink.
type unreadableError struct{ err error }

func (e *unreadableError) Error() string { return e.err.Error() }
func (e *unreadableError) Unwrap() error { return e.err }

// unreadable notes in the ledger that a file could not be read and goes on.
func (i *importer) unreadable(ctx context.Context, at queued, cause error) error {
	text := plainPath(errors.Unwrap(cause)).Error()
	i.report.trouble(at.path, text)
	if err := i.flush(ctx); err != nil { // what was read of it just now counts
		return err
	}
	at.known = true
	delete(i.rows, at.path)
	row, err := i.row(ctx, at)
	if err != nil {
		return err
	}
	row.LastError, row.ReadAt = text, i.opts.Now()
	if row.ModTime.IsZero() {
		row.ModTime = time.Unix(0, 0)
	}
	return i.push(ctx, step{batch: session.ImportBatch{File: row}, last: true})
}

// read reads a file from where the ledger says on.
func (i *importer) read(ctx context.Context, row session.ImportFile) (err error) {
	f, info, err := i.open(row.Path)
	if errors.Is(err, os.ErrNotExist) {
		i.prog.Files++
		return nil // it went since it was found; the next import notes it
	}
	if err != nil {
		return &unreadableError{err}
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	row, st, replaced, err := resume(f, info, row)
	if err != nil {
		return &unreadableError{err}
	}
	if row.Cursor == 0 {
		st.Strange = true
	}
	for own := true; own; {
		own, err = i.readFrom(ctx, f, i.reading(ctx, row, st), i.report.begin(row.Path, replaced, row))
		row, st = anew(row), state{}
	}
	return err
}

// reading is a file on its way, from where the ledger's row and the state
// leave it on.
func (i *importer) reading(ctx context.Context, row session.ImportFile, st state) *reading {
	row.ReadAt = i.opts.Now()
	r := &reading{
		tool: i.opts.Tool, file: row, state: st, now: row.ReadAt, price: i.opts.Price, subagent: subagentOf(i.opts.Tool, row.Path),
		turns: func(id string) map[string]bool { return i.turnsOf(ctx, id) },
	}
	r.file.Skipped = maps.Clone(row.Skipped)
	r.file.Problems = slices.Clone(row.Problems)
	return r
}

// readFrom reads a file on. It ends with own, and nothing is stored, where the
// first record of the tool comes behind other lines: they are read again as its
// lines then.
func (i *importer) readFrom(ctx context.Context, f *os.File, r *reading, t *tally) (own bool, err error) {
	if _, err := f.Seek(r.file.Cursor, io.SeekStart); err != nil {
		return false, &unreadableError{err}
	}
	number := r.state.Line
	if r.state.Open {
		number-- // what comes first is the end of that line
	}
	if r.file.Cursor == 0 && !r.state.Strange {
		i.describe(r)
	}
	lines := &i.lines
	lines.reset(ctx, f, r.file.Cursor, number)
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			return false, i.store(ctx, f, r, lines.offset, step{tally: t, last: true})
		}
		if cause := context.Cause(ctx); cause != nil {
			return false, cause
		}
		if err != nil {
			return false, &unreadableError{err}
		}
		if !l.finished() {
			return false, i.store(ctx, f, r, l.begin, step{tally: t, last: true, waiting: true})
		}
		if r.state.Strange && i.opts.Tool.owns(l) {
			if r.file.Lines > 0 {
				return true, nil
			}
			r.state.Strange = false
			i.describe(r)
		}
		r.take(l)
		if i.failed != nil {
			return false, i.failed
		}
		if r.full() {
			if err := i.store(ctx, f, r, lines.offset, step{tally: t}); err != nil {
				return false, err
			}
		}
	}
}

// open opens a session file and counts that.
func (i *importer) open(path string) (*os.File, os.FileInfo, error) {
	i.report.Opens++
	return openRegular(path)
}

// store makes a step of what was read up to cursor. Only the last of a reading
// says in the ledger that the file is read.
func (i *importer) store(ctx context.Context, f *os.File, r *reading, cursor int64, s step) error {
	anchor, err := anchorOf(f, cursor)
	if errors.Is(err, io.EOF) {
		anchor = nil // it shrank meanwhile: the next reading begins anew
	} else if err != nil {
		return &unreadableError{err}
	}
	r.file.Anchor = anchor
	s.reading, s.size = r, load{entries: r.count, bytes: r.size}
	if s.batch, err = r.batch(cursor); err != nil {
		return err
	}
	s.batch.Restore = i.opts.Restore
	if !s.last {
		s.batch.File.Size = -1
	}
	return i.push(ctx, s)
}

// describe names a subagent by what stands beside its file.
func (i *importer) describe(r *reading) {
	if r.subagent == "" {
		return
	}
	i.report.Opens++
	text, err := readSmall(strings.TrimSuffix(r.file.Path, ".jsonl") + ".meta.json")
	if err != nil {
		return // there is none, or it says nothing
	}
	var meta struct {
		Description string `json:"description"`
		AgentType   string `json:"agentType"`
	}
	if json.Unmarshal(text, &meta) != nil {
		return
	}
	if name := nameOf(meta.Description); name != "" {
		r.known(r.subagent).Facts.Summary = name
	} else {
		r.known(r.subagent).Facts.Summary = nameOf(meta.AgentType)
	}
}

// readSmall reads a file of at most 64 KiB.
func readSmall(path string) (text []byte, err error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, 64<<10))
}

// turnsOf reads the turns of a Codex session from its own file.
func (i *importer) turnsOf(ctx context.Context, vendorID string) map[string]bool {
	path, err := i.codexFile(ctx, vendorID)
	if err != nil {
		i.failed = err
	}
	if path == "" {
		return map[string]bool{}
	}
	i.report.Opens++
	ids, err := turnIDs(ctx, path)
	if err != nil {
		i.report.trouble(filepath.Clean(path), plainPath(err).Error())
	}
	if ids == nil {
		ids = map[string]bool{}
	}
	return ids
}

// codexFile finds the file of a Codex session: among those found, else in the
// ledger. It is empty when nobody knows.
func (i *importer) codexFile(ctx context.Context, vendorID string) (string, error) {
	if i.ids == nil {
		i.ids = make(map[string]string)
		for _, f := range i.files {
			if id := codexVendor(stemOf(f.path)); id != "" {
				i.ids[id] = f.path
			}
		}
	}
	if path := i.ids[vendorID]; path != "" {
		return path, nil
	}
	paths, err := i.sink.ImportFilesOf(ctx, SessionID(Codex, vendorID, ""))
	for _, path := range paths {
		if codexVendor(stemOf(path)) == vendorID {
			return path, err
		}
	}
	return "", err
}
