package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"podium.local/store"
)

func newStoreRepriceCommand(a *app) *cobra.Command {
	var flags storeFlags
	var dry bool
	cmd := &cobra.Command{
		Use:   "reprice",
		Short: "price the requests of imported sessions by what is known now",
		Long: `Price the requests of imported sessions anew: by the built-in catalogue and the
prices in your configuration. Tokens are what was recorded, prices are derived
from them. A request whose price is unknown now keeps the one that it has; the
requests of pods are left as they were priced when they were made.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			s, err := store.Open(cmd.Context(), cfg.Store.Path, store.Options{Bulk: true, BusyTimeout: cfg.Store.BusyTimeout, Alive: processLives})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			r, err := s.Reprice(cmd.Context(), pricer(cfg), dry)
			if err != nil {
				return err
			}
			if flags.asJSON {
				return json.NewEncoder(a.out).Encode(r)
			}
			verb := "repriced"
			if dry {
				verb = "would reprice"
			}
			_, err = fmt.Fprintf(a.out, "%s %d of %s: $%.2f before, $%.2f after; %d without a known price\n",
				verb, r.Changed, plural(int(r.Requests), "request"), r.BeforeUSD, r.AfterUSD, r.Unknown)
			return err
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "say what would change")
	return cmd
}
