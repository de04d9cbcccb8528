package main

import (
	"encoding/json"
	"errors"
	"fmt"
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
		fmt.Fprintf(a.out, "%s  %s\n", f.Tool, printable(f.Path))
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
