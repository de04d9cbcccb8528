package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"podium.local/config"
	"podium.local/store"
)

const watchedLine = `{"type":"user","uuid":"00000001-0000-4000-8000-000000000000","sessionId":"11111111-1111-4111-8111-111111111111",` +
	`"timestamp":"2026-03-01T10:00:01Z","cwd":"/src/web","message":{"role":"user","content":"hi"}}` + "\n"

func TestFollowImports_FollowsTheFoldersThatAreThereWhenAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "claude", "projects", "p", "11111111-1111-4111-8111-111111111111.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(watchedLine), 0o600); err != nil {
		t.Fatal(err)
	}
	var cfg config.Config
	cfg.Store.Path = filepath.Join(dir, "state.db")
	cfg.Import = config.Import{SweepInterval: time.Hour, ClaudeCode: filepath.Join(dir, "claude"), Codex: filepath.Join(dir, "codex")}
	s, err := store.Create(t.Context(), cfg.Store.Path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	imported := func() int {
		files, err := s.ImportFilesAfter(t.Context(), "claude-code", "", 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	log := slog.New(slog.DiscardHandler)
	if err := followImports(t.Context(), cfg, log)(); err != nil || imported() != 0 {
		t.Fatalf("nobody asked: %d files, %v", imported(), err)
	}
	cfg.Import.Watch = true
	end := followImports(t.Context(), cfg, log)
	for tick := time.NewTicker(10 * time.Millisecond); imported() == 0; <-tick.C {
		if t.Context().Err() != nil {
			t.Fatal("nothing was imported")
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestFollowImports_MakesTheStoreThatIsNotThereYet(t *testing.T) {
	dir := t.TempDir()
	var cfg config.Config
	cfg.Paths.Data = filepath.Join(dir, "data")
	cfg.Store.Path = filepath.Join(cfg.Paths.Data, "state.db")
	cfg.Import = config.Import{SweepInterval: time.Hour, ClaudeCode: filepath.Join(dir, "claude"), Codex: filepath.Join(dir, "codex")}
	log := slog.New(slog.DiscardHandler)
	if err := followImports(t.Context(), cfg, log)(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(cfg.Store.Path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("nobody asked for a store: %v", err)
	}
	cfg.Import.Watch = true
	if err := followImports(t.Context(), cfg, log)(); err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenReadOnly(t.Context(), cfg.Store.Path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
