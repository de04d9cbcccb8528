package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/pod"
	"podium.local/session"
	"podium.local/store"
)

func newStoreCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "the file that keeps every session: status, migrate, check, backup, restore, reset, rotate-identity",
		Args:  argsUsage(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newStoreStatusCommand(a),
		newStoreMigrateCommand(a),
		newStoreCheckCommand(a),
		newStoreBackupCommand(a),
		newStoreRestoreCommand(a),
		newStoreResetCommand(a),
		newStoreRotateCommand(a),
		newStoreRepriceCommand(a),
	)
	return cmd
}

// storeFlags are what every store command takes.
type storeFlags struct {
	file   string
	asJSON bool
}

func (f *storeFlags) register(cmd *cobra.Command) {
	registerStoreFlag(cmd, &f.file)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON document")
}

// locate is the configured store, which has to be a file.
func (f *storeFlags) locate(a *app) (config.Config, error) {
	cfg, err := a.loadStore(f.file)
	if err == nil && cfg.Store.Path == "" {
		err = errServerStore(cfg)
	}
	return cfg, err
}

func newStoreStatusCommand(a *app) *cobra.Command {
	var flags storeFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "what the store is and holds, and who holds it",
		Long: `Say what the store is and holds, and which pods hold it. Nothing is changed.

The exit code is 0 when this podium can use the store as it is, else 1.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			st, err := store.Examine(cmd.Context(), cfg.Store.Path)
			if err != nil {
				return err
			}
			if err := printStatus(a.out, st, flags.asJSON); err != nil {
				return err
			}
			if !st.Ready() {
				return fmt.Errorf("store %s: %s", st.Path, st.Why)
			}
			return nil
		},
	}
	flags.register(cmd)
	return cmd
}

// holderReport is a pod that did not leave the store. Since is in Unix
// seconds. Liveness is alive, dead or unknown: a process of another host, or
// one that cannot be looked at. Alive says that it is surely alive.
type holderReport struct {
	Pod     string  `json:"pod"`
	Session string  `json:"session_id"`
	PID     int     `json:"pid"`
	Host    string  `json:"host"`
	Since   float64 `json:"since"`
	Alive   bool    `json:"alive"`

	Liveness pod.Liveness `json:"liveness"`
}

func holdersOf(st store.Status) []holderReport {
	holders := make([]holderReport, 0, len(st.Holders))
	for _, p := range st.Holders {
		liveness := pod.Probe(p.Process)
		holders = append(holders, holderReport{
			Pod: p.Name, Session: p.SessionID, PID: p.Process.PID, Host: p.Process.Host,
			Since: session.UnixSeconds(p.StartedAt), Alive: liveness == pod.Alive, Liveness: liveness,
		})
	}
	return holders
}

// printStatus prints what is known. Of a file that holds nothing of ours the
// error says everything.
func printStatus(w io.Writer, st store.Status, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(struct {
			store.Status
			Ready   bool           `json:"ready"`
			Holders []holderReport `json:"holders"`
		}{st, st.Ready(), holdersOf(st)})
	}
	switch st.Kind {
	case store.KindAbsent, store.KindForeign, store.KindNewer:
		return nil
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(tw, name+"\t"+format+"\n", args...)
	}
	row("store", "%s", st.Path)
	row("kind", "%s, schema %d of %d", st.Kind, st.Schema, st.Newest)
	row("sessions", "%d, %d of them running", st.Sessions, st.Running)
	if st.Kind == store.KindPodium {
		row("entries", "%d, %d of them messages", st.Entries, st.Messages)
		row("pods", "%d", st.Pods)
	}
	row("size", "%s, and %s of write-ahead log; %s free inside", byteCount(st.Bytes), byteCount(st.WALBytes), byteCount(st.FreeBytes))
	for _, index := range st.Indexes {
		row("index", "%s: %s", index.Name, index.State)
	}
	if st.Incarnation != "" {
		row("identity", "%s", st.Incarnation)
	}
	for _, h := range holdersOf(st) {
		row("held by", "pod %s, process %d%s since %s (%s)", h.Pod, h.PID, onOtherHost(h.Host),
			time.UnixMicro(int64(h.Since*1e6)).Local().Format(time.DateTime), livenessWord(h.Liveness))
	}
	return tw.Flush()
}

// livenessWord is what a person reads of a process.
func livenessWord(l pod.Liveness) string {
	if l == pod.Dead {
		return "gone"
	}
	return string(l)
}

// byteCount is a size for a person.
func byteCount(n int64) string {
	const kib = 1 << 10
	if n < kib {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/kib, "KiB"
	for _, larger := range []string{"MiB", "GiB", "TiB"} {
		if size < kib {
			break
		}
		size, unit = size/kib, larger
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

func newStoreMigrateCommand(a *app) *cobra.Command {
	var flags storeFlags
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "make the store, bring it forward, or adopt lionagi's",
		Long: `Make the store when it is absent, bring it to this podium's schema when it is
older, or adopt one that lionagi made: it then gets the indexes and the identity
that the bounded listing needs, and nothing else. A current store is not touched.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			if err := makeStoreFolder(cfg); err != nil {
				return err
			}
			m, err := store.Migrate(cmd.Context(), cfg.Store.Path, store.MigrateOptions{
				Options: store.Options{BusyTimeout: cfg.Store.BusyTimeout, Alive: processLives},
				Step: func(done string, took time.Duration) {
					fmt.Fprintf(a.err, "podium: %s (%s)\n", done, took.Round(time.Millisecond))
				},
				Notice: func(text string) { fmt.Fprintf(a.err, "podium: notice: %s\n", text) },
			})
			if err != nil {
				return err
			}
			return printMigration(a.out, m, flags.asJSON)
		},
	}
	flags.register(cmd)
	return cmd
}

