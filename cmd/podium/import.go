package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/store"
	"podium.local/transcript"
)

func newImportCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "bring the sessions of Claude Code and Codex into the store",
		Args:  argsUsage(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newImportToolCommand(a, transcript.ClaudeCode, "Claude Code", "$CLAUDE_CONFIG_DIR or ~/.claude"),
		newImportToolCommand(a, transcript.Codex, "Codex", "$CODEX_HOME or ~/.codex"),
		newImportStatusCommand(a),
		newImportForgetCommand(a),
		newImportSourceCommand(a),
	)
	return cmd
}

// importFlags are the flags of an import.
type importFlags struct {
	storeFlags
	since   string
	dry     bool
	restore bool
	watch   bool
}

func newImportToolCommand(a *app, tool transcript.Tool, name, folder string) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   string(tool) + " [DIR]",
		Short: "import what is new in the session files of " + name,
		Long: `Read the session files of ` + name + ` into the store. DIR is its folder
(default: ` + folder + `), a folder of session files, or one file.

Only what is new is read: a file that did not change costs one look, one that
grew is read on from where it was left. The files are never written to. What
cannot be used is counted and named; sessions that were deleted here stay
deleted unless --restore is given. Ctrl-C stops after what is stored.`,
		Args: argsUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.watch && flags.dry {
				return usageErrorf("--watch and --dry-run do not go together: a watch is for storing")
			}
			i := &importRun{app: a, flags: flags, options: transcript.Options{Tool: tool, Restore: flags.restore}}
			if len(args) > 0 {
				i.options.Dir = args[0]
			}
			return i.run(cmd.Context())
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&flags.since, "since", "", "leave out files last written before this day (2006-01-02) or time ago (720h)")
	cmd.Flags().BoolVarP(&flags.dry, "dry-run", "n", false, "read everything, store nothing")
	cmd.Flags().BoolVarP(&flags.watch, "watch", "w", false, "go on and import what is written, until interrupted")
	cmd.Flags().BoolVar(&flags.restore, "restore", false, "bring back sessions that were deleted from the store")
	return cmd
}

// importRun is one run of podium import TOOL.
type importRun struct {
	*app
	flags   importFlags
	options transcript.Options
}

func (i *importRun) run(ctx context.Context) (err error) {
	cfg, err := i.flags.locate(i.app)
	if err != nil {
		return err
	}
	if i.options.Dir == "" {
		i.options.Dir = cfg.Import.ClaudeCode
		if i.options.Tool == transcript.Codex {
			i.options.Dir = cfg.Import.Codex
		}
	}
	if i.flags.since != "" {
		if i.options.Since, err = timeAgo("--since", i.flags.since, time.Now()); err != nil {
			return err
		}
	}
	if _, err := os.Stat(i.options.Dir); err != nil { // before a store is made for nothing
		return fmt.Errorf("look for %s sessions in %s: %w; name their folder", i.options.Tool, i.options.Dir, errors.Unwrap(err))
	}
	i.options.Price = pricer(cfg)
	sink, closeSink, err := i.open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSink()) }()
	if i.flags.watch {
		return i.follow(ctx, sink, cfg)
	}
	meter := newMeter(i.app)
	i.options.Progress = meter.update
	report, err := transcript.Import(ctx, sink, i.options)
	meter.clear()
	if cause := ctx.Err(); cause != nil {
		_ = i.print(report, "stopped; the next import goes on here") // the cancellation is what is told
		return &exitError{code: exitCancelled}
	}
	if err != nil {
		return err
	}
	if err := i.print(report, ""); err != nil {
		return err
	}
	if n := report.Refused; n > 0 && n == report.Files {
		return i.refusedAll(report)
	}
	if n := len(report.Troubles); n > 0 {
		return fmt.Errorf("import %s: %s could not be read; everything else was imported", i.options.Tool, plural(n, "file"))
	}
	return nil
}

