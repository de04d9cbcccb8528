package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/listing"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/studio"
	"podium.local/tui"
)

// pick lets the person choose a live pod, an ended session or a new pod, and
// attaches to it.
func (a *app) pick(cmd *cobra.Command) error {
	if !a.hasScreen() {
		return usageErrorf("attach needs NAME where there is no terminal to choose on; podium ps lists the pods")
	}
	ctx := cmd.Context()
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working folder: %w", err)
	}
	d := &directory{app: a}
	choice, ok, err := tui.Pick(ctx, tui.Terminal{In: a.in, Out: a.out, Environ: a.environ}, tui.PickerOptions{
		List: d.list, Search: d.search, Dir: dir, ASCII: !a.unicode(),
	})
	if err != nil || !ok {
		return err
	}
	e := choice.Entry
	switch {
	case choice.New:
		return a.startAndAttach(ctx, newPodName(dir), dir)
	case e.Live:
		return a.attach(ctx, e.Pod)
	case e.Pod != "":
		return a.startAndAttach(ctx, e.Pod, cmp.Or(e.Dir, dir))
	default:
		return a.startAndAttach(ctx, newPodName(dir), dir, "--session", e.Session)
	}
}

// listPlainly is the picker of a terminal that cannot be drawn on: the pods,
// and what to do with them.
func (a *app) listPlainly(cmd *cobra.Command) error {
	pods, err := a.listPods(cmd, "", true)
	if err != nil {
		return err
	}
	if err := printPods(a, pods, time.Now()); err != nil {
		return err
	}
	fmt.Fprintln(a.err, "podium attach NAME shows a pod, podium run NAME continues an ended one, podium sessions list lists the sessions; podium --help has the rest")
	return nil
}

// startAndAttach starts a pod with what the configuration says and shows it.
func (a *app) startAndAttach(ctx context.Context, name, dir string, args ...string) error {
	// What would stop the pod from starting is said here in one line.
	flags := modelFlags{dir: dir}
	if err := flags.recall(a, name); err != nil {
		return err
	}
	cfg, _, err := flags.read(a)
	if err != nil {
		return err
	}
	if _, _, err := newProvider(cfg, cfg.Model); err != nil {
		return err
	}
	if err := a.revive(ctx, name, append([]string{"--dir", dir}, args...)...); err != nil {
		return err
	}
	return a.attach(ctx, name)
}

// directory lists what can be attached to.
type directory struct{ *app }

// sessionsPage is how many sessions a look gives.
const sessionsPage = 100

// list gives the pods, live and ended.
func (d *directory) list(ctx context.Context) ([]tui.Entry, error) {
	paths, err := config.LocatePaths(d.lookupEnv)
	if err != nil {
		return nil, err
	}
	st, err := d.openStore(ctx, "")
	if errors.Is(err, store.ErrAbsent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer st.Close()
	rows, err := st.Pods(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]tui.Entry, len(rows))
	var wg sync.WaitGroup
	for i, row := range rows {
		wg.Go(func() { entries[i] = podEntry(ctx, st, paths, row) })
	}
	wg.Wait()
	return entries, nil
}

// search gives sessions that a pod of ours held, one bounded window of the
// listing at a time.
func (d *directory) search(ctx context.Context, word, next string) (found tui.Found, err error) {
	cfg, err := d.loadStore("")
	if err != nil {
		return found, err
	}
	if cfg.Store.Path == "" {
		return found, errServerStore(cfg)
	}
	v := openView(cfg, slog.New(slog.DiscardHandler))
	defer func() { err = errors.Join(err, v.Close()) }()
	if !v.Present() {
		return found, nil
	}
	r := listing.Request{Endpoint: listing.Runs, Order: listing.Recent, Rows: sessionsPage}
	if r.Filter, err = (&listing.Selection{Search: word}).Filter(); err != nil {
		return found, err
	}
	if next != "" {
		r.Cursor = &next
	}
	answer, err := newLister(cfg, v).List(ctx, r)
	if err != nil {
		return found, err
	}
	found.Examined = answer.Pagination.ExaminedCandidates
	if c := answer.Pagination.NextCursor; c != nil {
		found.Next = *c
	}
	for _, row := range answer.Rows {
		if deref(row.SourceKind) == "live" && deref(row.Status) != "running" {
			found.Entries = append(found.Entries, sessionEntry(row))
		}
	}
	return found, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func sessionEntry(r session.Row) tui.Entry {
	at := momentOf(r.UpdatedAt)
	if at.IsZero() {
		at = momentOf(r.StartedAt)
	}
	return tui.Entry{
		State: cmp.Or(deref(r.Status), "completed"), Session: r.ID, Title: deref(r.Name), Model: deref(r.Model),
		At: at, CostUSD: r.TotalCostUSD,
	}
}

func podEntry(ctx context.Context, st *store.Store, paths config.Paths, row session.Pod) tui.Entry {
	e := tui.Entry{
		Pod: row.Name, State: string(row.Phase), Session: row.SessionID, Model: row.Model, Dir: row.Cwd,
		At: row.StartedAt, CostUSD: row.CostUSD, CostPartial: row.CostPartial,
	}
	e.Last, e.At = lastWords(ctx, st, row)
	if !row.EndedAt.IsZero() {
		e.State = stateEnded
		return e
	}
	look := livePods{run: paths.Run, name: clientName()}.Look(ctx, row)
	e.State, e.Live = string(look.State), look.State != studio.PodDead
	if look.SessionID != "" {
		e.Session = look.SessionID
	}
	return e
}

// lastWords reads from the end of a pod's log what was said last, and when.
func lastWords(ctx context.Context, st *store.Store, row session.Pod) (last string, at time.Time) {
	at = row.StartedAt
	if !row.EndedAt.IsZero() {
		at = row.EndedAt
	}
	const tail = 20
	entries, err := st.Log(ctx, row.SessionID, max(0, row.Length-tail), row.Length, tail)
	if err != nil {
		return "", at
	}
	for _, entry := range entries {
		if entry.CreatedAt.After(at) {
			at = entry.CreatedAt
		}
		v, ok, err := session.HistoryItem(entry, false)
		if err != nil || !ok {
			continue
		}
		item, err := protocol.ParseItem(v)
		if err != nil {
			continue
		}
		if m, ok := item.Data.(protocol.Message); ok && m.Role != protocol.RoleSystem {
			if text := messageText(m); text != "" {
				last = firstLine(text)
			}
		}
	}
	return last, at
}
