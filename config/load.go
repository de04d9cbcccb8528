package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Options say where to look.
type Options struct {
	// Env looks a variable up, telling an empty one from an absent one.
	Env func(name string) (string, bool)
	// WorkDir is the folder the agent works in; the project file is looked for
	// from there upward. Empty is the process's own folder.
	WorkDir string
	// Flags are what the command line set.
	Flags Flags
	// ExplicitFile takes the place of the user's file and must exist.
	ExplicitFile string
	// NoProject leaves the project file out, for commands that are about no
	// project.
	NoProject bool
}

// defaults is the lowest layer. The scope, the default store and the folders
// depend on where the command runs and are filled in by finish.
func defaults() layer {
	return layer{
		Model: modelLayer{
			ConnectTimeout:    &duration{10 * time.Second},
			FirstEventTimeout: &duration{2 * time.Minute},
			IdleTimeout:       &duration{2 * time.Minute},
			MaxRetries:        new(int64(5)),
		},
		Worker: workerLayer{
			AllowBash:  new(false),
			ToolOutput: toolOutputLayer{DefaultMaxBytes: new(int64(16384))},
		},
		Compaction: compactionLayer{
			RetainedTokens:       new(int64(8000)),
			AutoReadBudget:       new(int64(8000)),
			WorkerMaxInputTokens: new(int64(50000)),
			PruneProtectedTurns:  new(int64(3)),
			PruneMinSavings:      new(int64(4096)),
		},
		Store:  storeLayer{BusyTimeout: &duration{5 * time.Second}},
		Studio: studioLayer{Host: new("127.0.0.1"), Port: new(int64(8765)), CORSOrigins: []string{}},
		Import: importLayer{Watch: new(false), SweepInterval: &duration{time.Minute}},
	}
}

// Load reads every layer and returns what is in force, with what the user
// should know about how it came to be. It creates nothing.
func Load(o Options) (Config, []Notice, error) {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	c := Config{lookup: o.Env}
	var notices []Notice
	var err error
	if c.Paths, err = LocatePaths(o.Env); err != nil {
		return Config{}, nil, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return Config{}, nil, fmt.Errorf("load configuration: the folder you are in cannot be found (%w), it may have been deleted; go to another one", err)
	}
	work, err := workDir(cwd, o.WorkDir)
	if err != nil {
		return Config{}, nil, err
	}
	home := value(o.Env, "HOME")
	sum := defaults()
	named := true // whether the store's name is the default one

	c.File = c.Paths.File()
	if o.ExplicitFile != "" {
		if c.File, err = filepath.Abs(o.ExplicitFile); err != nil {
			return Config{}, nil, fmt.Errorf("read configuration: %w", err)
		}
	}
	user, more, err := readUser(c.File, home, o.ExplicitFile != "")
	if err != nil {
		return Config{}, nil, fmt.Errorf("read configuration: %w", err)
	}
	notices = append(notices, more...)
	sum.overlay(user)

	var within []ruleLayer
	if !o.NoProject {
		if c.Project, err = FindProject(c.Paths, home, work); err != nil {
			return Config{}, nil, err
		}
		if c.Project != nil && o.ExplicitFile != "" && sameFile(c.Project.File, o.ExplicitFile) {
			c.Project = nil // the user named it: it is read as the user's
		}
	}
	if c.Project != nil {
		project, narrow, more := c.Project.say()
		notices = append(notices, more...)
		within = narrow
		if !c.Project.Trusted && !c.Project.foreign {
			// Deny rules only ever take away, so they come on top.
			project.Scope.Deny = slices.Concat(sum.Scope.Deny, c.Project.doc.layer.Scope.Deny)
		}
		sum.overlay(project)
	}

	for _, source := range []struct {
		read func() (layer, map[string]string, error)
		wrap func(error) error
	}{
		{func() (layer, map[string]string, error) { return fromEnvironment(o.Env) }, func(err error) error { return err }},
		{func() (layer, map[string]string, error) { return fromFlags(o.Flags) }, func(err error) error { return &FlagError{err} }},
	} {
		l, names, err := source.read()
		if err == nil {
			where := func(name string) string { return names[name] }
			err = l.settle(origin{where: where, dir: cwd, home: home})
		}
		if err != nil {
			return Config{}, nil, fmt.Errorf("load configuration: %w", source.wrap(err))
		}
		named = named && l.Store.Path == nil
		sum.overlay(l)
	}
	c.finish(sum, work, home, named)
	notices = append(notices, c.narrow(within)...)
	return c, append(notices, c.advise(sum)...), nil
}

// workDir is the agent's folder, absolute, and there.
func workDir(cwd, dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Errorf("use working folder: %w; make it or name another one with --dir", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("use working folder: %s is not a folder; name one with --dir", dir)
	}
	return filepath.Clean(dir), nil
}

