package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInputHistory_KeepsTheInputsOfAFolderInOrder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	here, there := newInputHistory(data, "/src/shop"), newInputHistory(data, "/src/other")
	for _, text := range []string{"first", "two\nlines", "第三 \u2028 \"quoted\""} {
		if err := here.Append(text); err != nil {
			t.Fatal(err)
		}
	}
	got, err := newInputHistory(data, "/src/shop").Load()
	if diff := cmp.Diff([]string{"first", "two\nlines", "第三 \u2028 \"quoted\""}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := there.Load(); got != nil || err != nil {
		t.Errorf("another folder has %q, %v", got, err)
	}
	if info, err := os.Stat(here.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestInputHistory_PassesOverWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	h := newInputHistory(t.TempDir(), "/x")
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.path, []byte("\"good\"\n{broken\n\n\"cut off"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := h.Load()
	if diff := cmp.Diff([]string{"good"}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestInputHistory_IsCutDownWhenItGrows(t *testing.T) {
	t.Parallel()
	h := newInputHistory(t.TempDir(), "/x")
	text := strings.Repeat("x", 30<<10)
	for i := range 80 {
		if err := h.Append(fmt.Sprint(i, text)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := h.Load()
	if err != nil || len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "79x") {
		t.Fatalf("%d inputs, %v", len(got), err)
	}
	if info, err := os.Stat(h.path); err != nil || info.Size() > inputHistoryMost {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	again, err := h.Load()
	if diff := cmp.Diff(got, again); diff != "" || err != nil {
		t.Errorf("%v: cutting down changed what is read", err)
	}
}

func TestInputHistory_ManyTerminalsMayAppend(t *testing.T) {
	t.Parallel()
	h := newInputHistory(t.TempDir(), "/x")
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if err := h.Append(fmt.Sprint(i, strings.Repeat("y", 8000))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := h.Load(); len(got) != 50 || err != nil {
		t.Errorf("%d inputs, %v", len(got), err)
	}
}

func TestProjectFiles_LeaveOutWhatWasInstalledOrIsHidden(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.go", "sub/b.go", ".git/config", "node_modules/x/index.js", "vendor/y.go", ".env"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := projectFiles(t.Context(), dir)
	if diff := cmp.Diff([]string{".env", "a.go", "sub/b.go"}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := projectFiles(t.Context(), filepath.Join(dir, "missing")); err == nil || !strings.Contains(err.Error(), "list the files of") {
		t.Errorf("a missing folder gives %v", err)
	}
}
