package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"podium.local/store"
	"podium.local/store/storetest"
)

// smallStore is the content of a store of lionagi's, as small as it gets.
func smallStore(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.db")
	storetest.SQL(t, path, "PRAGMA page_size = 512; VACUUM")
	storetest.Lionagi(t, path)
	storetest.Fill(t, path, storetest.Rows{Sessions: 3})
	storetest.SQL(t, path, "PRAGMA journal_mode = DELETE")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// digest opens content as a store: nothing panics, nothing is written, and
// what the two ways of looking at it say agrees.
func digest(t interface {
	Errorf(format string, args ...any)
	Fatal(args ...any)
}, ctx testing.TB, path string, content []byte) {
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	st, examineErr := store.Examine(ctx.Context(), path)
	if examineErr == nil && st.Kind == "" {
		t.Errorf("no kind: %+v", st)
	}
	s, err := store.OpenReadOnly(ctx.Context(), path, store.Options{})
	if err == nil {
		if examineErr == nil && st.Kind != s.Kind() {
			t.Errorf("examined as %s and opened as %s", st.Kind, s.Kind())
		}
		_, _ = s.Check(ctx.Context(), store.CheckOptions{}) // finds what it finds
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(content) {
		t.Errorf("the file was changed (%v)", err)
	}
	for _, side := range []string{"-wal", "-shm", "-journal"} {
		_ = os.Remove(path + side) // whatever a header in WAL mode brought
	}
}

// FuzzExamine gives arbitrary bytes as a store. The instrumented engine is
// slow; TestExamine_SurvivesDamage covers more in a second.
func FuzzExamine(f *testing.F) {
	content := smallStore(f)
	f.Add(content)
	f.Add(content[:len(content)/2])
	f.Add([]byte("SQLite format 3\x00"))
	f.Add([]byte("not a database"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		digest(t, t, filepath.Join(t.TempDir(), "state.db"), content)
	})
}

func TestExamine_SurvivesDamage(t *testing.T) {
	whole := smallStore(t)
	path := filepath.Join(t.TempDir(), "state.db")
	rapid.Check(t, func(r *rapid.T) {
		content := append([]byte(nil), whole...)
		for range rapid.IntRange(1, 8).Draw(r, "wounds") {
			// Most of what steers the engine stands in the headers of file and pages.
			at := rapid.OneOf(
				rapid.IntRange(16, 110),
				rapid.Custom(func(r *rapid.T) int {
					return rapid.IntRange(0, len(whole)/512-1).Draw(r, "page")*512 + rapid.IntRange(0, 24).Draw(r, "in page")
				}),
				rapid.IntRange(0, len(whole)-1),
			).Draw(r, "at")
			copy(content[at:], rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(r, "bytes"))
		}
		if rapid.IntRange(0, 9).Draw(r, "cut") == 0 {
			content = content[:rapid.IntRange(0, len(content)).Draw(r, "length")]
		}
		digest(r, t, path, content)
	})
}
