package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		dir = cmp.Or(e.Dir, dir)
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

// search gives ended sessions, one bounded window of the listing at a time. A
// word that is an id, or part of one, finds its session too.
func (d *directory) search(ctx context.Context, word, next string) (found tui.Found, err error) {
	cfg, err := d.loadStore("")
	if err != nil {
		return found, err
	}
	if cfg.Store.Path == "" {
		return found, errServerStore(cfg)
	}
	st, err := d.openStore(ctx, "")
	if errors.Is(err, store.ErrAbsent) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	adopted := st.Kind() != store.KindPodium
	if err := st.Close(); err != nil {
		return found, err
	}
	v := openView(cfg, slog.New(slog.DiscardHandler))
	defer func() { err = errors.Join(err, v.Close()) }()
	r := listing.Request{Endpoint: listing.Runs, Order: listing.Recent, Rows: sessionsPage}
	if r.Filter, err = (&listing.Selection{Search: nameWord(word)}).Filter(); err != nil {
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
	rows := answer.Rows
	if next == "" && len(word) >= refLeast {
		if rows, err = addCalled(ctx, v, word, rows); err != nil {
			return found, err
		}
	}
	partial, err := partialCosts(ctx, v, rows)
	if err != nil {
		return found, err
	}
	for _, row := range rows {
		if deref(row.Status) != "running" {
			e := sessionEntry(row, adopted)
			e.CostPartial = partial[row.ID]
			found.Entries = append(found.Entries, e)
		}
	}
	return found, nil
}

// addCalled adds the sessions whose id begins or ends with ref.
func addCalled(ctx context.Context, v *store.View, ref string, rows []session.Row) ([]session.Row, error) {
	ids, err := v.MatchSessions(ctx, ref)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if slices.ContainsFunc(rows, func(r session.Row) bool { return r.ID == id }) {
			continue
		}
		row, err := v.SessionRow(ctx, id)
		if errors.Is(err, session.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// nameWord is the word that names of sessions are searched for: none for one
// that may mean the program a session comes from.
func nameWord(word string) string {
	for _, program := range []string{originClaudeCode, originCodex} {
		if strings.Contains(strings.ToLower(program), strings.ToLower(word)) {
			return ""
		}
	}
	return word
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// The programs whose sessions are imported, as people know them.
const (
	originClaudeCode = "Claude Code"
	originCodex      = "Codex"
)

// originOf is the program that a session comes from, empty for a pod's.
func originOf(r session.Row) string {
	switch kind := deref(r.SourceKind); kind {
	case "", "live":
		return ""
	case "imported_fs":
		return originClaudeCode
	case "imported_codex":
		return originCodex
	default:
		return kind
	}
}

// sessionEntry is a session that no pod holds. What came from elsewhere is not
// continued before that was said.
func sessionEntry(r session.Row, adopted bool) tui.Entry {
	at := momentOf(r.UpdatedAt)
	if at.IsZero() {
		at = momentOf(r.StartedAt)
	}
	e := tui.Entry{
		State: cmp.Or(deref(r.Status), "completed"), Session: r.ID, Title: deref(r.Name), Model: deref(r.Model),
		At: at, CostUSD: r.TotalCostUSD, Origin: originOf(r), Dir: workedIn(r),
	}
	switch {
	case adopted:
		e.Origin, e.ReadOnly = cmp.Or(e.Origin, "lionagi"), true
		e.Note = "This store is lionagi's and is only read: podium studio shows the conversation, podium sessions show " + r.ID + " what is known of it."
	case e.Origin != "":
		where := "here"
		if e.Dir != "" {
			where = "in " + e.Dir
		}
		e.Note = fmt.Sprintf("Imported from %s. Enter again continues it as a new pod %s, which leaves %s's own file as it is; podium history %s shows it.",
			e.Origin, where, e.Origin, protocol.ShortID(r.ID))
	}
	return e
}

// workedIn is the folder that a session worked in, as long as it is there.
func workedIn(r session.Row) string {
	var facts struct {
		Cwd string `json:"cwd"`
	}
	// What another program wrote there tells nothing.
	if json.Unmarshal([]byte(deref(r.NodeMetadata)), &facts) != nil || !filepath.IsAbs(facts.Cwd) {
		return ""
	}
	if info, err := os.Stat(facts.Cwd); err != nil || !info.IsDir() {
		return ""
	}
	return facts.Cwd
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
