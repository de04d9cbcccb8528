package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

func TestBackup_IsOneFileWithEverythingButTheIdentity(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	want := storetest.Commit(t, s, p, storetest.Text("one"), storetest.Text("two"))
	folder := t.TempDir()
	target := filepath.Join(folder, "copy.db")
	if err := s.Backup(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if names := dir(t, folder); !cmp.Equal(names, []string{"copy.db"}) {
		t.Errorf("it made %q", names)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	identity := examine(t, s.Path()).Incarnation
	bytes, err := os.ReadFile(target)
	if err != nil || identity == "" || strings.Contains(string(bytes), identity) {
		t.Errorf("the identity is in the copy (%v)", err)
	}
	st := examine(t, target)
	if st.Kind != store.KindPodium || st.Ready() || st.Incarnation != "" || st.Entries != 2 {
		t.Errorf("the copy is %+v", st)
	}
	c := open(t, target, store.Options{})
	if got, err := c.Log(t.Context(), p.SessionID, 0, -1, 0); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	assertSound(t, c)
	storetest.Commit(t, s, p, storetest.Text("the pod goes on"))
	// A copy is only ready once it is a store of its own.
	migrate(t, target)
	if st := examine(t, target); st.Ready() || !strings.Contains(st.Why, "podium store rotate-identity") {
		t.Errorf("migrated it is %+v", st)
	}
	fresh, err := c.RotateIdentity(t.Context())
	if err != nil || fresh == identity {
		t.Errorf("%q %v", fresh, err)
	}
	if st := examine(t, target); !st.Ready() || st.Incarnation != fresh {
		t.Errorf("rotated it is %+v", st)
	}
	if mode := storetest.Value(t, target, "PRAGMA journal_mode"); mode != "wal" {
		t.Errorf("written to, it is in mode %s", mode)
	}
}

func TestBackup_OfAnAdoptedStoreCarriesNoIdentityEither(t *testing.T) {
	path := lionagiStore(t, 20)
	migrate(t, path)
	s, err := store.OpenReadOnly(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "copy.db")
	if err := errors.Join(s.Backup(t.Context(), target), s.Close()); err != nil {
		t.Fatal(err)
	}
	if st := examine(t, target); st.Kind != store.KindAdopted || st.Ready() || st.Sessions != 20 || !strings.Contains(st.Why, "rotate-identity") {
		t.Errorf("%+v", st)
	}
	migrate(t, target)
	if st := examine(t, target); st.Ready() {
		t.Errorf("migration made the copy ready: %+v", st)
	}
}

func TestRotateIdentity_IsForStoresThatHaveOne(t *testing.T) {
	path := lionagiStore(t, 2)
	s, err := store.OpenReadOnly(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RotateIdentity(t.Context()); !errors.Is(err, session.ErrAdopted) {
		t.Errorf("one that was not adopted: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	migrate(t, path)
	before := examine(t, path).Incarnation
	if after, err := open(t, path, store.Options{}).RotateIdentity(t.Context()); err != nil || after == before || after != examine(t, path).Incarnation {
		t.Errorf("%q became %q, %v", before, after, err)
	}
}

func TestBackup_RefusesATargetThatExists(t *testing.T) {
	s := storetest.New(t, store.Options{})
	folder := t.TempDir()
	target := filepath.Join(folder, "there")
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{target, link, folder, s.Path()} {
		if err := s.Backup(t.Context(), to); !errors.Is(err, store.ErrExists) || !strings.Contains(err.Error(), to) {
			t.Errorf("%s: %v", to, err)
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "mine" {
		t.Errorf("%q %v", text, err)
	}
}

func TestBackup_LeavesNothingWhenItFails(t *testing.T) {
	s := storetest.New(t, store.Options{})
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Backup(ctx, filepath.Join(folder, "copy.db")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if names := dir(t, folder); names != nil {
		t.Errorf("left %q", names)
	}
	if err := s.Backup(t.Context(), filepath.Join(folder, "no", "copy.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
