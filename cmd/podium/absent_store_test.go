package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoreFlag_APathWithoutAStoreIsRefused wants a mistyped --store told from
// a store that holds nothing.
func TestStoreFlag_APathWithoutAStoreIsRefused(t *testing.T) {
	dir := t.TempDir()
	noise := filepath.Join(dir, "noise.db")
	if err := os.WriteFile(noise, []byte(strings.Repeat("no database ", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{filepath.Join(dir, "nope"): "there is no store", noise: "not a podium store"} {
		for _, args := range [][]string{
			{"ps"}, {"ps", "--json"}, {"gc"}, {"sessions", "list"}, {"sessions", "show", "abcdef"}, {"sessions", "list", "--json"}, {"keyring", "rotate"},
			{"history", "abcdef"}, {"sessions", "prune", "--older-than", "10000h"},
		} {
			home := t.TempDir()
			code, out, errs := runIn(t.Context(), home, append(args, "--store", file)...)
			if code != exitFailure || out != "" || !strings.Contains(errs, want) || !strings.Contains(errs, file) || strings.Contains(errs, "keyring") {
				t.Errorf("%s of %s: %d %s%s", args, filepath.Base(file), code, out, errs)
			}
			if made, _ := os.ReadDir(home); len(made) != 0 {
				t.Errorf("%s made %v", args, made)
			}
		}
	}
	for _, args := range [][]string{{"ps"}, {"gc"}, {"sessions", "list"}} {
		if code, _, errs := runIn(t.Context(), t.TempDir(), args...); code != exitOK {
			t.Errorf("%s before anything was started: %d %s", args, code, errs)
		}
	}
}
