package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"podium.local/config"
	"podium.local/llm"
	"podium.local/llm/anthropic"
	"podium.local/llm/openai"
	"podium.local/store"
	"podium.local/tool"
	"podium.local/tool/builtin"
)

// Schemes: the wire's words for what a provider speaks.
const (
	schemeAnthropic = "anthropic"
	schemeResponses = "openai_responses"
	schemeChat      = "openai_chat"
)

// newProvider makes the provider that the configuration names, and says which
// wire it speaks. Whatever is missing is an error here, before a process is
// started for it.
func newProvider(cfg config.Config, m config.Model) (p llm.Provider, scheme string, err error) {
	if m.Provider == "" {
		return nil, "", fmt.Errorf("no model provider given: name one with --provider (anthropic, openai, openai-chat, gemini, ollama) or as model.scheme in %s", cfg.File)
	}
	if m.ID == "" {
		return nil, "", fmt.Errorf("no model given: name one with --model or as model.model_id in %s", cfg.File)
	}
	key, err := cfg.APIKey(m)
	if err != nil {
		return nil, "", err
	}
	o := openai.Options{BaseURL: m.BaseURL, APIKey: key.Reveal()}
	switch m.Provider {
	case config.ProviderAnthropic:
		p, err = anthropic.New(anthropic.Options{BaseURL: m.BaseURL, APIKey: key.Reveal()})
		scheme = schemeAnthropic
	case config.ProviderOpenAI:
		p, err = openai.NewResponses(o)
		scheme = schemeResponses
	case config.ProviderOpenAIChat:
		p, err = openai.NewChat(o)
		scheme = schemeChat
	case config.ProviderOllama:
		p, err = openai.NewOllama(o)
		scheme = schemeChat
	case config.ProviderGemini:
		p, err = openai.NewGemini(o)
		scheme = schemeChat
	default:
		err = fmt.Errorf("unknown provider %q: use anthropic, openai, openai-chat, gemini or ollama", m.Provider)
	}
	if err != nil {
		return nil, "", fmt.Errorf("reach the model: %w", err)
	}
	return p, scheme, nil
}

// newTools makes the tools of a pod in its working folder, and says which
// files they may touch. What commands start carries the tag.
func newTools(cfg config.Config, dir, tag string) (*tool.Registry, *tool.Scope, error) {
	scope, err := newScope(cfg.Scope)
	if err != nil {
		return nil, nil, err
	}
	o := builtin.Options{
		Dir: dir, Scope: scope, AllowBash: true, Pod: tag, SecretEnv: secretEnv(cfg),
		Caps: tool.Caps{Default: cfg.Worker.ToolOutput.DefaultMaxBytes, PerTool: cfg.Worker.ToolOutput.PerTool},
	}
	tools, _ := builtin.New(o)
	for _, name := range slices.Sorted(maps.Keys(o.Caps.PerTool)) {
		if all := tools.Names(); !slices.Contains(all, name) {
			return nil, nil, fmt.Errorf("worker.tool_output.per_tool.%s: there is no tool of that name; the tools are %s", name, strings.Join(all, ", "))
		}
	}
	if !cfg.Worker.AllowBash {
		o.AllowBash = false
		tools, _ = builtin.New(o)
	}
	return tools, scope, nil
}

// secretEnv names the variables that hold keys by configuration; shell
// commands of an agent must not see them.
func secretEnv(cfg config.Config) []string {
	var names []string
	for _, m := range []*config.Model{&cfg.Model, cfg.Compaction.Model} {
		if m != nil && m.Auth.Env != "" {
			names = append(names, m.Auth.Env)
		}
	}
	return append(names, "PODIUM_STUDIO_AUTH_TOKEN")
}

// newScope turns the configuration's rules into a scope.
func newScope(c config.Scope) (*tool.Scope, error) {
	allow, err := scopeRules(c.Allow)
	if err != nil {
		return nil, err
	}
	deny, err := scopeRules(c.Deny)
	if err != nil {
		return nil, err
	}
	scope, err := tool.NewScope(allow, deny)
	if err != nil || c.Within == nil {
		return scope, err
	}
	within, err := scopeRules(c.Within)
	if err != nil {
		return nil, err
	}
	narrow, err := tool.NewScope(within, nil)
	if err != nil {
		return nil, err
	}
	return scope.Narrow(narrow), nil
}

func scopeRules(rules []config.Rule) ([]tool.Rule, error) {
	var out []tool.Rule
	for _, r := range rules {
		level, err := tool.ParseLevel(string(r.Permission))
		if err != nil {
			return nil, err
		}
		out = append(out, tool.Rule{Target: r.Target, Level: level, Recursive: r.Recursive})
	}
	return out, nil
}

// makeStore opens the configured store for writing and makes or migrates it
// where needed; only commands that host or fill sessions do that.
func makeStore(ctx context.Context, cfg config.Config, o store.Options) (*store.Store, error) {
	if cfg.Store.Path == "" {
		return nil, errServerStore(cfg)
	}
	if err := makeStoreFolder(cfg); err != nil {
		return nil, err
	}
	return store.Create(ctx, cfg.Store.Path, o)
}

// makeStoreFolder makes our own data folder; a store named elsewhere needs its
// folder.
func makeStoreFolder(cfg config.Config) error {
	if filepath.Dir(cfg.Store.Path) != cfg.Paths.Data {
		return nil
	}
	return config.MakeDir(cfg.Paths.Data)
}

// tryStoreFolder reports why a store could not be made, without making its
// folder.
func tryStoreFolder(cfg config.Config) error {
	dir := filepath.Dir(cfg.Store.Path)
	if dir == cfg.Paths.Data {
		return config.TryDir(dir)
	}
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("find the folder of the store %s: %w; make it or name another store with --store", cfg.Store.Path, err)
	}
	return nil
}

// projectOf is the name under which a folder's sessions are grouped: that of
// the nearest git checkout above it, or none.
func projectOf(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return filepath.Base(dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// logger writes a process's log for a person or a file.
func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.err, nil))
}