// readUser reads the user's file, or the one named instead of it.
func readUser(file, home string, explicit bool) (layer, []Notice, error) {
	open := func() (*os.File, error) { return os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) }
	text, info, err := readRegular(open, maxUserBytes)
	switch {
	case absent(err) && !explicit:
		return layer{}, nil, nil
	case absent(err):
		return layer{}, nil, fmt.Errorf("there is no file %s; make it, or name another one with --config", file)
	case err != nil && errors.As(err, new(*os.PathError)):
		return layer{}, nil, err
	case err != nil:
		return layer{}, nil, fmt.Errorf("%s: %w", file, err)
	case foreign(info):
		return layer{}, nil, fmt.Errorf("%s belongs to another user, who could change what your agents may do; copy it", file)
	case info.Mode().Perm()&0o002 != 0:
		return layer{}, nil, fmt.Errorf("%s can be changed by every user (mode %04o); chmod 600 it", file, info.Mode().Perm())
	}
	doc, err := parse(file, text)
	if err != nil {
		return layer{}, nil, err
	}
	o := origin{where: doc.where, dir: filepath.Dir(file), home: home, prompts: map[string]string{"user": filepath.Join(filepath.Dir(file), "prompts")}}
	if err := doc.layer.settle(o); err != nil {
		return layer{}, nil, err
	}
	if t := doc.layer.Studio.AuthToken; t != nil && *t != "" && info.Mode().Perm()&0o077 != 0 {
		return layer{}, nil, fmt.Errorf("%s: other users can read the token in this file (mode %04o); chmod 600 it", doc.where("studio.auth_token"), info.Mode().Perm())
	}
	var notices []Notice
	if info.Mode().Perm()&0o020 != 0 {
		notices = append(notices, Notice{File: file, Text: "the file's group can change it; chmod go-w it unless the group is yours alone"})
	}
	return doc.layer, append(notices, doc.withoutEffect()...), nil
}

// withoutEffect names the keys that are understood and change nothing.
func (d *document) withoutEffect() []Notice {
	var notices []Notice
	for _, e := range d.entries {
		name := e.key.String()
		for _, table := range []string{"model.capability.", "compaction.model.capability."} {
			if rest, ok := strings.CutPrefix(name, table); ok && rest != "tool_calling" && e.value != "" {
				notices = append(notices, Notice{d.file, e.line, name, "has no effect: the provider's adapter decides this"})
			}
		}
	}
	return notices
}

// finish turns the merged layers into a Config.
func (c *Config) finish(l layer, work, home string, named bool) {
	c.Model = l.Model.model()
	if l.Compaction.Model != (modelLayer{}) {
		m := l.Model
		forgetOtherVendor(&m, l.Compaction.Model)
		both := layer{Model: m}
		both.overlay(layer{Model: l.Compaction.Model})
		c.Compaction.Model = new(both.Model.model())
	}
	c.Worker = Worker{
		Instruction: zero(l.Worker.Instruction), MaxTokens: int(zero(l.Worker.MaxTokens)), MaxTurns: int(zero(l.Worker.MaxTurns)),
		Temperature: l.Worker.Temperature, Effort: zero(l.Worker.Effort), AllowBash: zero(l.Worker.AllowBash),
		ToolOutput: ToolOutput{DefaultMaxBytes: int(zero(l.Worker.ToolOutput.DefaultMaxBytes)), PerTool: map[string]int{}},
	}
	for tool, n := range l.Worker.ToolOutput.PerTool {
		c.Worker.ToolOutput.PerTool[tool] = int(n)
	}
	c.Scope = Scope{Allow: rules(l.Scope.Allow), Deny: rules(l.Scope.Deny)}
	if c.Scope.Allow == nil {
		c.Scope.Allow = []Rule{{Target: work, Permission: PermissionWrite, Recursive: true}}
	}
	c.Compaction.Threshold, c.Compaction.RequestThreshold = l.Compaction.Threshold, l.Compaction.RequestThreshold
	c.Compaction.RetainedTokens = zero(l.Compaction.RetainedTokens)
	c.Compaction.AutoReadBudget = zero(l.Compaction.AutoReadBudget)
	c.Compaction.WorkerMaxInputTokens = zero(l.Compaction.WorkerMaxInputTokens)
	c.Compaction.PruneProtectedTurns = int(zero(l.Compaction.PruneProtectedTurns))
	c.Compaction.PruneMinSavings = zero(l.Compaction.PruneMinSavings)
	c.finishStore(l, named)
	c.Studio = Studio{
		Host: zero(l.Studio.Host), Port: int(zero(l.Studio.Port)), AuthToken: NewSecret(zero(l.Studio.AuthToken)),
		CORSOrigins: l.Studio.CORSOrigins, ArtifactRoots: l.Studio.ArtifactRoots,
	}
	if c.Studio.ArtifactRoots == nil {
		c.Studio.ArtifactRoots = []string{c.Paths.Artifacts()}
	}
	c.Import = Import{Watch: zero(l.Import.Watch), SweepInterval: zero(l.Import.SweepInterval).span, ClaudeCode: zero(l.Import.ClaudeCode), Codex: zero(l.Import.Codex)}
	if c.Import.ClaudeCode == "" && home != "" {
		c.Import.ClaudeCode = filepath.Join(home, ".claude")
	}
	if c.Import.Codex == "" && home != "" {
		c.Import.Codex = filepath.Join(home, ".codex")
	}
	c.Catalog = map[string]CatalogEntry{}
	for id, e := range l.Catalog {
		c.Catalog[id] = CatalogEntry{e.InputUSD, e.OutputUSD, e.CacheReadUSD, e.CacheWriteUSD, zero(e.Context)}
	}
}

