package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/listing"
	"podium.local/session"
	"podium.local/store"
)

// listFlags are the flags of podium sessions list.
type listFlags struct {
	store, sort, cursor string
	limit               int
	selection           listing.Selection
	exactTotal, all     bool
	asJSON              bool
}

// Rows of a window, unless --limit says otherwise.
const (
	defaultListRows = 20
	maxListRows     = 500
)

func newSessionsListCommand(a *app) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list sessions, the latest first",
		Long: `List sessions of the store, the last updated first or the most expensive first.
A session without a reported cost shows a dash and comes last by cost; ≥ before a
cost says that some requests have no known price.

One window examines at most 10,000 sessions and says how far it came; --cursor
goes on from there, --all does that to the end and prints where to go on when it
is interrupted. --exact-total counts all matches, which reads the whole store.

--json prints one document a window: sessions, with members as in
podium sessions show --json, and pagination and total as the HTTP API has them;
with --all one session a line.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := f.request(cmd)
			if err != nil {
				return err
			}
			return a.listSessions(cmd.Context(), f, r)
		},
	}
	registerStoreFlag(cmd, &f.store)
	fs := cmd.Flags()
	fs.StringVar(&f.sort, "sort", "recent", "recent or cost")
	fs.IntVar(&f.limit, "limit", defaultListRows, "how many a window, at most 500 (with --all: 500)")
	fs.StringArrayVar(&f.selection.Statuses, "status", nil, "only these statuses, like running, completed or failed (repeat for any of several)")
	fs.StringArrayVar(&f.selection.Kinds, "kind", nil, "only these kinds: agent, play, flow, fanout, show (repeat for any of several)")
	fs.StringVar(&f.selection.Project, "project", "", "only this project")
	fs.StringVar(&f.selection.Search, "search", "", "only names and agents that contain this")
	fs.StringArrayVar(&f.selection.Tags, "tag", nil, "only sessions with this tag (repeat for all of several)")
	fs.StringVar(&f.cursor, "cursor", "", "go on where a window with the same flags ended")
	fs.BoolVar(&f.exactTotal, "exact-total", false, "count all matches too")
	fs.BoolVar(&f.all, "all", false, "go on to the end")
	fs.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

// request reads the flags as the runs endpoint would, so that a cursor of one
// works at the other.
func (f *listFlags) request(cmd *cobra.Command) (r listing.Request, err error) {
	if f.limit < 1 || f.limit > maxListRows {
		return r, usageErrorf("--limit is %d: it must be 1 to %d", f.limit, maxListRows)
	}
	r = listing.Request{Endpoint: listing.Runs, Order: listing.Order(f.sort), Rows: f.limit, ExactTotal: f.exactTotal}
	if !r.Order.Valid() {
		return r, usageErrorf("--sort is %q: it must be recent or cost", f.sort)
	}
	for _, status := range f.selection.Statuses {
		if known := listing.KnownStatuses(); !slices.Contains(known, status) {
			return r, usageErrorf("--status is %q: it must be one of %s", status, strings.Join(known, ", "))
		}
	}
	if _, unknown := listing.WidenKinds(f.selection.Kinds); unknown != nil {
		return r, usageErrorf("--kind is %q: it must be one of %s", unknown[0], strings.Join(listing.KindFacets(), ", "))
	}
	if r.Filter, err = f.selection.Filter(); err != nil {
		return r, &exitError{code: exitUsage, err: err}
	}
	if f.all && !cmd.Flags().Changed("limit") {
		r.Rows = maxListRows
	}
	if cmd.Flags().Changed("cursor") {
		r.Cursor = &f.cursor
	}
	if err := r.Check(); err != nil {
		return r, &exitError{code: exitUsage, err: err}
	}
	return r, nil
}

// listSessions prints one window, or all of them, holding one at a time.
func (a *app) listSessions(ctx context.Context, f listFlags, r listing.Request) (err error) {
	cfg, err := a.loadStore(f.store)
	if err != nil {
		return err
	}
	if cfg.Store.Path == "" {
		return errServerStore(cfg)
	}
	v := openView(cfg, slog.New(slog.DiscardHandler))
	defer func() { err = errors.Join(err, v.Close()) }()
	switch absent := !v.Present(); {
	case absent && f.store != "":
		return errAbsentStore(cfg.Store.Path, f.store)
	case absent && r.Cursor == nil:
		fmt.Fprintf(a.err, "podium: %v\n", errAbsentStore(cfg.Store.Path, ""))
	}
	p := listPrinter{app: a, flags: f, started: r.Cursor != nil}
	l := newLister(cfg, v)
	for {
		answer, err := l.List(ctx, r)
		if ctx.Err() != nil {
			return p.interrupted(r.Cursor)
		}
		if err != nil {
			return listingNext(ctx, err, cfg, f.store)
		}
		partial, err := partialCosts(ctx, v, answer.Rows)
		if ctx.Err() != nil {
			return p.interrupted(r.Cursor)
		}
		if err != nil {
			return err
		}
		if err := p.window(answer, partial); err != nil {
			return err
		}
		if !f.all || answer.Pagination.NextCursor == nil {
			return p.end(answer, v.Present())
		}
		r.Cursor, r.ExactTotal = answer.Pagination.NextCursor, false
	}
}

// listPrinter prints windows and says how far they reached.
type listPrinter struct {
	*app
	flags listFlags
	// started says that the first window is not the listing's first.
	started         bool
	windows         int
	shown, examined int
	total           listing.Total
}

// listDocument is a window as --json prints it.
type listDocument struct {
	Sessions   []sessionLine      `json:"sessions"`
	Pagination listing.Pagination `json:"pagination"`
	Total      listing.Total      `json:"total"`
}

// partialCosts names the rows whose cost is a lower bound.
func partialCosts(ctx context.Context, v *store.View, rows []session.Row) (map[string]bool, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	return v.PartialCosts(ctx, ids)
}

func (p *listPrinter) window(a listing.Answer[session.Row], partial map[string]bool) error {
	p.windows++
	p.shown += len(a.Rows)
	p.examined += a.Pagination.ExaminedCandidates
	if a.Total.Kind == listing.Exact {
		p.total = a.Total
	}
	lines := make([]sessionLine, len(a.Rows))
	for i := range a.Rows {
		lines[i] = lineOf(&a.Rows[i], partial[a.Rows[i].ID])
	}
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	switch {
	case p.flags.asJSON && !p.flags.all:
		return enc.Encode(listDocument{lines, a.Pagination, a.Total})
	case p.flags.asJSON:
		for _, line := range lines {
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}
	if err := printLines(p.out, time.Now(), lines, p.shown == len(lines)); err != nil {
		return err
	}
	if p.flags.all && a.Pagination.StopReason == listing.CandidateLimit {
		fmt.Fprintf(p.err, "podium: looked at %d sessions, %d of them match so far\n", p.examined, p.shown)
	}
	return nil
}

// printLines prints rows for a person who reads them at now.
func printLines(w io.Writer, now time.Time, lines []sessionLine, first bool) error {
	if len(lines) == 0 {
		return nil
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if first {
		fmt.Fprintln(tw, "UPDATED\tSTATUS\tCOST\tMESSAGES\tNAME\tID")
	}
	for _, line := range lines {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\t%s\n", updated(now, momentOf(line.UpdatedAt)), oneLine(line.Status, 20),
			money(line.CostUSD, line.CostPartial), line.Messages, oneLine(line.Name, 48), oneLine(line.ID, 100))
	}
	return tw.Flush()
}

// updated says how long ago a row changed. A time in the future, which another
// machine's clock or an import may have written, is shown as it is.
func updated(now, at time.Time) string {
	if at.After(now) {
		return at.Local().Format(time.DateTime)
	}
	return age(now, at)
}

// end says on stderr what the windows do not show. That nothing matches is
// only said of a listing that was seen whole in one snapshot.
func (p *listPrinter) end(last listing.Answer[session.Row], present bool) error {
	page := last.Pagination
	var text string
	switch {
	case p.flags.asJSON || !present:
	case page.StopReason == listing.RowLimit:
		text = fmt.Sprintf("%s; more with --cursor %s", plural(p.shown, "session"), *page.NextCursor)
	case page.StopReason == listing.CandidateLimit:
		text = fmt.Sprintf("looked at %d sessions, %d of them match; go on with --cursor %s", p.examined, p.shown, *page.NextCursor)
	case p.shown == 0 && p.windows == 1 && !p.started:
		text = "no session matches"
	case p.shown == 0:
		text = "no match found in this traversal"
	}
	if p.total.Kind == listing.Exact && !p.flags.asJSON {
		count := fmt.Sprintf("%d of %s", p.shown, plural(int(*p.total.Value), "session"))
		if text != "" {
			count += "; "
		}
		text = count + text
	}
	if text != "" {
		fmt.Fprintln(p.err, "podium: "+text)
	}
	return nil
}

// interrupted says where to go on after Ctrl-C: behind the last window that
// was printed.
func (p *listPrinter) interrupted(cursor *string) error {
	if p.windows > 0 && cursor != nil {
		fmt.Fprintf(p.err, "podium: stopped; go on with --cursor %s\n", *cursor)
	}
	return &exitError{code: exitCancelled}
}

// listingNext adds the next step to a condition of the listing; file is the
// value of --store.
func listingNext(ctx context.Context, err error, cfg config.Config, file string) error {
	var e *listing.Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Code == listing.CursorInvalid || e.Code == listing.CursorRestart:
		return fmt.Errorf("%w; run the command again without --cursor", err)
	case e.Code == listing.StoreOrder:
		return fmt.Errorf("%w; mend the session's row, or list in another order", err)
	case e.Code == listing.NotReady && e.Lacks == listing.LacksKeyring:
		if none := noStore(ctx, cfg, file); none != nil {
			return none // a keyring would not help
		}
		return fmt.Errorf("%s (%s): %w", e.Code.Message(), e.Reason, keyringNext(e.Unwrap(), cfg, file))
	}
	return err
}
