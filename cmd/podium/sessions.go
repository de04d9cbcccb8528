package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"podium.local/session"
	"podium.local/store"
	"podium.local/studio"
)

func newSessionsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "find sessions from the shell: list, show, tag",
		Args:  argsUsage(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSessionsListCommand(a), newSessionsShowCommand(a), newSessionsTagCommand(a))
	return cmd
}

// sessionLine is a session as --json prints it. Times are Unix seconds; a cost
// of null is unknown, never 0.
type sessionLine struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Status       string   `json:"status"`
	Kind         *string  `json:"kind"`
	Agent        *string  `json:"agent"`
	Project      *string  `json:"project"`
	Provider     *string  `json:"provider"`
	Model        *string  `json:"model"`
	StartedAt    *float64 `json:"started_at"`
	UpdatedAt    *float64 `json:"updated_at"`
	EndedAt      *float64 `json:"ended_at"`
	CostUSD      *float64 `json:"cost_usd"`
	InputTokens  *int64   `json:"input_tokens"`
	OutputTokens *int64   `json:"output_tokens"`
	Messages     int64    `json:"messages"`
	Tags         []string `json:"tags"`
}

func lineOf(r *session.Row) sessionLine {
	shown := studio.Show(r)
	line := sessionLine{
		ID: r.ID, Name: shown.Name, Status: shown.Status, Kind: r.InvocationKind, Agent: r.AgentName,
		Project: r.Project, Provider: r.Provider, Model: shown.Model, StartedAt: r.StartedAt, UpdatedAt: r.UpdatedAt,
		EndedAt: r.EndedAt, CostUSD: shown.CostUSD, InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
		Messages: r.MessageCount, Tags: r.Tags,
	}
	if line.Tags == nil {
		line.Tags = []string{}
	}
	return line
}

// sessionView opens the configured store for reading.
func (a *app) sessionView(file string) (*store.View, string, error) {
	cfg, err := a.loadStore(file)
	if err != nil {
		return nil, "", err
	}
	if cfg.Store.Path == "" {
		return nil, "", errServerStore(cfg)
	}
	return openView(cfg, slog.New(slog.DiscardHandler)), cfg.Store.Path, nil
}

