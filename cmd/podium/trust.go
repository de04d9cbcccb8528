package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
)

func newTrustCommand(a *app) *cobra.Command {
	var revoke, list, dryRun, asJSON bool
	cmd := &cobra.Command{
		Use:   "trust DIR",
		Short: "let a folder's project file choose model, keys, shell and scope",
		Long: `Trust the project file (.podium/config.toml) that is found from DIR upward.

Without trust a project file sets only the instruction, the caps on tool output
and compaction, and may narrow the scope. With it, the file also chooses model,
endpoint, keys, shell and scope. What the file asks for is shown first. Trust
covers the folder and this content: a changed file has to be trusted again.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if revoke && list || revoke && dryRun || list && dryRun {
				return usageErrorf("only one of --revoke, --list and --dry-run at a time; see %s --help", cmd.CommandPath())
			}
			if list && len(args) > 0 {
				return usageErrorf("--list lists all that is trusted and takes no folder; see %s --help", cmd.CommandPath())
			}
			if list {
				return nil
			}
			return argsUsage(cobra.ExactArgs(1))(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			paths, err := config.LocatePaths(a.lookupEnv)
			if err != nil {
				return err
			}
			t := trust{app: a, paths: paths, asJSON: asJSON}
			switch {
			case list:
				return t.list()
			case revoke:
				return t.revoke(args[0])
			default:
				return t.add(args[0], dryRun)
			}
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "trust DIR no longer, whatever its file holds")
	cmd.Flags().BoolVar(&list, "list", false, "list what is trusted")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what the file asks for and record nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: one document, with --list one a line")
	return cmd
}

// trust is one call of the command.
type trust struct {
	*app
	paths  config.Paths
	asJSON bool
}

// trustReport is the JSON form of one folder.
type trustReport struct {
	Dir     string `json:"dir"`
	File    string `json:"file,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Trusted bool   `json:"trusted"`
	// TrustedAt and State are set in a list. State is current, changed (the file
	// is no longer what was trusted) or gone.
	TrustedAt *time.Time      `json:"trusted_at,omitempty"`
	State     string          `json:"state,omitempty"`
	Settings  []settingReport `json:"settings,omitempty"`
}

type settingReport struct {
	Key   string `json:"key"`
	Line  int    `json:"line"`
	Value string `json:"value"`
	// Needs is nothing, trust, or user (never honoured from a project).
	Needs config.Need `json:"needs"`
}

func (t trust) add(dir string, dryRun bool) error {
	p, err := config.FindProject(t.paths, t.getenv("HOME"), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trust %s: there is no such folder; name one that holds .podium/config.toml, or one below it", dir)
	}
	if err != nil {
		return err
	}
	if p == nil {
		return fmt.Errorf("trust %s: there is no .podium/config.toml in it or in a folder above", dir)
	}
	cfg, _, err := config.Load(config.Options{Env: t.lookupEnv, NoProject: true, WorkDir: p.Dir})
	if err != nil {
		return err
	}
	p.Weigh(cfg.Scope)
	if !t.asJSON {
		if err := showProject(t.out, p); err != nil {
			return err
		}
	}
	trusted := p.Trusted
	if !dryRun {
		if err := config.AddTrust(t.paths, p, time.Now()); err != nil {
			return err
		}
		trusted = true
	}
	if t.asJSON {
		r := trustReport{Dir: p.Dir, File: p.File, SHA256: p.SHA256, Trusted: trusted}
		for _, s := range p.Settings {
			r.Settings = append(r.Settings, settingReport{s.Key, s.Line, s.Value, s.Needs})
		}
		return json.NewEncoder(t.out).Encode(r)
	}
	switch {
	case dryRun && trusted:
		_, err = fmt.Fprintf(t.out, "already trusted: %s\n", printable(p.Dir))
	case dryRun:
		_, err = fmt.Fprintf(t.out, "not trusted: %s\n", printable(p.Dir))
	default:
		_, err = fmt.Fprintf(t.out, "trusted: %s, with this content (sha256 %.12s)\n", printable(p.Dir), p.SHA256)
	}
	return err
}

// showProject prints what a project file asks for, most weighty first.
func showProject(w io.Writer, p *config.Project) error {
	if _, err := fmt.Fprintln(w, printable(p.File)); err != nil {
		return err
	}
	if len(p.Settings) == 0 {
		_, err := fmt.Fprintln(w, "  sets nothing")
		return err
	}
	for _, group := range []struct {
		need  config.Need
		title string
	}{
		{config.NeedTrust, "with trust it also sets (its scope then replaces yours):"},
		{config.NeedNothing, "without trust it sets (its scope can only narrow yours):"},
		{config.NeedUser, "never, only your own configuration may set:"},
	} {
		first := true
		for _, s := range p.Settings {
			if s.Needs != group.need {
				continue
			}
			if first {
				fmt.Fprintf(w, "  %s\n", group.title)
				first = false
			}
			if _, err := fmt.Fprintf(w, "    line %d: %s = %s\n", s.Line, s.Key, s.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t trust) revoke(dir string) error {
	removed, err := config.RevokeTrust(t.paths, dir)
	if err == nil && removed == 0 {
		// As when it was given: the folder is that of the file found from there.
		var p *config.Project
		if p, err = config.FindProject(t.paths, t.getenv("HOME"), dir); err == nil && p != nil {
			if removed, err = config.RevokeTrust(t.paths, p.Dir); removed > 0 {
				dir = p.Dir
			}
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil // there is nothing to find it from
		}
	}
	if err != nil {
		return err
	}
	if removed == 0 {
		return fmt.Errorf("revoke trust: %s is not trusted; podium trust --list shows what is", dir)
	}
	if t.asJSON {
		return json.NewEncoder(t.out).Encode(trustReport{Dir: dir})
	}
	_, err = fmt.Fprintf(t.out, "no longer trusted: %s\n", printable(dir))
	return err
}

func (t trust) list() error {
	all, err := config.Trusted(t.paths)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(t.out)
	for _, r := range all {
		state := t.state(r)
		if t.asJSON {
			err = enc.Encode(trustReport{Dir: r.Dir, SHA256: r.SHA256, Trusted: state == "current", TrustedAt: &r.TrustedAt, State: state})
		} else {
			_, err = fmt.Fprintf(t.out, "%s  %.12s  %-7s  %s\n", r.TrustedAt.Local().Format(time.DateTime), r.SHA256, state, printable(r.Dir))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// state compares a record with the file as it is now.
func (t trust) state(r config.Trust) string {
	p, err := config.FindProject(t.paths, t.getenv("HOME"), r.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && (p == nil || p.Dir != r.Dir):
		return "gone"
	case err == nil && p.SHA256 == r.SHA256:
		return "current"
	default:
		return "changed"
	}
}
