package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podium.local/session"
	"podium.local/store"
	"podium.local/studio"
)

func newSessionsExportCommand(a *app) *cobra.Command {
	var file, format string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "print a session's whole log, for programs or for reading",
		Args:  argsUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(studio.ExportFormats, format) {
				return usageErrorf("--format is %q: it must be %s", format, strings.Join(studio.ExportFormats, " or "))
			}
			return a.withView(file, func(v *store.View, _ string) error {
				id, err := sessionRef(cmd.Context(), v, args[0])
				if err != nil {
					return err
				}
				row, err := v.SessionRow(cmd.Context(), id)
				if err != nil {
					return noSession(id, err)
				}
				out := bufio.NewWriter(a.out)
				if err := studio.Export(out, format, &row, v.WalkLog(cmd.Context(), id)); err != nil {
					return errors.Join(err, out.Flush())
				}
				return out.Flush()
			})
		},
	}
	registerStoreFlag(cmd, &file)
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl: one entry a line; md: Markdown")
	return cmd
}

// maxSessionName is the longest name, in bytes, that a session may be given.
const maxSessionName = 200

func newSessionsRenameCommand(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "rename ID NAME",
		Short: "give a session another name",
		Args:  argsUsage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.TrimSpace(args[1])
			switch {
			case name == "":
				return usageErrorf("a name must not be empty")
			case len(name) > maxSessionName:
				return usageErrorf("the name has %d bytes: it may have %d", len(name), maxSessionName)
			}
			return a.withView(file, func(v *store.View, _ string) error {
				id, err := sessionRef(cmd.Context(), v, args[0])
				if err != nil {
					return err
				}
				return noSession(id, v.RenameSession(cmd.Context(), id, name))
			})
		},
	}
	registerStoreFlag(cmd, &file)
	return cmd
}

func newSessionsDeleteCommand(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "delete ID...",
		Short: "delete sessions for good: their logs and what they cost",
		Long: `Delete sessions for good: their logs, tags and what they cost. A session that a
live pod holds stays. An import does not bring a deleted session back.`,
		Args: argsUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.withView(file, func(v *store.View, _ string) error {
				var errs []error
				for _, ref := range ids {
					id, err := sessionRef(cmd.Context(), v, ref)
					if err != nil {
						errs = append(errs, err)
						continue
					}
					err = v.DeleteSession(cmd.Context(), id, time.Now())
					if errors.Is(err, session.ErrHeld) {
						err = fmt.Errorf("a live pod holds session %s: podium stop it first; podium ps shows which", printable(id))
					}
					errs = append(errs, noSession(id, err))
				}
				return errors.Join(errs...)
			})
		},
	}
	registerStoreFlag(cmd, &file)
	return cmd
}

// noSession says what to do about an id that nothing has.
func noSession(id string, err error) error {
	if errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf("there is no session %s; podium sessions list shows the ids", printable(id))
	}
	return err
}