// withView runs use with the store and explains what the store refuses.
func (a *app) withView(file string, use func(v *store.View, path string) error) (err error) {
	v, path, err := a.sessionView(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	return use(v, path)
}

func newSessionsListCommand(a *app) *cobra.Command {
	var file, sort string
	var filter session.Filter
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list sessions, the latest first",
		Long: `List sessions of the store, the last updated first or the most expensive first.
A session without a reported cost shows a dash and comes last by cost.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > 500 {
				return usageErrorf("--limit is %d: it must be 1 to 500", limit)
			}
			order := session.Order(sort)
			if order != session.OrderRecent && order != session.OrderCost {
				return usageErrorf("--sort is %q: it must be recent or cost", sort)
			}
			f, err := studio.Expand(filter)
			if err != nil {
				return usageErrorf("--kind: %w", err)
			}
			return a.withView(file, func(v *store.View, path string) error {
				if !v.Present() {
					fmt.Fprintf(a.err, "podium: there is no store at %s yet; podium run makes one\n", path)
					return nil
				}
				page, err := v.ListPage(cmd.Context(), session.PageQuery{Filter: f, Order: order, Limit: limit, WithTags: true})
				if err != nil {
					return err
				}
				return a.printSessions(page, asJSON)
			})
		},
	}
	registerStoreFlag(cmd, &file)
	fs := cmd.Flags()
	fs.StringVar(&sort, "sort", "recent", "recent or cost")
	fs.IntVar(&limit, "limit", 20, "how many, at most 500")
	fs.StringArrayVar(&filter.Statuses, "status", nil, "only these statuses (repeat for any of several)")
	fs.StringArrayVar(&filter.Kinds, "kind", nil, "only these kinds: agent, play, flow, fanout, show (repeat for any of several)")
	fs.StringVar(&filter.Project, "project", "", "only this project")
	fs.StringVar(&filter.Search, "search", "", "only names and agents that contain this")
	fs.StringArrayVar(&filter.Tags, "tag", nil, "only sessions with this tag (repeat for all of several)")
	fs.BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// printSessions prints a page and says how much of the whole it is.
func (a *app) printSessions(page session.Page, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(a.out)
		enc.SetEscapeHTML(false)
		for i := range page.Rows {
			if err := enc.Encode(lineOf(&page.Rows[i])); err != nil {
				return err
			}
		}
	} else if len(page.Rows) > 0 {
		tw := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, "UPDATED\tSTATUS\tCOST\tMESSAGES\tNAME\tID")
		now := time.Now()
		for i := range page.Rows {
			line := lineOf(&page.Rows[i])
			fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\t%s\n",
				age(now, momentOf(line.UpdatedAt)), oneLine(line.Status, 20), money(line.CostUSD, false), line.Messages, oneLine(line.Name, 48), oneLine(line.ID, 100))
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	if shown := int64(len(page.Rows)); shown < page.Total {
		fmt.Fprintf(a.err, "podium: %d of %d sessions; --limit, --search and the other filters show others\n", shown, page.Total)
	} else if page.Total == 0 {
		fmt.Fprintln(a.err, "podium: no session matches")
	}
	return nil
}

func newSessionsShowCommand(a *app) *cobra.Command {
	var file string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "what is known of one session",
		Args:  argsUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withView(file, func(v *store.View, _ string) error {
				d, err := v.SessionDetail(cmd.Context(), args[0], session.Window{Limit: 1})
				if errors.Is(err, session.ErrNotFound) {
					return fmt.Errorf("there is no session %s; podium sessions list shows the ids", printable(args[0]))
				}
				if err != nil {
					return err
				}
				lineage, err := v.Lineage(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				d.MessageCount = d.Stats.MessageCount
				return printSession(a.out, &d, lineage, asJSON)
			})
		},
	}
	registerStoreFlag(cmd, &file)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func printSession(w io.Writer, d *session.Detail, lineage session.Lineage, asJSON bool) error {
	line := lineOf(&d.Row)
	ids := func(steps []session.LineageStep) []string {
		out := []string{}
		for _, s := range steps {
			out = append(out, s.SessionID)
		}
		return out
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(struct {
			sessionLine
			Reason        *string  `json:"status_reason"`
			ToolCalls     int64    `json:"tool_calls"`
			ToolErrors    int      `json:"tool_errors"`
			CompactedFrom []string `json:"compacted_from"`
			ContinuedIn   []string `json:"continued_in"`
		}{line, d.ReasonSummary, d.Stats.ToolCallCount, len(d.Stats.Errors), ids(lineage.CompactedFrom), ids(lineage.ContinuedIn)})
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(tw, "%s\t%s\n", name, oneLine(text, 300))
		}
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	row("session", line.ID)
	row("name", line.Name)
	row("status", line.Status)
	row("reason", text(d.ReasonSummary))
	row("project", text(line.Project))
	row("model", strings.TrimSpace(text(line.Provider)+" "+text(line.Model)))
	row("started", timeOf(line.StartedAt))
	row("updated", timeOf(line.UpdatedAt))
	row("ended", timeOf(line.EndedAt))
	row("cost", money(line.CostUSD, false))
	if line.InputTokens != nil || line.OutputTokens != nil {
		row("tokens", fmt.Sprintf("%s in, %s out", countOf(line.InputTokens), countOf(line.OutputTokens)))
	}
	row("messages", fmt.Sprintf("%d, %d tool calls, %d of them failed", line.Messages, d.Stats.ToolCallCount, len(d.Stats.Errors)))
	row("tags", strings.Join(line.Tags, ", "))
	row("compacted from", strings.Join(ids(lineage.CompactedFrom), ", "))
	row("continued in", strings.Join(ids(lineage.ContinuedIn), ", "))
	return tw.Flush()
}

func newSessionsTagCommand(a *app) *cobra.Command {
	var file string
	var remove, asJSON bool
	cmd := &cobra.Command{
		Use:   "tag ID TAG...",
		Short: "put tags on a session, or take them off with --remove",
		Args:  argsUsage(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, tag := range args[1:] {
				if strings.TrimSpace(tag) == "" {
					return usageErrorf("a tag must not be empty")
				}
			}
			return a.withView(file, func(v *store.View, _ string) error {
				tags, err := changeTags(cmd.Context(), v, args[0], args[1:], remove)
				if errors.Is(err, session.ErrNotFound) {
					return fmt.Errorf("there is no session %s; podium sessions list shows the ids", printable(args[0]))
				}
				if err != nil {
					return err
				}
				if asJSON {
					return json.NewEncoder(a.out).Encode(map[string]any{"session_id": args[0], "tags": append([]string{}, tags...)})
				}
				for _, tag := range tags {
					fmt.Fprintln(a.out, printable(tag))
				}
				return nil
			})
		},
	}
	registerStoreFlag(cmd, &file)
	cmd.Flags().BoolVar(&remove, "remove", false, "take the tags off")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// changeTags applies tags one by one and returns what the session has then.
func changeTags(ctx context.Context, v *store.View, id string, tags []string, remove bool) (left []string, err error) {
	if _, err := v.SessionRow(ctx, id); err != nil {
		return nil, err
	}
	for _, tag := range tags {
		tag = strings.TrimSpace(tag)
		if remove {
			left, err = v.RemoveTag(ctx, id, tag)
		} else {
			left, err = v.AddTag(ctx, id, tag)
		}
		if err != nil {
			return nil, err
		}
	}
	return left, nil
}

// timeOf is a stored time for a person, empty for none.
func timeOf(at *float64) string {
	if at == nil {
		return ""
	}
	return momentOf(at).Local().Format(time.DateTime)
}

// countOf is a number that may be unknown.
func countOf(n *int64) string {
	if n == nil {
		return "—"
	}
	return fmt.Sprint(*n)
}

// oneLine is foreign text as one line of at most n characters.
func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(printable(text)), " ")
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}

// momentOf is a stored time, the zero time for none.
func momentOf(at *float64) time.Time {
	if at == nil {
		return time.Time{}
	}
	return time.UnixMicro(int64(*at * 1e6))
}
