package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"podium.local/store"
	"podium.local/store/storetest"
)

func TestWatch_SeesWhatAnybodyCommitsOnce(t *testing.T) {
	for kind, path := range filled(t, storetest.Rows{Sessions: 2}) {
		t.Run(kind, func(t *testing.T) {
			w := newView(t, path).Watch()
			look := func(when string, want bool) {
				t.Helper()
				if got, err := w.Changed(t.Context()); err != nil || got != want {
					t.Errorf("%s: %t, %v; want %t", when, got, err, want)
				}
			}
			look("first", true)
			look("nothing happened", false)
			storetest.SQL(t, path, "UPDATE sessions SET name = 'other' WHERE rowid = 1")
			look("after a commit", true)
			look("after it was seen", false)
			storetest.SQL(t, path, "BEGIN; UPDATE sessions SET name = 'never'; ROLLBACK")
			look("after a rollback", false)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			look("opened again", true)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestWatch_AFileThatComesGoesOrIsReplacedIsAChange(t *testing.T) {
	source := storetest.New(t, store.Options{}).Path()
	storetest.SQL(t, source, "PRAGMA wal_checkpoint(TRUNCATE)")
	path := filepath.Join(t.TempDir(), "state.db")
	w := newView(t, path).Watch()
	look := func(when string, want bool) {
		t.Helper()
		if got, err := w.Changed(t.Context()); err != nil || got != want {
			t.Errorf("%s: %t, %v; want %t", when, got, err, want)
		}
	}
	look("absent, first", true)
	look("absent", false)
	storetest.Copy(t, source, path)
	look("come", true)
	look("there", false)
	storetest.Copy(t, source, path+".new")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	look("replaced", true)
	look("there again", false)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	look("gone", true)
	look("still gone", false)
	if err := os.Symlink(source, path); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Changed(t.Context()); err == nil {
		t.Error("a link was followed")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	look("after an error", true)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
