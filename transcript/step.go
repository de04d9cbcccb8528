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
	// deleted is how many entries of the reading batch says were skipped because
	// their session was deleted here.
	deleted int64
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

// flight are steps that are being stored while reading goes on.
type flight struct {
	steps []step
	done  chan landing
}

// landing is what the sink said of a flight.
type landing struct {
	outs []session.ImportOutcome
	err  error
}

// push adds a step to those that wait, and has them stored when it makes them
// enough. Two steps of one file are never stored together: the second has to
// know what became of the first.
func (i *importer) push(ctx context.Context, s step) error {
	if i.waiting.entries+s.size.entries > batchEntries || i.waiting.bytes+s.size.bytes > batchBytes || len(i.steps) == maxSteps {
		if err := i.launch(ctx); err != nil {
			return err
		}
	}
	i.steps = append(i.steps, s)
	i.waiting.entries += s.size.entries
	i.waiting.bytes += s.size.bytes
	if !s.last {
		return i.launch(ctx)
	}
	return nil
}

// launch begins to store all that waits, once what was launched before is
// stored. After an error the first step that waits is the one that failed.
func (i *importer) launch(ctx context.Context) error {
	if err := i.land(ctx); err != nil || len(i.steps) == 0 {
		return err
	}
	i.fly(ctx, i.steps)
	i.steps, i.waiting = nil, load{}
	return nil
}

// fly has steps stored in the background.
func (i *importer) fly(ctx context.Context, steps []step) {
	f := &flight{steps: steps, done: make(chan landing, 1)}
	i.flight = f
	batches := make([]session.ImportBatch, len(steps))
	for n := range steps {
		if r := steps[n].reading; r != nil {
			steps[n].skipDeleted(r.deleted - steps[n].deleted)
			steps[n].deleted = r.deleted
		}
		batches[n] = steps[n].batch
	}
	go func() {
		outs, err := i.sink.ImportBatches(ctx, batches)
		f.done <- landing{outs, err}
	}()
}

// land waits until all that was launched is stored.
func (i *importer) land(ctx context.Context) error {
	for i.flight != nil {
		f := i.flight
		i.flight = nil
		l := <-f.done
		for n, out := range l.outs {
			i.stored(f.steps[n], out)
		}
		rest := f.steps[len(l.outs):]
		if l.err != nil {
			i.steps = append(rest, i.steps...)
			return l.err
		}
		if len(rest) > 0 {
			i.fly(ctx, rest)
		}
	}
	return nil
}

// flush stores all that waits.
func (i *importer) flush(ctx context.Context) error {
	if err := i.launch(ctx); err != nil {
		return err
	}
	return i.land(ctx)
}

// settle waits for what was launched when nothing is to be stored any more, so
// that the report tells of it.
func (i *importer) settle() {
	if f := i.flight; f != nil {
		i.flight = nil
		for n, out := range (<-f.done).outs {
			i.stored(f.steps[n], out)
		}
	}
}

// stored takes up what became of a step.
func (i *importer) stored(s step, out session.ImportOutcome) {
	if t := s.tally; t != nil {
		s.skipDeleted(int64(out.Deleted))
		s.reading.deleted += int64(out.Deleted)
		i.prog.Bytes += s.batch.File.Cursor - t.cursor
		t.add(s.batch.File, out)
		if s.waiting {
			i.report.Waiting++
		}
		if s.last {
			i.report.refuse(s.batch.File)
		}
	}
	if s.last {
		i.prog.Files++
	}
	if i.opts.Progress != nil {
		i.opts.Progress(i.prog)
	}
}

// skipDeleted counts entries whose session was deleted here.
func (s *step) skipDeleted(n int64) {
	if n == 0 {
		return
	}
	f := &s.batch.File
	if f.Skipped == nil {
		f.Skipped = make(map[string]int64)
	}
	f.Skipped[session.SkippedDeleted] += n
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
	i.steps, i.waiting = nil, load{}
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
	// Read from their beginning, they get their rank anew: one that is queued
	// already may hold a time by now that its row was written without.
	for _, path := range again {
		if i.enqueue(queued{rank: i.rank(ctx, path), path: path, known: true}) {
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
