package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/pod"
	"podium.local/session"
	"podium.local/store"
)

func newRemoveCommand(a *app) *cobra.Command {
	var storeFile string
	cmd := &cobra.Command{
		Use:   "rm NAME...",
		Short: "forget ended pods: name, folder and log; their sessions stay",
		Args:  argsUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			t, err := a.openTidy(cmd.Context(), storeFile)
			if err != nil {
				return err
			}
			defer t.st.Close()
			var errs []error
			for _, name := range names {
				errs = append(errs, t.remove(cmd.Context(), name))
			}
			return errors.Join(errs...)
		},
	}
	registerStoreFlag(cmd, &storeFile)
	return cmd
}

func newGCCommand(a *app) *cobra.Command {
	var storeFile string
	var idle time.Duration
	var dry, otherHosts bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "close what killed pods left open; with --idle also end idle pods",
		Long: `Close the sessions of pods whose process was killed, and end pods that have
been idle for longer than --idle. Sessions and logs stay: podium run NAME
continues any of them.

A pod of another host is left alone, and said: whether its process lives cannot
be seen from here. --other-hosts closes it, for a host that has another name now
or a store that came from another machine.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("idle") && idle <= 0 {
				return usageErrorf("--idle is %s: give a time above zero, like 12h", idle)
			}
			t, err := a.openTidy(cmd.Context(), storeFile)
			if errors.Is(err, store.ErrAbsent) && storeFile == "" {
				return nil
			}
			if err != nil {
				return err
			}
			defer t.st.Close()
			t.dry, t.otherHosts = dry, otherHosts
			return t.collect(cmd.Context(), idle)
		},
	}
	cmd.Flags().DurationVar(&idle, "idle", 0, "end pods that have been idle for longer than this (like 12h)")
	cmd.Flags().BoolVar(&otherHosts, "other-hosts", false, "also close pods of other hosts whose name no process on this machine holds")
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "say what would be done")
	registerStoreFlag(cmd, &storeFile)
	return cmd
}

// tidy puts pods away.
type tidy struct {
	*app
	paths config.Paths
	st    *store.Store
	// storeFile is that of --store, absolute; empty for the configured store.
	storeFile string
	dry       bool
	// otherHosts closes pods that were recorded under another host name.
	otherHosts bool
}

func (a *app) openTidy(ctx context.Context, storeFile string) (*tidy, error) {
	cfg, err := a.loadStore(storeFile)
	if err != nil {
		return nil, err
	}
	if cfg.Store.Path == "" {
		return nil, errServerStore(cfg)
	}
	st, err := store.Open(ctx, cfg.Store.Path, store.Options{BusyTimeout: cfg.Store.BusyTimeout, Alive: processLives})
	if err != nil {
		return nil, err
	}
	return &tidy{app: a, paths: cfg.Paths, st: st, storeFile: absolute(storeFile)}, nil
}

// processLives takes a process for dead only when it surely is.
func processLives(p session.Process) bool { return pod.Probe(p) != pod.Dead }

// remove forgets one pod. A live one is refused: stopping is a decision of
// its own.
func (t *tidy) remove(ctx context.Context, name string) error {
	if err := pod.CheckName(name); err != nil {
		return usageErrorf("%w", err)
	}
	row, err := t.st.PodByName(ctx, name)
	if errors.Is(err, session.ErrNotFound) {
		return t.removeRest(name)
	}
	if err != nil {
		return err
	}
	if row.EndedAt.IsZero() {
		if ofOtherHost(row.Process) {
			return fmt.Errorf("pod %s is of host %s: when that host is gone or has another name now, podium gc --other-hosts first", name, printable(row.Process.Host))
		}
		if processLives(row.Process) {
			return fmt.Errorf("pod %s is alive: podium stop %s first", name, name)
		}
		if _, err := t.st.CloseDead(ctx, row); err != nil {
			return err
		}
	}
	waiting, err := t.st.Inbox(ctx, row.ID)
	if err != nil {
		return err
	}
	if err := t.st.ForgetPod(ctx, name); err != nil {
		return err
	}
	if len(waiting) > 0 {
		fmt.Fprintf(t.err, "podium: notice: pod %s had accepted %d inputs for its next start; they are gone with it\n", printable(name), len(waiting))
	}
	return t.removeFiles(name)
}

// removeRest removes what lies around of a pod that the store does not know
// (any more, after podium store reset).
func (t *tidy) removeRest(name string) error {
	dir := filepath.Join(t.paths.Run, name)
	was, err := readRecipe(t.paths, name)
	if err != nil {
		return err
	}
	_, gone := os.Lstat(dir)
	switch {
	case was == nil && gone != nil:
		return fmt.Errorf("there is no pod %s; podium ps --all lists the pods", name)
	case was != nil && was.Store != t.storeFile:
		return fmt.Errorf("pod %s is not of this store but of %s: say which with --store", name, cmp.Or(printable(was.Store), "the configured one"))
	}
	if held, err := pod.Held(dir); err != nil || held {
		return cmp.Or(err, fmt.Errorf("a process holds the name of pod %s: podium stop %s first", name, name))
	}
	return t.removeFiles(name)
}

// removeFiles removes a pod's folder and how it was started.
func (t *tidy) removeFiles(name string) error {
	if err := os.RemoveAll(filepath.Join(t.paths.Run, name)); err != nil {
		return fmt.Errorf("remove the folder of pod %s: %w", name, err)
	}
	return forgetRecipe(t.paths, name)
}

// collect closes dead pods and ends idle ones.
func (t *tidy) collect(ctx context.Context, idle time.Duration) error {
	rows, err := t.st.Pods(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, row := range rows {
		switch {
		case !row.EndedAt.IsZero():
		case !processLives(row.Process):
			errs = append(errs, t.closeDead(ctx, row, "its process is gone"))
		case ofOtherHost(row.Process):
			errs = append(errs, t.elsewhere(ctx, row))
		case idle > 0 && row.Phase == session.PhaseIdle:
			errs = append(errs, t.endIdle(ctx, row, idle))
		}
	}
	return errors.Join(errs...)
}

// closeDead closes a pod and says why.
func (t *tidy) closeDead(ctx context.Context, row session.Pod, why string) error {
	if !t.dry {
		if closed, err := t.st.CloseDead(ctx, row); err != nil || !closed {
			return err
		}
	}
	did := "closed as aborted"
	if t.dry {
		did = "would be closed as aborted"
	}
	fmt.Fprintf(t.out, "%s: %s; session %s %s\n", printable(row.Name), why, row.SessionID, did)
	return nil
}

func (t *tidy) endIdle(ctx context.Context, row session.Pod, idle time.Duration) error {
	since := row.StartedAt
	if row.Length > 0 {
		last, err := t.st.Log(ctx, row.SessionID, row.Length-1, -1, 1)
		if err != nil {
			return err
		}
		if len(last) == 1 && last[0].CreatedAt.After(since) {
			since = last[0].CreatedAt
		}
	}
	now := time.Now()
	if now.Sub(since) <= idle {
		return nil
	}
	if !t.dry {
		if err := t.stopPod(ctx, row.Name, stopGrace); err != nil {
			return err
		}
	}
	did := "ended"
	if t.dry {
		did = "would be ended"
	}
	fmt.Fprintf(t.out, "%s: idle for %s; %s\n", printable(row.Name), age(now, since), did)
	return nil
}

// errServerStore says that a store configured as a server cannot be used.
func errServerStore(cfg config.Config) error {
	return fmt.Errorf("the configured store %s is a server: only files are supported", cfg.Store.Server)
}
