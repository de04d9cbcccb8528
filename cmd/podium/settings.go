package main

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"podium.local/config"
)

// modelFlags are the flags that run and pod share.
type modelFlags struct {
	provider, model, baseURL string
	maxTurns                 int
	dir, configFile          string
	allowBash                bool
	store                    string
	// bash is allowBash where it was said, by a flag or before.
	bash *bool
}

// register adds the flags to a command.
func (f *modelFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.provider, "provider", "", "anthropic, openai, openai-chat, gemini or ollama")
	fs.StringVar(&f.model, "model", "", "the model's id")
	fs.StringVar(&f.baseURL, "base-url", "", "another server that speaks the provider's wire")
	fs.IntVar(&f.maxTurns, "max-turns", 0, "end a run after this many model calls (default: no limit)")
	fs.StringVar(&f.dir, "dir", "", "the folder the agent works in (default: here)")
	fs.StringVar(&f.configFile, "config", "", "read this file instead of the user's config.toml")
	fs.BoolVar(&f.allowBash, "allow-bash", false, "let the agent run shell commands, which the scope cannot fence")
	registerStoreFlag(cmd, &f.store)
}

// registerStoreFlag adds --store, which every command that reads or writes a
// store has.
func registerStoreFlag(cmd *cobra.Command, store *string) {
	cmd.Flags().StringVar(store, "store", "", "the store's file (default: from the configuration)")
}

// workDir is the canonical working folder.
func (f *modelFlags) workDir() (string, error) {
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return "", fmt.Errorf("find the working folder: the folder you are in cannot be found (%w), it may have been deleted; go to another one", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("find the working folder: %w; make it or name another one with --dir", err)
	}
	return dir, nil
}

// recall fills what the command line leaves open with how the named pod was
// started before.
func (f *modelFlags) recall(a *app, name string) error {
	if name == "" {
		return nil
	}
	paths, err := config.LocatePaths(a.lookupEnv)
	if err != nil {
		return err
	}
	r, err := readRecipe(paths, name)
	if err != nil || r == nil {
		return err
	}
	if f.provider == "" && f.model == "" && f.baseURL == "" {
		// They only mean something together.
		f.provider, f.model, f.baseURL = r.Provider, r.Model, r.BaseURL
	}
	f.dir, f.configFile, f.store = cmp.Or(f.dir, r.Dir), cmp.Or(f.configFile, r.Config), cmp.Or(f.store, r.Store)
	f.maxTurns = cmp.Or(f.maxTurns, r.MaxTurns)
	if f.bash == nil {
		f.bash = r.AllowBash
	}
	return nil
}

// recipe is what a pod started with the flags is started with again.
func (f *modelFlags) recipe(dir string) *recipe {
	return &recipe{
		Dir: dir, Provider: f.provider, Model: f.model, BaseURL: f.baseURL, MaxTurns: f.maxTurns,
		Config: absolute(f.configFile), Store: absolute(f.store), AllowBash: f.bash,
	}
}

// load reads the configuration with the flags on top, and below them how the
// named pod was started before, and says its notices on stderr.
func (f *modelFlags) load(a *app, cmd *cobra.Command, name string) (cfg config.Config, dir string, err error) {
	if err = f.heed(cmd); err != nil {
		return cfg, "", err
	}
	if err = f.recall(a, name); err != nil {
		return cfg, "", err
	}
	return f.read(a)
}

// heed takes from the command line what a default value cannot tell.
func (f *modelFlags) heed(cmd *cobra.Command) error {
	if cmd.Flags().Changed("max-turns") && f.maxTurns < 1 {
		return usageErrorf("--max-turns is %d: it must be at least 1", f.maxTurns)
	}
	if cmd.Flags().Changed("allow-bash") {
		f.bash = &f.allowBash
	}
	return nil
}

// read reads the configuration with the flags on top and says its notices.
func (f *modelFlags) read(a *app) (cfg config.Config, dir string, err error) {
	cfg, dir, notices, err := f.resolve(a)
	if err == nil {
		a.notices(notices)
	}
	return cfg, dir, err
}

// resolve reads the configuration with the flags on top.
func (f *modelFlags) resolve(a *app) (cfg config.Config, dir string, notices []config.Notice, err error) {
	if dir, err = f.workDir(); err != nil {
		return cfg, "", nil, err
	}
	cfg, notices, err = config.Load(config.Options{
		Env: a.lookupEnv, WorkDir: dir, ExplicitFile: f.configFile,
		Flags: config.Flags{Provider: f.provider, Model: f.model, BaseURL: f.baseURL, MaxTurns: f.maxTurns, Store: f.store, AllowBash: f.bash},
	})
	return cfg, dir, notices, err
}

// args gives the same settings to a pod's own process. What came from the
// configuration is read there again.
func (f *modelFlags) args(dir string) []string {
	args := []string{"--dir", dir}
	text := func(name, value string) {
		if value != "" {
			args = append(args, "--"+name, value)
		}
	}
	text("provider", f.provider)
	text("model", f.model)
	text("base-url", f.baseURL)
	text("config", absolute(f.configFile))
	text("store", absolute(f.store))
	if f.maxTurns > 0 {
		args = append(args, "--max-turns", fmt.Sprint(f.maxTurns))
	}
	if f.bash != nil {
		args = append(args, fmt.Sprintf("--allow-bash=%t", *f.bash))
	}
	return args
}

// absolute keeps a path meaning the same in another folder; "" stays "".
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// loadStore reads the configuration of a command that is about a store and no
// project.
func (a *app) loadStore(store string) (config.Config, error) {
	cfg, notices, err := config.Load(config.Options{Env: a.lookupEnv, NoProject: true, Flags: config.Flags{Store: store}})
	if err != nil {
		return cfg, err
	}
	a.notices(notices)
	return cfg, nil
}

// notices says on stderr what came up while the configuration was read.
func (a *app) notices(notices []config.Notice) {
	for _, n := range notices {
		fmt.Fprintf(a.err, "podium: notice: %s\n", n)
	}
}
