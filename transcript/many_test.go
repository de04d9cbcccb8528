package transcript_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

// small makes a folder of n files of two lines each.
func small(t testing.TB, n int) tree {
	t.Helper()
	tr := newTree(t)
	for k := range n {
		id := vendorUUID(k)
		tr.write("projects/p/"+id+".jsonl", said(id, 2*k, "hi"), answer(id, 2*k+1, fmt.Sprint("m", k), 7, textBlock("hello")))
	}
	return tr
}

// counted is a sink that counts what it is asked.
type counted struct {
	transcript.Sink
	t      *testing.T
	calls  int // of ImportBatches
	stored int // batches
	// most, entries and bytes are of the largest call, rows of the ledger's rows
	// that were asked for at once.
	most, entries, rows int
	bytes               int64
	// heap is what was held when the last batch was stored.
	heap, last int
}

func (c *counted) ImportFiles(ctx context.Context, tool string, paths []string) ([]session.ImportFile, error) {
	c.rows = max(c.rows, len(paths))
	return c.Sink.ImportFiles(ctx, tool, paths)
}

func (c *counted) ImportFilesAfter(ctx context.Context, tool, path string, limit int) ([]session.ImportFile, error) {
	c.rows = max(c.rows, limit)
	return c.Sink.ImportFilesAfter(ctx, tool, path, limit)
}

func (c *counted) ImportBatches(ctx context.Context, batches []session.ImportBatch) ([]session.ImportOutcome, error) {
	c.calls++
	c.most = max(c.most, len(batches))
	entries, bytes := 0, int64(0)
	for _, b := range batches {
		for _, p := range b.Parts {
			entries += len(p.Entries)
		}
		bytes += b.File.Cursor // of files that are read in one go
	}
	c.entries, c.bytes = max(c.entries, entries), max(c.bytes, bytes)
	outs, err := c.Sink.ImportBatches(ctx, batches)
	if c.stored < c.last && c.stored+len(outs) == c.last {
		c.heap = heap()
	}
	c.stored += len(outs)
	return outs, err
}

// heap is how many bytes are in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestBad_ManyFilesAreLookedAtOnceAndReadTogetherInBoundedMemory(t *testing.T) {
	tr := small(t, fileCount)
	c := &counted{Sink: transcript.DryRun(nil), t: t, last: fileCount}
	before := heap()
	r := importInto(t, c, transcript.ClaudeCode, tr.dir)
	// A file costs one stat; it is opened once for its place in the order and once
	// to be read.
	if r.Sessions != fileCount || r.Read != fileCount || r.Stats != fileCount || r.Opens != 2*fileCount {
		t.Errorf("%+v", r)
	}
	if c.most > 256 || c.entries > 500 || c.bytes > 8<<20 || c.rows > 500 {
		t.Errorf("%d batches, %d entries and %d bytes were stored at once, %d rows read", c.most, c.entries, c.bytes, c.rows)
	}
	if most := fileCount/200 + 1; c.calls > most {
		t.Errorf("%d files were stored in %d steps, want at most %d", fileCount, c.calls, most)
	}
	// What is held at the end is what waited to be stored and the buffers, which
	// do not grow with the number of files: the records of all would be twice that.
	if got := c.heap - before; got > 3<<20 {
		t.Errorf("%d bytes are held after %d files", got, fileCount)
	}
}

func TestBad_ManyFilesThatDidNotChangeCostOneStatEach(t *testing.T) {
	s := storetest.New(t, store.Options{Bulk: true})
	n := fileCount / 3
	tr := small(t, n)
	if r := importInto(t, s, transcript.ClaudeCode, tr.dir); r.Sessions != n || r.Kept != int64(2*n) {
		t.Errorf("%+v", r)
	}
	sound(t, s)
	c := &counted{Sink: s, t: t}
	r := importInto(t, c, transcript.ClaudeCode, tr.dir)
	if r.Unchanged != n || r.Stats != n || r.Opens != 0 || r.Read != 0 || r.Bytes != 0 || c.calls != 0 || c.rows > 500 {
		t.Errorf("%d calls, %d rows, %+v", c.calls, c.rows, r)
	}
}

// A store that takes one batch at a time, the fewest that it may, gives the
// same as one that takes all.
type slow struct{ *store.Store }

func (s slow) ImportBatches(ctx context.Context, batches []session.ImportBatch) ([]session.ImportOutcome, error) {
	return s.Store.ImportBatches(ctx, batches[:1])
}

func TestImport_HoweverFewBatchesAStepTakesTheStoreIsTheSame(t *testing.T) {
	tr := small(t, 50)
	tr.put("projects/p/"+sid+".jsonl", many(sid, 1200))
	fast, one := storetest.New(t, store.Options{}), storetest.New(t, store.Options{})
	a, b := importInto(t, fast, transcript.ClaudeCode, tr.dir), importInto(t, slow{one}, transcript.ClaudeCode, tr.dir)
	same(t, fast, one)
	if a.Kept+a.Known != 1300 || a.Kept != b.Kept || a.Read != b.Read || a.Bytes != b.Bytes || a.Lines != b.Lines {
		t.Errorf("%+v and %+v", a, b)
	}
}

// A fork that is found to come before what was stored with it in one step makes
// only what has to be read again be read again.
func TestImport_AnOrderFoundOutLateLosesNothingOfTheStep(t *testing.T) {
	tr := newTree(t)
	lines := func(id string, from int) []any {
		return []any{said(id, from, "one"), answer(id, from+1, "shared", 10, textBlock("x"))}
	}
	a, b := vendorUUID(1), vendorUUID(2)
	tr.write("projects/p/"+b+".jsonl", append(lines(b, 10), said(b, 30, "own"))...)
	s := storetest.New(t, store.Options{})
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	// The one that b was copied from appears, among others before and after it.
	tr.write("projects/p/"+vendorUUID(0)+".jsonl", said(vendorUUID(0), 1, "earlier"))
	tr.write("projects/p/"+a+".jsonl", append([]any{said(a, 2, "older")}, lines(a, 10)...)...)
	tr.write("projects/p/"+vendorUUID(3)+".jsonl", said(vendorUUID(3), 50, "later"))
	r := importInto(t, s, transcript.ClaudeCode, tr.dir)
	whole := storetest.New(t, store.Options{})
	importInto(t, whole, transcript.ClaudeCode, tr.dir)
	same(t, s, whole)
	sound(t, s)
	if r.Read != 4 || r.Sessions != 3 {
		t.Errorf("%+v", r)
	}
}

// A file that begins with lines without a time gets its place once one is
// there.
func TestImport_AFileThatGetsItsTimeLateGetsItsPlace(t *testing.T) {
	tr := newTree(t)
	title := fields{"type": "custom-title", "customTitle": "x", "sessionId": sid}
	backup, own := "projects/backup/"+sid+".jsonl", "projects/p/"+sid+".jsonl"
	s := storetest.New(t, store.Options{})
	tr.write(own, title)
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	tr.write(backup, title, said(sid, 20, "later"))
	tr.write(own, title, said(sid, 10, "earlier"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	whole := storetest.New(t, store.Options{})
	importInto(t, whole, transcript.ClaudeCode, tr.dir)
	same(t, s, whole)
}
