package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/pod"
	"podium.local/session"
	"podium.local/store"
)

func newDoctorCommand(a *app) *cobra.Command {
	var flags modelFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "what is wrong and the next step",
		Long: `Look at the configuration, the folders, the model's settings, the store and the
pods as they are in this folder, and say what is wrong and what to do about it.
Nothing is changed (a folder that is not there yet is tried out and removed) and
no model is asked. Exit: 0 when podium run would start.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{app: a}
			d.examine(cmd, &flags)
			if err := d.print(asJSON); err != nil {
				return err
			}
			if d.failed {
				return &exitError{code: exitFailure}
			}
			return nil
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a finding")
	return cmd
}

// finding is one thing looked at. Level is ok, warn (works, but look) or fail
// (podium run would not start).
type finding struct {
	Level string `json:"level"`
	What  string `json:"what"`
	Text  string `json:"text"`
	// Next is the next step, empty when there is nothing to do.
	Next string `json:"next,omitempty"`
}

// doctor collects findings.
type doctor struct {
	*app
	findings []finding
	failed   bool
}

func (d *doctor) ok(what, format string, args ...any) {
	d.findings = append(d.findings, finding{"ok", what, fmt.Sprintf(format, args...), ""})
}

func (d *doctor) warn(what, next, format string, args ...any) {
	d.findings = append(d.findings, finding{"warn", what, fmt.Sprintf(format, args...), next})
}

func (d *doctor) fail(what, next, format string, args ...any) {
	d.findings = append(d.findings, finding{"fail", what, fmt.Sprintf(format, args...), next})
	d.failed = true
}

// examine looks at one thing after the other. What cannot be looked at
// because something before it is broken is left out.
func (d *doctor) examine(cmd *cobra.Command, flags *modelFlags) {
	dir, err := flags.workDir()
	if err != nil {
		d.fail("folder", "give a folder that exists with --dir", "%v", err)
		return
	}
	err = flags.heed(cmd)
	var cfg config.Config
	var notices []config.Notice
	if err == nil {
		cfg, _, notices, err = flags.resolve(d.app)
	}
	if err != nil {
		d.fail("configuration", "", "%v", err)
		return
	}
	d.configuration(cfg, notices)
	if _, _, err := newTools(cfg, dir, ""); err != nil {
		d.fail("tools", "", "%v", err)
	}
	d.folders(cfg.Paths)
	d.disks(cfg.Paths, cfg.Store.Path)
	d.model(cfg)
	d.store(cmd.Context(), cfg)
}

func (d *doctor) configuration(cfg config.Config, notices []config.Notice) {
	for _, n := range notices {
		d.warn("configuration", "", "%s", n)
	}
	if _, err := os.Stat(cfg.File); errors.Is(err, fs.ErrNotExist) {
		d.ok("configuration", "no %s; defaults, environment and flags apply", cfg.File)
		return
	}
	d.ok("configuration", "%s is well-formed", cfg.File)
}

// folders asks what podium run asks of the folders, and makes none.
func (d *doctor) folders(p config.Paths) {
	for _, f := range []struct {
		what, path string
		check      func() error
	}{
		{"data folder", p.Data, func() error { return config.CheckDir(p.Data) }},
		{"socket folder", p.Run, p.CheckRun},
	} {
		err := f.check()
		text := "%s"
		if errors.Is(err, fs.ErrNotExist) {
			err, text = config.TryDir(f.path), "%s will be made"
		}
		if err != nil {
			d.fail(f.what, "", "%v", err)
			continue
		}
		d.ok(f.what, text, f.path)
	}
	if _, err := pod.SocketPath(p.Run, "0123456789abcdef"); err != nil {
		d.warn("socket folder", "set PODIUM_HOME or XDG_RUNTIME_DIR to a shorter path", "%s leaves little room for a pod's name", p.Run)
	}
}

func (d *doctor) model(cfg config.Config) {
	if _, _, err := newProvider(cfg, cfg.Model); err != nil {
		d.fail("model", "", "%v", err)
		return
	}
	at := cfg.Model.BaseURL
	if at == "" {
		at = "the provider's own address"
	}
	d.ok("model", "%s, %s, at %s", cfg.Model.Provider, cfg.Model.ID, at)
	price, contextTokens := priceOf(cfg, cfg.Model)
	if contextTokens == 0 {
		d.warn("model", "set model.context in "+cfg.File,
			"how much %s holds is unknown, so sessions are not compacted by themselves", cfg.Model.ID)
	}
	one := int64(1)
	if _, _, known := price(cfg.Model.ID, session.Usage{InputTokens: &one, OutputTokens: &one}); !known {
		d.warn("model", fmt.Sprintf("give its prices as [catalog.%q] in %s", cfg.Model.ID, cfg.File), "%s has no known price, so costs stay unknown", cfg.Model.ID)
	}
}

func (d *doctor) store(ctx context.Context, cfg config.Config) {
	if cfg.Store.Path == "" {
		d.fail("store", "name a file with --store or as store.path", "%s is a server: only files are supported", cfg.Store.Server)
		return
	}
	st, err := store.Examine(ctx, cfg.Store.Path)
	switch {
	case err != nil:
		d.fail("store", "podium store check", "%v", err)
		return
	case st.Kind == store.KindAbsent:
		if err := tryStoreFolder(cfg); err != nil {
			d.fail("store", "", "%v", err)
			return
		}
		d.ok("store", "%s will be made", cfg.Store.Path)
		return
	case st.Kind == store.KindAdopted || st.Kind == store.KindLionagi:
		d.fail("store", "name another file with --store", "%s belongs to lionagi: it can be read, and pods need a store of their own", cfg.Store.Path)
		return
	case !st.Ready():
		d.fail("store", "", "%s: %s", cfg.Store.Path, st.Why)
		return
	}
	d.ok("store", "%s: %d sessions, %s", filepath.Clean(st.Path), st.Sessions, byteCount(st.Bytes))
	for _, p := range st.Holders {
		switch {
		case ofOtherHost(p.Process):
			d.warn("pod "+p.Name, "podium gc --other-hosts when that host is gone or has another name now",
				"it is of host %s, and its session is still open", p.Process.Host)
		case !processLives(p.Process):
			d.warn("pod "+p.Name, "podium gc, or podium run "+p.Name+" to continue it", "its process %d is gone and its session is still open", p.Process.PID)
		}
	}
}

// print writes the findings for a person, or as JSON Lines.
func (d *doctor) print(asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(d.out)
		enc.SetEscapeHTML(false)
		for _, f := range d.findings {
			if err := enc.Encode(f); err != nil {
				return err
			}
		}
		return nil
	}
	for _, f := range d.findings {
		fmt.Fprintf(d.out, "%-4s  %-14s  %s\n", f.Level, f.What, printable(f.Text))
		if f.Next != "" {
			fmt.Fprintf(d.out, "%22snext: %s\n", "", printable(f.Next))
		}
	}
	return nil
}
