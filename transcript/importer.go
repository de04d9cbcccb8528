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
	// Progress is called after every batch; nil for nobody.
	Progress func(Progress)
}

// Progress is how far an import is. Bytes are those that had not been read
// before.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
}

// importer is one import on its way.
type importer struct {
	opts Options
	sink Sink
	rows map[string]session.ImportFile
	// queue are the files still to be read, in order of rank.
	queue  []queued
	ids    map[string]string // Codex: session id -> path
	report Report
	prog   Progress
}

type queued struct{ rank, path string }

// Import reads what is new in a tool's files into sink. Files that cannot be
// read are told in the report and do not end it; an error of the sink does. A
// cancelled import ends after the batch at hand, and the report tells of what
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
		opts: opts, sink: sink, rows: make(map[string]session.ImportFile), ids: make(map[string]string),
		report: Report{Tool: opts.Tool, Dir: opts.Dir, Skipped: make(map[string]int64)},
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
	i.report.Files, i.report.Links, i.report.Compressed, i.report.Troubles = len(t.files), t.links, t.packed, t.troubles
	rows, err := i.sink.ImportFiles(ctx, string(i.opts.Tool), names...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		i.rows[row.Path] = row
	}
	if err := i.missing(ctx, t, rows); err != nil {
		return err
	}
	for _, f := range t.files {
		if id := codexVendor(stemOf(f.path)); id != "" && i.opts.Tool == Codex {
			i.ids[id] = f.path
		}
		row, known := i.rows[f.path]
		switch {
		case known && row.Size == f.size && row.ModTime.Equal(f.modified) && row.LastError == "" && row.GoneAt.IsZero():
			i.report.Unchanged++
		case f.modified.Before(i.opts.Since):
			i.report.Older++
		default:
			i.enqueue(ctx, f.path)
			if f.size > row.Cursor {
				i.prog.BytesTotal += f.size - row.Cursor
			}
		}
	}
	i.prog.FilesTotal = len(i.queue)
	slices.SortFunc(i.queue, func(a, b queued) int { return strings.Compare(a.rank, b.rank) })
	for len(i.queue) > 0 {
		path := i.queue[0].path
		i.queue = i.queue[1:]
		if err := i.file(ctx, path); err != nil {
			return err
		}
		i.prog.Files++
		i.progress()
	}
	return nil
}

// missing marks the files of the ledger that are not there any more.
func (i *importer) missing(ctx context.Context, t tree, rows []session.ImportFile) error {
	there := make(map[string]bool, len(t.files))
	for _, f := range t.files {
		there[f.path] = true
	}
	var gone []string
	for _, row := range rows {
		if there[row.Path] || !row.GoneAt.IsZero() {
			continue
		}
		if _, err := os.Lstat(row.Path); errors.Is(err, os.ErrNotExist) {
			gone = append(gone, row.Path)
		}
	}
	i.report.Gone = len(gone)
	if len(gone) == 0 {
		return nil
	}
	return i.sink.ImportGone(ctx, string(i.opts.Tool), gone)
}

// enqueue adds a file with its rank, which stays what it was once known.
func (i *importer) enqueue(ctx context.Context, path string) {
	row := i.rows[path]
	if row.Rank == "" || row.Cursor == 0 || strings.HasPrefix(row.Rank, "~") {
		row.Rank = rank(ctx, path)
		row.Path, row.Tool = path, string(i.opts.Tool)
		i.rows[path] = row
	}
	i.queue = append(i.queue, queued{row.Rank, path})
}

func (i *importer) progress() {
	if i.opts.Progress != nil {
		i.opts.Progress(i.prog)
	}
}

// file reads one file to its end. Where the order of files requires it, others
// are made to be read again after it.
func (i *importer) file(ctx context.Context, path string) error {
	for {
		before := i.rows[path]
		err := i.read(ctx, path)
		var order *session.ImportOrderError
		if !errors.As(err, &order) {
			var unreadable *unreadableError
			if errors.As(err, &unreadable) {
				return i.unreadable(ctx, path, before, unreadable)
			}
			return err
		}
		if err := i.reorder(ctx, path, order); err != nil {
			return err
		}
	}
}

// unreadableError is an error of a source, not of the sink.
type unreadableError struct{ err error }

func (e *unreadableError) Error() string { return e.err.Error() }
func (e *unreadableError) Unwrap() error { return e.err }

// unreadable notes in the ledger that a file could not be read and goes on.
func (i *importer) unreadable(ctx context.Context, path string, row session.ImportFile, cause error) error {
	text := plainPath(errors.Unwrap(cause)).Error()
	i.report.trouble(path, text)
	if now, ok := i.rows[path]; ok {
		row = now // as far as it was read
	}
	row.Tool, row.Path, row.LastError, row.ReadAt = string(i.opts.Tool), path, text, i.opts.Now()
	if row.ModTime.IsZero() {
		row.ModTime = time.Unix(0, 0)
	}
	_, err := i.sink.ImportBatch(ctx, session.ImportBatch{File: row})
	return err
}

