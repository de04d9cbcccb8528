package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/store"
)

func newStoreRestoreCommand(a *app) *cobra.Command {
	return newReplaceCommand(a, "restore FILE", "put a backup in the store's place; what was there is kept beside it",
		`Put a copy of a backup in the store's place: checked, brought to this podium's
schema, with an identity of its own, so that listings begun before start over.
Refused while a pod, Studio or another program has the store open. What was
there is kept beside it under the name that is printed; remove it when you do
not need it.`,
		cobra.ExactArgs(1), func(cmd *cobra.Command, cfg config.Config, args []string) (store.Replacement, error) {
			return store.Restore(cmd.Context(), args[0], cfg.Store.Path, store.Options{BusyTimeout: cfg.Store.BusyTimeout, Alive: surelyLives})
		})
}

func newStoreResetCommand(a *app) *cobra.Command {
	return newReplaceCommand(a, "reset", "put an empty store in the store's place; what was there is kept beside it",
		`Put an empty store in the store's place. Refused while a pod, Studio or another
program has the store open. What was there is kept beside it under the name that
is printed; remove it when you do not need it.`,
		cobra.NoArgs, func(cmd *cobra.Command, cfg config.Config, _ []string) (store.Replacement, error) {
			return store.Reset(cmd.Context(), cfg.Store.Path, store.Options{BusyTimeout: cfg.Store.BusyTimeout, Alive: surelyLives})
		})
}

// newReplaceCommand makes a command that puts another file in the store's
// place.
func newReplaceCommand(a *app, use, short, long string, args cobra.PositionalArgs, act func(*cobra.Command, config.Config, []string) (store.Replacement, error)) *cobra.Command {
	var flags storeFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: argsUsage(args),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			if err := makeStoreFolder(cfg); err != nil {
				return err
			}
			r, err := act(cmd, cfg, args)
			if err != nil {
				return err
			}
			return printReplacement(a.out, r, flags.asJSON)
		},
	}
	flags.register(cmd)
	return cmd
}

func printReplacement(w io.Writer, r store.Replacement, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	text := fmt.Sprintf("%s holds %s now, as %s", r.Path, plural(int(r.Sessions), "session"), r.Incarnation)
	if r.Kept != "" {
		text += "\nwhat was there is kept as " + r.Kept
	}
	_, err := fmt.Fprintln(w, text)
	return err
}
