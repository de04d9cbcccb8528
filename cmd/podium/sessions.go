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
		Short: "find and keep sessions from the shell",
		Args:  argsUsage(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSessionsListCommand(a), newSessionsShowCommand(a), newSessionsExportCommand(a), newSessionsTagCommand(a),
		newSessionsRenameCommand(a), newSessionsDeleteCommand(a), newSessionsPruneCommand(a))
	return cmd
}

// sessionLine is a session as --json prints it. Times are Unix seconds; a cost
// of null is unknown, never 0, and a partial one lacks requests without a
// known price.
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
	CostPartial  bool     `json:"cost_partial"`
	InputTokens  *int64   `json:"input_tokens"`
	OutputTokens *int64   `json:"output_tokens"`
	Messages     int64    `json:"messages"`
	Tags         []string `json:"tags"`
}

func lineOf(r *session.Row, costPartial bool) sessionLine {
	shown := studio.Show(r)
	line := sessionLine{
		ID: r.ID, Name: shown.Name, Status: shown.Status, Kind: r.InvocationKind, Agent: r.AgentName,
		Project: r.Project, Provider: r.Provider, Model: shown.Model, StartedAt: r.StartedAt, UpdatedAt: r.UpdatedAt,
		EndedAt: r.EndedAt, CostUSD: shown.CostUSD, CostPartial: costPartial, InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
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
	if !v.Present() {
		return errAbsentStore(path, file)
	}
	return use(v, path)
}

// errAbsentStore says that there is no store at path, and whether --store, file,
// named it.
func errAbsentStore(path, file string) error {
	if file != "" {
		return fmt.Errorf("there is no store at %s, which --store names; podium store migrate --store %s makes one", path, shellWord(path))
	}
	return fmt.Errorf("there is no store at %s yet; podium run makes one", path)
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
				id, err := sessionRef(cmd.Context(), v, args[0])
				if err != nil {
					return err
				}
				d, err := v.SessionDetail(cmd.Context(), id, session.Window{Limit: 1})
				if err != nil {
					return noSession(id, err)
				}
				lineage, err := v.Lineage(cmd.Context(), id)
				if err != nil {
					return err
				}
				partial, err := v.PartialCosts(cmd.Context(), []string{id})
				if err != nil {
					return err
				}
				d.MessageCount = d.Stats.MessageCount
				return printSession(a.out, &d, partial[id], lineage, asJSON)
			})
		},
	}
	registerStoreFlag(cmd, &file)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func printSession(w io.Writer, d *session.Detail, costPartial bool, lineage session.Lineage, asJSON bool) error {
	line := lineOf(&d.Row, costPartial)
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
	row("cost", money(line.CostUSD, line.CostPartial))
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
				id, err := sessionRef(cmd.Context(), v, args[0])
				if err != nil {
					return err
				}
				tags, err := changeTags(cmd.Context(), v, id, args[1:], remove)
				if err != nil {
					return noSession(id, err)
				}
				if asJSON {
					return json.NewEncoder(a.out).Encode(map[string]any{"session_id": id, "tags": append([]string{}, tags...)})
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