func printMigration(w io.Writer, m store.Migration, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(m)
	}
	var text string
	switch {
	case m.Created:
		text = fmt.Sprintf("made %s, schema %d", m.Path, m.To)
	case len(m.Steps) == 0:
		text = fmt.Sprintf("%s is current, schema %d", m.Path, m.To)
	case m.Kind == store.KindAdopted:
		text = fmt.Sprintf("adopted %s: its bounded listing is ready", m.Path)
	default:
		text = fmt.Sprintf("brought %s from schema %d to %d", m.Path, m.From, m.To)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func newStoreCheckCommand(a *app) *cobra.Command {
	var flags storeFlags
	var rebuild bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "find damage and sums that do not agree",
		Long: `Check the file's structure and what the store promises about its own rows:
counters, entries and event numbers without gaps, totals and usage equal to the
requests they come from. Pods go on meanwhile. The exit code is 1 when something
is wrong; podium store backup keeps what can still be read.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			s, err := openToCheck(cmd.Context(), cfg, rebuild)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			report, err := s.Check(cmd.Context(), store.CheckOptions{RebuildRollup: rebuild, Progress: a.checkProgress()})
			if err != nil {
				return err
			}
			if err := printReport(a.out, s.Path(), report, flags.asJSON); err != nil {
				return err
			}
			if n := len(report.Problems); n > 0 {
				return fmt.Errorf("check store %s: %s; podium store backup keeps what can be read", s.Path(), plural(n, "problem"))
			}
			return nil
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&rebuild, "rebuild-rollup", false, "put the usage rollup right where it differs from the requests")
	return cmd
}

// openToCheck opens for reading unless something is to be put right.
func openToCheck(ctx context.Context, cfg config.Config, write bool) (*store.Store, error) {
	opts := store.Options{BusyTimeout: cfg.Store.BusyTimeout, Alive: processLives, Bulk: true}
	if write {
		return store.Open(ctx, cfg.Store.Path, opts)
	}
	return store.OpenReadOnly(ctx, cfg.Store.Path, opts)
}

// checkProgress says on stderr how far a long check has come.
func (a *app) checkProgress() func(done, total int64) {
	const step = 20_000
	next := int64(step)
	return func(done, total int64) {
		if done >= next && done < total {
			fmt.Fprintf(a.err, "podium: checked %d of %d sessions\n", done, total)
			next = done + step
		}
	}
}

func printReport(w io.Writer, path string, r store.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(struct {
			Path string `json:"path"`
			OK   bool   `json:"ok"`
			store.Report
		}{path, len(r.Problems) == 0, r})
	}
	for _, p := range r.Problems {
		if _, err := fmt.Fprintf(w, "%s: %s: %s\n", p.Code, p.Subject, p.Text); err != nil {
			return err
		}
	}
	if r.Rebuilt > 0 {
		if _, err := fmt.Fprintf(w, "rebuilt %s of the usage rollup\n", plural(r.Rebuilt, "row")); err != nil {
			return err
		}
	}
	if len(r.Problems) > 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s is sound: %s, %s, %s\n", path, plural(r.Tables, "table"), plural(int(r.Sessions), "session log"), plural(r.Pods, "pod"))
	return err
}

// plural counts something.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, strings.TrimSuffix(thing, "s"))
}

func newStoreBackupCommand(a *app) *cobra.Command {
	var flags storeFlags
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "copy the store to a new file while pods go on",
		Long: `Copy the store as it is now to FILE, which must not exist. Pods go on meanwhile.
The copy carries no listing identity, so that nobody continues a listing of the
original in it. podium store restore puts it back in the store's place; podium
store rotate-identity --store FILE makes it a store of its own.`,
		Args: argsUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			s, err := store.OpenReadOnly(cmd.Context(), cfg.Store.Path, store.Options{})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			if err := s.Backup(cmd.Context(), args[0]); err != nil {
				return err
			}
			copied, err := store.Examine(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if flags.asJSON {
				return json.NewEncoder(a.out).Encode(map[string]any{
					"path": s.Path(), "backup": copied.Path, "bytes": copied.Bytes, "sessions": copied.Sessions,
				})
			}
			_, err = fmt.Fprintf(a.out, "backed up %s to %s: %s, %s\n",
				plural(int(copied.Sessions), "session"), copied.Path, byteCount(copied.Bytes), "mode 0600")
			return err
		},
	}
	flags.register(cmd)
	return cmd
}

func newStoreRotateCommand(a *app) *cobra.Command {
	var flags storeFlags
	cmd := &cobra.Command{
		Use:   "rotate-identity",
		Short: "make listings that were begun start over; needed after copying a store",
		Args:  argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			s, err := store.Open(cmd.Context(), cfg.Store.Path, store.Options{BusyTimeout: cfg.Store.BusyTimeout})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			incarnation, err := s.RotateIdentity(cmd.Context())
			if err != nil {
				return err
			}
			if flags.asJSON {
				return json.NewEncoder(a.out).Encode(map[string]string{"path": s.Path(), "incarnation": incarnation})
			}
			_, err = fmt.Fprintf(a.out, "%s is now %s: listings that were begun start over\n", s.Path(), incarnation)
			return err
		},
	}
	flags.register(cmd)
	return cmd
}
