package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"podium.local/session"
	"podium.local/store"
)

func newHistoryCommand(a *app) *cobra.Command {
	var storeFile string
	var asJSON, follow bool
	cmd := &cobra.Command{
		Use:   "history NAME",
		Short: "the conversation of a pod, alive or ended",
		Long: `Print the conversation of a pod's current session from the store.

NAME is a pod's name or a session's id, of which the first or the last digits
are enough. With --json each history item is one
line of JSON, as on the wire, with its entry_id.`,
		Args: argsUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := a.openStore(cmd.Context(), storeFile)
			if err != nil {
				return err
			}
			defer st.Close()
			v, _, err := a.sessionView(storeFile)
			if err != nil {
				return err
			}
			sessionID, dir, err := sessionOf(cmd.Context(), st, v, args[0])
			if err = errors.Join(err, v.Close()); err != nil {
				return err
			}
			if err != nil {
				return err
			}
			p := newPrinter(a.out, a.out)
			p.dir = dir
			switch {
			case follow && asJSON:
				return a.follow(cmd.Context(), st, args[0], sessionID, func(e session.Entry) error { return printItem(a.out, e) })
			case follow:
				return a.follow(cmd.Context(), st, args[0], sessionID, func(e session.Entry) error { return p.entry(e, new(session.Totals)) })
			case asJSON:
				return historyJSON(cmd.Context(), a.out, st, sessionID)
			default:
				return historyText(cmd.Context(), p, st, sessionID)
			}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a history item")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as the pod works, until it ends or you interrupt")
	registerStoreFlag(cmd, &storeFile)
	return cmd
}

// openStore opens the configured store for reading.
func (a *app) openStore(ctx context.Context, file string) (*store.Store, error) {
	cfg, err := a.loadStore(file)
	if err != nil {
		return nil, err
	}
	if cfg.Store.Path == "" {
		return nil, errServerStore(cfg)
	}
	return store.OpenReadOnly(ctx, cfg.Store.Path, store.Options{BusyTimeout: cfg.Store.BusyTimeout})
}

// sessionOf finds the session that a pod's name or a session's id means, and
// the pod's folder where there is a pod.
func sessionOf(ctx context.Context, st *store.Store, v *store.View, name string) (id, dir string, err error) {
	p, err := st.PodByName(ctx, name)
	if err == nil {
		return p.SessionID, p.Cwd, nil
	}
	if !errors.Is(err, session.ErrNotFound) {
		return "", "", err
	}
	id, err = referredTo(ctx, v, name)
	if errors.Is(err, session.ErrNotFound) {
		return "", "", fmt.Errorf("no pod or session is called %q; podium ps --all lists the pods, podium sessions list the sessions", name)
	}
	return id, "", err
}

// logWindow is how many entries are read at a time, so that a session of any
// length is printed in bounded memory.
const logWindow = 1000

// eachEntry calls f with every entry of a session's log, in order.
func eachEntry(ctx context.Context, st *store.Store, sessionID string, f func(session.Entry) error) error {
	_, err := readLog(ctx, st, sessionID, 0, f)
	return err
}

// historyJSON prints the items of the wire's history, one a line.
func historyJSON(ctx context.Context, out io.Writer, st *store.Store, sessionID string) error {
	skip, err := rolledBack(ctx, st, sessionID)
	if err != nil {
		return err
	}
	return eachEntry(ctx, st, sessionID, func(e session.Entry) error {
		if skip[e.ID] {
			return nil
		}
		return printItem(out, e)
	})
}

// printItem prints the history item that an entry is, if it is one.
func printItem(out io.Writer, e session.Entry) error {
	item, ok, err := session.HistoryItem(e, true)
	if err != nil || !ok {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", item)
	return err
}

// rolledBack is the set of inputs that were taken back: the history skips them.
func rolledBack(ctx context.Context, st *store.Store, sessionID string) (map[string]bool, error) {
	skip := map[string]bool{}
	return skip, eachEntry(ctx, st, sessionID, func(e session.Entry) error {
		if e.Kind != session.KindRolledBack {
			return nil
		}
		payload, err := e.Decode()
		if r, ok := payload.(session.RolledBack); ok {
			skip[r.EntryID] = true
		}
		return err
	})
}

// historyText prints the conversation for a person, with what it cost last.
func historyText(ctx context.Context, p *printer, st *store.Store, sessionID string) error {
	skip, err := rolledBack(ctx, st, sessionID)
	if err != nil {
		return err
	}
	var totals session.Totals
	err = eachEntry(ctx, st, sessionID, func(e session.Entry) error {
		if skip[e.ID] {
			return nil
		}
		return p.entry(e, &totals)
	})
	if err != nil {
		return err
	}
	if totals.Known {
		p.note("%s", totalsLine(totals))
	}
	return nil
}

// totalsLine says what a session cost.
func totalsLine(t session.Totals) string {
	return fmt.Sprintf("%d tokens in, %d out, cost %s", t.InputTokens, t.OutputTokens, money(t.CostUSD, t.Partial))
}

// compactionLine says what a compaction did; what is unknown is a dash.
func compactionLine(d session.Compaction) string {
	count := func(n int64) string {
		if n == 0 {
			return "—"
		}
		return strconv.FormatInt(n, 10)
	}
	text := fmt.Sprintf("%s -> %s tokens, cost %s", count(d.TokensBefore), count(d.TokensAfter), money(d.CostUSD, false))
	if d.FromSession == "" || d.FromSession == d.NewSession {
		return text
	}
	return text + ", continued from " + d.FromSession
}

// entry prints one log entry as the conversation shows it.
func (p *printer) entry(e session.Entry, totals *session.Totals) error {
	payload, err := e.Decode()
	if err != nil {
		return err
	}
	switch d := payload.(type) {
	case session.Input:
		p.said(d.Kind, d.Text)
	case session.System:
		p.said("", d.Text)
	case session.Text:
		p.note("agent  %s", d.Text)
	case session.Reasoning:
		p.note("thinks %s", firstLine(d.Text))
	case session.ToolCall:
		p.called[d.CallID] = toolCall{d.Name, mainArgument(string(d.Arguments))}
	case session.ToolResult:
		p.note("  >    %s", p.tool(d.CallID, toolOutcome(d.Summary, d.IsError)))
	case session.TurnEnd:
		totals.Add(d.Usage)
	case session.RunEnd:
		totals.Add(d.Usage)
		if d.Error != "" {
			p.note("[run] %s: %s", d.Result, d.Error)
		} else if d.Result != "finished" {
			p.note("[run] %s", d.Result)
		}
	case session.Compaction:
		p.note("[compact] %s", compactionLine(d))
	}
	return nil
}
