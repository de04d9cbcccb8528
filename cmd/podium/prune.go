package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"podium.local/session"
	"podium.local/store"
)

func newSessionsPruneCommand(a *app) *cobra.Command {
	var flags storeFlags
	var older string
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune --older-than AGE",
		Short: "delete sessions that nothing was added to for a long time",
		Long: `Delete the sessions that were last updated before AGE: a time ago like 2160h or
a day like 2026-11-30. Sessions that a living pod holds stay. What is deleted is
gone from the store for good, and an import does not bring it back unless it is
told to (--restore). Nothing is ever pruned by itself.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if older == "" {
				return usageErrorf("say what is old: --older-than 2160h, or a day like 2026-11-30")
			}
			before, err := timeAgo("--older-than", older, time.Now())
			if err != nil {
				return err
			}
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			view := openView(cfg, slog.New(slog.DiscardHandler))
			defer func() { err = errors.Join(err, view.Close()) }()
			if !view.Present() {
				return fmt.Errorf("prune sessions: there is no store at %s", cfg.Store.Path)
			}
			p := &pruning{app: a, view: view, dry: dry, asJSON: flags.asJSON}
			return p.run(cmd.Context(), before)
		},
	}
	flags.register(cmd)
	cmd.Flags().Lookup("json").Usage = "print one JSON object a session"
	cmd.Flags().StringVar(&older, "older-than", "", "a time ago (2160h) or a day (2006-01-02)")
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "say what would be deleted")
	return cmd
}

// timeAgo reads a day in local time that has begun, or a time ago.
func timeAgo(flag, text string, now time.Time) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		if day.After(now) {
			return time.Time{}, usageErrorf("%s is %s: that day has not come yet; give one that has, or a time ago like 720h", flag, text)
		}
		return day, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, usageErrorf("%s is %q: give a day like 2026-11-30 or a time ago like 720h", flag, text)
}

// pruning is one run of podium sessions prune.
type pruning struct {
	*app
	view        *store.View
	dry, asJSON bool
	gone, held  int
}

// pruneStep is how many sessions are listed at a time.
const pruneStep = 200

func (p *pruning) run(ctx context.Context, before time.Time) error {
	var last *store.OldSession
	for {
		old, err := p.view.OldSessions(ctx, before, last, pruneStep)
		if err != nil {
			return err
		}
		for _, s := range old {
			if err := p.one(ctx, s); err != nil {
				return err
			}
			last = &s
		}
		if len(old) < pruneStep {
			return p.sum()
		}
	}
}

// one deletes a session, unless a pod holds it.
func (p *pruning) one(ctx context.Context, s store.OldSession) error {
	if !p.dry {
		err := p.view.DeleteSession(ctx, s.ID, time.Now())
		switch {
		case errors.Is(err, session.ErrHeld):
			p.held++
			fmt.Fprintf(p.err, "podium: session %s stays: a pod holds it\n", s.ID)
			return nil
		case errors.Is(err, session.ErrNotFound):
			return nil // somebody was faster
		case err != nil:
			return err
		}
	}
	p.gone++
	if p.asJSON {
		return json.NewEncoder(p.out).Encode(s)
	}
	if !p.dry {
		return nil
	}
	at := time.UnixMicro(int64(s.UpdatedAt * 1e6)).Local().Format(time.DateTime)
	_, err := fmt.Fprintf(p.out, "%s  %s  %s  %s\n", at, s.ID, plural(int(s.Messages), "message"), printable(s.Name))
	return err
}

func (p *pruning) sum() error {
	if p.asJSON {
		return nil
	}
	verb := "deleted"
	if p.dry {
		verb = "would delete"
	}
	stay := ""
	if p.held > 0 {
		stay = fmt.Sprintf("; %s held by a pod: left", plural(p.held, "session"))
	}
	_, err := fmt.Fprintf(p.out, "%s %s%s\n", verb, plural(p.gone, "session"), stay)
	return err
}
