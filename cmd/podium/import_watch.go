package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"podium.local/config"
	"podium.local/store"
	"podium.local/transcript"
)

// follow imports and goes on as files grow, until the command is interrupted.
func (i *importRun) follow(ctx context.Context, sink transcript.Sink, cfg config.Config) error {
	first := true
	return transcript.Watch(ctx, sink, transcript.WatchOptions{
		Options: i.options, Sweep: cfg.Import.SweepInterval,
		Notice: func(text string) { fmt.Fprintf(i.err, "podium: notice: %s\n", text) },
		Settled: func(r transcript.Report, err error) {
			switch {
			case err != nil:
				fmt.Fprintf(i.err, "podium: %v; trying again\n", err)
			case first || r.Kept+r.Damaged > 0 || len(r.Troubles) > 0:
				if err := i.print(r, ""); err != nil {
					fmt.Fprintf(i.err, "podium: %v\n", err)
				}
			}
			first = false
		},
	})
}

// followImports follows the folders of all tools that are there, when the
// configuration asks for it; a store that is not there yet is made, as by an
// import. What it returns ends that.
func followImports(ctx context.Context, cfg config.Config, log *slog.Logger) (end func() error) {
	if !cfg.Import.Watch || cfg.Store.Path == "" {
		return func() error { return nil }
	}
	st, err := makeStore(ctx, cfg, store.Options{Bulk: true, BusyTimeout: cfg.Store.BusyTimeout, Alive: processLives, Log: log})
	if err != nil {
		log.Warn("sessions of other agents are not followed", "error", err)
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for tool, dir := range map[transcript.Tool]string{transcript.ClaudeCode: cfg.Import.ClaudeCode, transcript.Codex: cfg.Import.Codex} {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			continue // that agent is not used here
		}
		running.Go(func() {
			log := log.With("tool", string(tool))
			err := transcript.Watch(ctx, st, transcript.WatchOptions{
				Options: transcript.Options{Tool: tool, Dir: dir, Price: pricer(cfg)}, Sweep: cfg.Import.SweepInterval,
				Notice: func(text string) { log.Warn(text) },
				Settled: func(r transcript.Report, err error) {
					if err != nil {
						log.Warn("import failed and is tried again", "error", err)
					}
					for _, t := range r.Troubles {
						log.Warn("cannot read", "path", t.Path, "error", t.Text)
					}
				},
			})
			if err != nil {
				log.Warn("sessions are no longer followed", "error", err)
			}
		})
	}
	return func() error {
		cancel()
		running.Wait()
		return st.Close()
	}
}