// refusedAll is the error of an import that found no session at all.
func (i *importRun) refusedAll(r transcript.Report) error {
	next := "name the folder or a file of its sessions"
	if looks := r.Refusals[0].LooksLike; looks != "" {
		next = fmt.Sprintf("it looks like %s: podium import %s %s", looks, looks, printableName(i.options.Dir))
	}
	return fmt.Errorf("import %s: nothing in %s is a record of %s; %s", r.Tool, printableName(i.options.Dir), r.Tool, next)
}

// open gives the store to import into, or for a dry run what only looks at its
// ledger.
func (i *importRun) open(ctx context.Context, cfg config.Config) (transcript.Sink, func() error, error) {
	opts := store.Options{Bulk: true, BusyTimeout: cfg.Store.BusyTimeout, Alive: processLives}
	if !i.flags.dry {
		s, err := makeStore(ctx, cfg, opts)
		if err != nil {
			return nil, nil, err
		}
		if err := makeKeyring(cfg); err != nil {
			fmt.Fprintf(i.err, "podium: notice: what is imported cannot be listed yet: %v\n", err)
		}
		return s, s.Close, nil
	}
	s, err := store.OpenReadOnly(ctx, cfg.Store.Path, opts)
	if errors.Is(err, store.ErrAbsent) || errors.Is(err, store.ErrOutdated) {
		return transcript.DryRun(nil), func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return transcript.DryRun(s), s.Close, nil
}

// importReport is the report of an import as JSON.
type importReport struct {
	transcript.Report
	// DryRun says that nothing was stored.
	DryRun bool `json:"dry_run"`
}

// print says what an import did: the sum on stdout, lines and files that could
// not be used on stderr.
func (i *importRun) print(r transcript.Report, note string) error {
	for _, t := range r.Troubles {
		fmt.Fprintf(i.err, "podium: cannot read %s: %s\n", printableName(t.Path), printable(t.Text))
	}
	if r.Files+len(r.Troubles) == 0 {
		fmt.Fprintf(i.err, "podium: notice: no session file (*.jsonl) in %s; name the folder or a file of the sessions of %s\n", printableName(i.options.Dir), r.Tool)
	}
	for _, f := range r.Refusals {
		looks := ""
		if f.LooksLike != "" {
			looks = fmt.Sprintf("; it looks like %s: podium import %s", f.LooksLike, f.LooksLike)
		}
		fmt.Fprintf(i.err, "podium: nothing imported of %s: no line of it is a record of %s%s\n", printableName(f.Path), r.Tool, looks)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(i.err, "podium: %s:%d: %s (byte %d)\n", printableName(p.Path), p.Line, printable(p.Text), p.Offset)
	}
	if i.flags.asJSON {
		return json.NewEncoder(i.out).Encode(importReport{r, i.flags.dry})
	}
	verb := "imported"
	if i.flags.dry {
		verb = "would import"
	}
	fmt.Fprintf(i.out, "%s %s, %s from %s read in %.1f s\n", verb,
		plural(r.Sessions, "new session"), plural(int(r.Kept), "new record"), plural(r.Read, "file"), r.Seconds)
	for _, row := range []struct {
		n    int64
		text string
	}{
		{int64(r.Unchanged), "files unchanged"},
		{int64(r.Older), "files older than --since"},
		{r.Known, "records known already"},
		{r.Raw, "records of unknown kinds, kept as they are"},
		{r.Damaged, "damaged lines, skipped"},
		{r.Clamped, "times in the future, taken from the line before"},
		{int64(r.Waiting), "files that end in the middle of a line; the rest is read when it is there"},
		{int64(r.Replaced), "files that were replaced, read anew"},
		{int64(r.Refused), "files without a record of " + string(r.Tool) + ", not imported"},
		{int64(r.Gone), "files that are gone; what was read of them stays"},
		{int64(r.Links), "symbolic links, not followed"},
		{int64(r.Compressed), "compressed files, not read: unpack them beside where they are"},
	} {
		if row.n > 0 {
			fmt.Fprintf(i.out, "%8d  %s\n", row.n, row.text)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Skipped)) {
		fmt.Fprintf(i.out, "%8d  lines without a record: %s\n", r.Skipped[reason], reason)
	}
	if note != "" {
		fmt.Fprintf(i.err, "podium: %s\n", note)
	}
	return nil
}