// reorder empties a session that was read from later files and queues these,
// unless one of them is gone: then what was read of it must stay.
func (i *importer) reorder(ctx context.Context, path string, order *session.ImportOrderError) error {
	var gone []string
	for _, other := range order.Files {
		if _, err := os.Lstat(other); err != nil {
			gone = append(gone, other)
		}
	}
	if len(gone) > 0 {
		return i.sink.ImportGone(ctx, string(i.opts.Tool), gone)
	}
	again, err := i.sink.ImportReset(ctx, order.SessionID)
	if err != nil {
		return err
	}
	if len(again) == 0 {
		return nil
	}
	rows, err := i.sink.ImportFiles(ctx, string(i.opts.Tool), again...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		other := row.Path
		row.Cursor = 0
		i.rows[other] = row
		if other == path || slices.ContainsFunc(i.queue, func(q queued) bool { return q.path == other }) {
			continue
		}
		at, _ := slices.BinarySearchFunc(i.queue, row.Rank, func(q queued, rank string) int { return strings.Compare(q.rank, rank) })
		i.queue = slices.Insert(i.queue, at, queued{row.Rank, other})
		i.prog.FilesTotal++
	}
	return nil
}

// read reads a file from where the ledger says on.
func (i *importer) read(ctx context.Context, path string) (err error) {
	f, info, err := openRegular(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it went since it was found; the next import notes it
	}
	if err != nil {
		return &unreadableError{err}
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	row, st, replaced, err := resume(f, info, i.rows[path])
	if err != nil {
		return &unreadableError{err}
	}
	row.ReadAt = i.opts.Now()
	r := &reading{
		tool: i.opts.Tool, file: row, state: st, now: row.ReadAt, price: i.opts.Price, subagent: subagentOf(i.opts.Tool, path),
		turns: func(id string) map[string]bool { return i.turnsOf(ctx, id) },
	}
	r.file.Skipped = maps.Clone(row.Skipped)
	r.file.Problems = slices.Clone(row.Problems)
	if r.subagent != "" && row.Cursor == 0 {
		r.describe(path)
	}
	tally := i.report.begin(path, replaced, row)
	if _, err := f.Seek(row.Cursor, io.SeekStart); err != nil {
		return &unreadableError{err}
	}
	number := st.Line
	if st.Open {
		number-- // what comes first is the end of that line
	}
	lines := newLineReader(ctx, f, row.Cursor, number)
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			return i.store(ctx, f, r, lines.offset, tally, true)
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			return &unreadableError{err}
		}
		if !l.finished() {
			i.report.Waiting++
			return i.store(ctx, f, r, l.begin, tally, true)
		}
		r.take(l)
		if r.full() {
			if err := i.store(ctx, f, r, lines.offset, tally, false); err != nil {
				return err
			}
		}
	}
}

// store commits what was read up to cursor. Only with the last batch of a
// reading does the ledger say that the file is read.
func (i *importer) store(ctx context.Context, f *os.File, r *reading, cursor int64, t *tally, last bool) error {
	anchor, err := anchorOf(f, cursor)
	if errors.Is(err, io.EOF) {
		anchor = nil // it shrank meanwhile: the next reading begins anew
	} else if err != nil {
		return &unreadableError{err}
	}
	r.file.Anchor = anchor
	b, err := r.batch(cursor)
	if err != nil {
		return err
	}
	b.Restore = i.opts.Restore
	if !last {
		b.File.Size = -1
	}
	out, err := i.sink.ImportBatch(ctx, b)
	if err != nil {
		return err
	}
	for range out.Deleted {
		r.skip("its session was deleted here")
	}
	i.prog.Bytes += cursor - t.cursor
	i.rows[r.file.Path] = r.file
	t.add(r.file, cursor, out)
	i.progress()
	return nil
}

// describe names a subagent by what stands beside its file.
func (r *reading) describe(path string) {
	text, err := readSmall(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
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
	path := i.ids[vendorID]
	if path == "" {
		for known := range i.rows {
			if codexVendor(stemOf(known)) == vendorID {
				path = known
			}
		}
	}
	if path == "" {
		return map[string]bool{}
	}
	ids, err := turnIDs(ctx, path)
	if err != nil {
		i.report.trouble(filepath.Clean(path), plainPath(err).Error())
	}
	if ids == nil {
		ids = map[string]bool{}
	}
	return ids
}
