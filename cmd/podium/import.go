package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/llm"
	"podium.local/llm/catalog"
	"podium.local/session"
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
	if i.options.Since, err = sinceTime(i.flags.since, time.Now()); err != nil {
		return err
	}
	i.options.Price = importPrice(cfg)
	sink, closeSink, err := i.open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSink()) }()
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
	if n := len(report.Troubles); n > 0 {
		return fmt.Errorf("import %s: %s could not be read; everything else was imported", i.options.Tool, plural(n, "file"))
	}
	return nil
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

// sinceTime reads --since: a day in local time or a time ago.
func sinceTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, usageErrorf("--since is %q: give a day like 2026-11-30 or a time ago like 720h", text)
}

// importPrice says what an imported request cost by the catalogue's prices and
// the user's own.
func importPrice(cfg config.Config) session.Pricer {
	overrides := map[string]catalog.Override{}
	for id, e := range cfg.Catalog {
		overrides[id] = catalog.Override{
			Input: e.InputUSD, Output: e.OutputUSD, CacheRead: e.CacheReadUSD, CacheWrite: e.CacheWriteUSD, ContextTokens: e.Context,
		}
	}
	models := catalog.New(overrides)
	return func(provider, model string, u session.Usage) (float64, string, bool) {
		known, ok := models.Lookup(provider, model)
		if !ok || known.Price == nil {
			return 0, "", false
		}
		usd := known.Price.Cost(llm.Usage{
			Input: u.InputTokens, Output: u.OutputTokens, Reasoning: &u.ReasoningTokens,
			CacheRead: &u.CacheReadTokens, CacheWrite: &u.CacheWriteTokens,
		})
		if usd == nil {
			return 0, "", false
		}
		return *usd, string(known.Price.Source), true
	}
}

// print says what an import did: the sum on stdout, lines and files that could
// not be used on stderr.
func (i *importRun) print(r transcript.Report, note string) error {
	for _, t := range r.Troubles {
		fmt.Fprintf(i.err, "podium: cannot read %s: %s\n", t.Path, t.Text)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(i.err, "podium: %s:%d: %s (byte %d)\n", p.Path, p.Line, p.Text, p.Offset)
	}
	if i.flags.asJSON {
		return json.NewEncoder(i.out).Encode(r)
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
		{int64(r.Gone), "files that are gone; what was read of them stays"},
		{int64(r.Links), "symbolic links, not followed"},
		{int64(r.Compressed), "compressed files, not read"},
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

func newImportStatusCommand(a *app) *cobra.Command {
	var flags storeFlags
	cmd := &cobra.Command{
		Use:   "status [PATH]",
		Short: "what was read of every file, and what was not and why",
		Args:  argsUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			s, err := a.openStore(cmd.Context(), flags.file)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			files, err := s.ImportFiles(cmd.Context(), "")
			if err != nil {
				return err
			}
			if len(args) > 0 {
				files = below(files, args[0])
			}
			return a.printLedger(files, flags.asJSON)
		},
	}
	flags.register(cmd)
	return cmd
}

// below keeps the files at or under a path.
func below(files []session.ImportFile, path string) []session.ImportFile {
	path = realPath(path)
	return slices.DeleteFunc(files, func(f session.ImportFile) bool {
		return f.Path != path && !strings.HasPrefix(f.Path, path+string(filepath.Separator))
	})
}

// realPath is a path as the ledger has it; one that is gone is only made
// absolute.
func realPath(path string) string {
	path = absolute(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func (a *app) printLedger(files []session.ImportFile, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(a.out)
		for _, f := range files {
			if err := enc.Encode(f); err != nil {
				return err
			}
		}
		return nil
	}
	if len(files) == 0 {
		_, err := fmt.Fprintln(a.out, "nothing was imported")
		return err
	}
	for _, f := range files {
		fmt.Fprintf(a.out, "%s  %s\n", f.Tool, f.Path)
		fmt.Fprintf(a.out, "    %s of %s read, %d lines: %d records kept, %d known\n",
			byteCount(f.Cursor), byteCount(max(f.Size, 0)), f.Lines, f.Kept, f.Known)
		for _, reason := range slices.Sorted(maps.Keys(f.Skipped)) {
			fmt.Fprintf(a.out, "    %d lines without a record: %s\n", f.Skipped[reason], reason)
		}
		if f.Raw > 0 {
			fmt.Fprintf(a.out, "    %d records of unknown kinds, kept as they are\n", f.Raw)
		}
		if f.Damaged > 0 {
			fmt.Fprintf(a.out, "    %d damaged lines\n", f.Damaged)
		}
		for _, p := range f.Problems {
			fmt.Fprintf(a.out, "    line %d: %s (byte %d, %d bytes)\n", p.Line, p.Text, p.Offset, p.Length)
		}
		if f.LastError != "" {
			fmt.Fprintf(a.out, "    last error: %s\n", f.LastError)
		}
		if !f.GoneAt.IsZero() {
			fmt.Fprintf(a.out, "    gone since %s\n", f.GoneAt.Local().Format(time.DateTime))
		}
	}
	return nil
}

func newImportForgetCommand(a *app) *cobra.Command {
	var flags storeFlags
	cmd := &cobra.Command{
		Use:   "forget PATH",
		Short: "forget that a file, or all below a folder, was read; sessions stay",
		Args:  argsUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			s, err := store.Open(cmd.Context(), cfg.Store.Path, store.Options{BusyTimeout: cfg.Store.BusyTimeout})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			path := realPath(args[0])
			n, err := s.ImportForget(cmd.Context(), path)
			if err != nil {
				return err
			}
			if n == 0 {
				return fmt.Errorf("forget %s: nothing below it was imported; podium import status lists the files", path)
			}
			if flags.asJSON {
				return json.NewEncoder(a.out).Encode(map[string]any{"path": path, "files": n})
			}
			_, err = fmt.Fprintf(a.out, "forgot %s; the next import reads what is still there anew\n", plural(int(n), "file"))
			return err
		},
	}
	flags.register(cmd)
	return cmd
}
