package transcript

import (
	"context"
	"errors"
	"os"
	"slices"

	"podium.local/session"
)

// step is a batch that waits to be stored.
type step struct {
	batch session.ImportBatch
	// reading made the batch, and tally counts it; both are nil where the ledger
	// alone is told.
	reading *reading
	tally   *tally
	size    load
	// last says that with it the file is read, waiting that the end of its last
	// line is not there yet.
	last, waiting bool
}

// load is how much waits to be stored.
type load struct {
	entries int
	bytes   int64
}

// maxSteps bounds how many small files wait to be stored together.
const maxSteps = 256

// push adds a step to those that wait. A file that goes on after it has to know
// first what became of it.
func (i *importer) push(ctx context.Context, s step) error {
	if i.waiting.entries+s.size.entries > batchEntries || i.waiting.bytes+s.size.bytes > batchBytes || len(i.steps) == maxSteps {
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	i.steps = append(i.steps, s)
	i.waiting.entries += s.size.entries
	i.waiting.bytes += s.size.bytes
	if !s.last {
		return i.flush(ctx)
	}
	return nil
}

// flush stores all that waits. After an error the first step is the one that
// failed.
func (i *importer) flush(ctx context.Context) error {
	for len(i.steps) > 0 {
		batches := make([]session.ImportBatch, len(i.steps))
		for n, s := range i.steps {
			batches[n] = s.batch
		}
		outs, err := i.sink.ImportBatches(ctx, batches)
		for n, out := range outs {
			i.stored(i.steps[n], out)
		}
		i.steps = slices.Delete(i.steps, 0, len(outs))
		if err != nil {
			return err
		}
	}
	i.waiting = load{}
	return nil
}

// stored takes up what became of a step.
func (i *importer) stored(s step, out session.ImportOutcome) {
	if t := s.tally; t != nil {
		for range out.Deleted {
			s.reading.skip(session.SkippedDeleted)
		}
		file := s.batch.File
		file.Skipped = s.reading.file.Skipped
		i.prog.Bytes += file.Cursor - t.cursor
		t.add(file, out)
		if s.waiting {
			i.report.Waiting++
		}
	}
	if s.last {
		i.prog.Files++
	}
	if i.opts.Progress != nil {
		i.opts.Progress(i.prog)
	}
}

// reorder makes room for the step that failed because its file comes before
// those that a session was read from: the session is emptied, and all of these
// and what waits are read again in their order. Where one of them is gone, what
// was read of it must stay.
func (i *importer) reorder(ctx context.Context, order *session.ImportOrderError, at queued) error {
	for _, s := range i.steps {
		path := s.batch.File.Path
		i.enqueue(queued{rank: rankOf(s.batch.File.Rank), path: path, known: true})
	}
	if at.path != "" {
		at.known = true
		i.enqueue(at)
	}
	clear(i.steps)
	i.steps, i.waiting = i.steps[:0], load{}
	clear(i.rows)

	tool := string(i.opts.Tool)
	var gone []string
	for _, other := range order.Files {
		if _, err := os.Lstat(other); errors.Is(err, os.ErrNotExist) {
			gone = append(gone, other)
		}
	}
	if len(gone) > 0 {
		return i.sink.ImportGone(ctx, tool, gone)
	}
	again, err := i.sink.ImportReset(ctx, order.SessionID)
	if err != nil {
		return err
	}
	rows, err := i.sink.ImportFiles(ctx, tool, again)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if i.enqueue(queued{rank: rankOf(row.Rank), path: row.Path, known: true}) {
			i.prog.FilesTotal++
		}
	}
	return nil
}

// enqueue puts a file into the queue at its place; it reports whether it was
// not there.
func (i *importer) enqueue(q queued) bool {
	at, there := slices.BinarySearchFunc(i.queue, q, queued.compare)
	if there {
		i.queue[at].known = true
		return false
	}
	i.queue = slices.Insert(i.queue, at, q)
	return true
}
