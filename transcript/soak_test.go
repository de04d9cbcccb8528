//go:build soak

package transcript_test

import (
	"path/filepath"
	"testing"
	"time"

	"podium.local/store"
	"podium.local/transcript"
)

// manyCount is how many files a folder of small files has (make soak).
const manyCount = 100_000

func TestSoak_AHundredThousandFilesAreImportedInBoundedMemory(t *testing.T) {
	tr := small(t, manyCount)
	path := filepath.Join(t.TempDir(), "state.db")
	begun := time.Now()
	a := importApart(t, tr.dir, path, 0)
	if a.failed != "" || a.report.Sessions != manyCount || a.report.Kept != 2*manyCount {
		t.Fatalf("%+v, %s", a.report, a.failed)
	}
	t.Logf("%s, %d MiB resident at most", time.Since(begun).Round(time.Second), a.peak>>20)
	if a.peak > 128<<20 {
		t.Errorf("%d MiB were resident", a.peak>>20)
	}
	again := importApart(t, tr.dir, path, 0)
	if r := again.report; again.failed != "" || r.Unchanged != manyCount || r.Stats != manyCount || r.Opens != 0 {
		t.Errorf("%+v, %s", r, again.failed)
	}
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sound(t, s)
	if r, err := transcript.Import(t.Context(), transcript.DryRun(s), options(transcript.ClaudeCode, tr.dir)); err != nil || r.Read != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