// finishStore finds the name that goes with the path. A file that a flag or a
// variable names has a name only when it is a known store's file.
func (c *Config) finishStore(l layer, named bool) {
	c.Stores = map[string]string{}
	for name, ref := range l.Stores {
		c.Stores[name] = *ref.Path
	}
	c.Store = Store{Path: zero(l.Store.Path), BusyTimeout: zero(l.Store.BusyTimeout).span}
	switch {
	case c.Store.Path == "":
		c.Store.Path, c.Store.Name = c.Paths.StateDB(), "local"
	case isServer(c.Store.Path):
		c.Store.Server, c.Store.Path = maskURL(c.Store.Path), ""
	case named || c.Store.Path == c.Paths.StateDB():
		c.Store.Name = "local"
	}
	for _, name := range slices.Sorted(maps.Keys(c.Stores)) {
		if c.Stores[name] == c.Store.Path {
			c.Store.Name = name
			break
		}
	}
}

func (m modelLayer) model() Model {
	out := Model{
		Provider: zero(m.Scheme), ID: zero(m.ModelID), BaseURL: zero(m.BaseURL), Context: zero(m.Context),
		ConnectTimeout:    zero(m.ConnectTimeout).span,
		FirstEventTimeout: zero(m.FirstEventTimeout).span,
		IdleTimeout:       zero(m.IdleTimeout).span,
		MaxRetries:        int(zero(m.MaxRetries)),
	}
	if a := m.Auth; a != nil {
		out.Auth = Auth{Kind: zero(a.Kind), Env: zero(a.Env), File: zero(a.File)}
		if a.Kind == nil {
			out.Auth.Kind = AuthAPIKey
		}
	}
	if p := m.Capability; p != nil {
		out.Capability.ToolCalling = zero(p.ToolCalling)
	}
	return out
}

func rules(in []ruleLayer) []Rule {
	var out []Rule
	for _, r := range in {
		out = append(out, Rule{Target: r.Target, Permission: r.Permission, Recursive: r.Recursive == nil || *r.Recursive})
	}
	return out
}

// zero is what p points to, or the zero value.
func zero[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

// narrow sets Within and says which rules asked for more than there is.
func (c *Config) narrow(within []ruleLayer) []Notice {
	if within == nil {
		return nil
	}
	c.Scope.Within = rules(within)
	var notices []Notice
	for i, r := range c.Scope.Within {
		if !c.Scope.allows(r) {
			name := fmt.Sprintf("scope.allow[%d].target", i)
			notices = append(notices, Notice{c.Project.File, c.Project.doc.line(name), name,
				"asks for more than you allow, and only what you allow is given; podium trust " + c.Project.Dir + " changes that"})
		}
	}
	return notices
}

// allows reports that one rule of the scope gives everything that r gives.
func (s Scope) allows(r Rule) bool {
	return slices.ContainsFunc(s.Allow, func(have Rule) bool { return have.covers(r) })
}

// covers reports that r gives everything that other gives, going by names
// alone.
func (r Rule) covers(other Rule) bool {
	if r.Permission == PermissionRead && other.Permission == PermissionWrite {
		return false
	}
	if r.Target == other.Target {
		return r.Recursive || !other.Recursive
	}
	rel, err := filepath.Rel(r.Target, other.Target)
	return r.Recursive && err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// advise names settings that work against each other.
func (c *Config) advise(l layer) []Notice {
	a, b := l.Compaction.Threshold, l.Compaction.RequestThreshold
	if a != nil && b != nil && *a > 0 && *b > 0 && *a >= *b {
		return []Notice{{Key: "compaction.compact_threshold", Text: fmt.Sprintf("is %d, not below compact_request_threshold (%d), so a run is cut for compaction before a quiet moment is used", *a, *b)}}
	}
	return nil
}
