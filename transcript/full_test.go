package transcript_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/store"
	"podium.local/transcript"
)

// The disk is really full here: the kernel refuses to make the store's files
// larger while the import is at work.
func TestBad_AFullDiskLosesNothingAndTheNextImportCompletes(t *testing.T) {
	tr := newTree(t)
	const files, prompts = 12, 120
	size := int64(0)
	for k := range files {
		id := vendorUUID(k)
		var text strings.Builder
		for i := range prompts {
			text.WriteString(line(said(id, k*1000+i, strings.Repeat("word ", 60))))
		}
		tr.put("projects/p/"+id+".jsonl", text.String())
		size += int64(text.Len())
	}
	path := filepath.Join(t.TempDir(), "state.db")
	a := importApart(t, tr.dir, path, 1<<20)
	for _, want := range []string{"import " + tr.dir, "the disk is full", "free some space and run it again: nothing that was saved is lost"} {
		if !strings.Contains(a.failed, want) {
			t.Errorf("%q does not say %q", a.failed, want)
		}
	}
	stored := a.report
	if stored.Kept == 0 || stored.Kept >= files*prompts {
		t.Fatalf("%d of %d records before the disk was full: not in the middle", stored.Kept, files*prompts)
	}
	s := reopen(t, path)
	sound(t, s)
	before := column(t, s, "SELECT count(*) || ' ' || (SELECT sum(kept) FROM import_files) FROM entries")
	r := importInto(t, s, transcript.ClaudeCode, tr.dir)
	if r.Known != 0 || stored.Kept+r.Kept != files*prompts || stored.Sessions+r.Sessions != files || stored.Bytes+r.Bytes != size {
		t.Errorf("first %d records of %d sessions, then %d of %d, %d known; the store had %s", stored.Kept, stored.Sessions, r.Kept, r.Sessions, r.Known, before)
	}
	sound(t, s)
	undisturbed := reopen(t, filepath.Join(t.TempDir(), "state.db"))
	importInto(t, undisturbed, transcript.ClaudeCode, tr.dir)
	same(t, s, undisturbed)
}

func TestBad_AGigabyteInOneLineIsHashedInBoundedMemory(t *testing.T) {
	tr := newTree(t)
	path := tr.put("projects/p/"+sid+".jsonl", line(said(sid, 1, "before")))
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	// What was never written is zeros and takes no room on most disks.
	_, err = f.WriteAt([]byte("x\n"+line(said(sid, 2, "after"))), info.Size()+longLine-1)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(t.TempDir(), "state.db")
	a := importApart(t, tr.dir, store, 0)
	if a.failed != "" || a.report.Kept != 3 || len(a.report.Problems) != 1 || a.report.Problems[0].Length != longLine {
		t.Fatalf("%+v, %s", a.report, a.failed)
	}
	if a.peak > longPeak {
		t.Errorf("%d MiB were resident for a line of %d", a.peak>>20, longLine>>20)
	}
}

func reopen(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Create(t.Context(), path, store.Options{Bulk: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
