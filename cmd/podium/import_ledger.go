package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podium.local/session"
	"podium.local/store"
	"podium.local/transcript"
)

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
			path := ""
			if len(args) > 0 {
				path = realPath(args[0])
			}
			return a.printLedger(ledgerRows(cmd.Context(), s, path), flags.asJSON)
		},
	}
	flags.register(cmd)
	cmd.Flags().Lookup("json").Usage = "print one JSON object a file"
	return cmd
}

// ledgerPage is how many rows of the ledger are read at once.
const ledgerPage = 500

// ledgerRows gives the rows of all tools in order of path; with a path only the
// files at or under it.
func ledgerRows(ctx context.Context, s *store.Store, path string) iter.Seq2[session.ImportFile, error] {
	return func(yield func(session.ImportFile, error) bool) {
		for _, tool := range transcript.Tools() {
			after := ""
			for {
				rows, err := s.ImportFilesAfter(ctx, string(tool), after, ledgerPage)
				if err != nil {
					yield(session.ImportFile{}, err)
					return
				}
				for _, f := range rows {
					after = f.Path
					if path != "" && f.Path != path && !strings.HasPrefix(f.Path, path+string(filepath.Separator)) {
						continue
					}
					if !yield(f, nil) {
						return
					}
				}
				if len(rows) < ledgerPage {
					break
				}
			}
		}
	}
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

func (a *app) printLedger(files iter.Seq2[session.ImportFile, error], asJSON bool) error {
	enc := json.NewEncoder(a.out)
	some := false
	for f, err := range files {
		if err != nil {
			return err
		}
		some = true
		if asJSON {
			if err := enc.Encode(f); err != nil {
				return err
			}
			continue
		}
		a.printLedgerRow(f)
	}
	if !some && !asJSON {
		_, err := fmt.Fprintln(a.out, "nothing was imported")
		return err
	}
	return nil
}

func (a *app) printLedgerRow(f session.ImportFile) {
	fmt.Fprintf(a.out, "%s  %s\n", f.Tool, printableName(f.Path))
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
		fmt.Fprintf(a.out, "    line %d: %s (byte %d, %d bytes)\n", p.Line, printable(p.Text), p.Offset, p.Length)
		if p.SHA256 != "" {
			src := session.Source{File: f.Path, Offset: p.Offset, Length: p.Length, SHA256: p.SHA256}
			fmt.Fprintf(a.out, "        %s prints it\n", printable(transcript.SourceCommand(src)))
		}
	}
	if f.LastError != "" {
		fmt.Fprintf(a.out, "    last error: %s\n", printable(f.LastError))
	}
	if !f.GoneAt.IsZero() {
		fmt.Fprintf(a.out, "    gone since %s\n", f.GoneAt.Local().Format(time.DateTime))
	}
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
