package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// origin is where a layer comes from: how to name one of its keys in an error,
// and what its relative paths and instruction names mean.
type origin struct {
	where func(name string) string
	// dir is what relative paths are relative to; home is what ~ means.
	dir, home string
	// prompts are the folders of instruction files, by the word after the $.
	prompts map[string]string
}

// Bounds of what a layer may ask for.
const (
	minToolBytes = 256
	maxToolBytes = 16 << 20
	maxTokens    = 100_000_000
)

var (
	toolName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)
	storeName    = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	anyScheme    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	sqliteScheme = regexp.MustCompile(`^(?i)sqlite3?(\+[a-z0-9]+)?$`)
	envName      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// checker collects what is wrong with a layer while it makes paths absolute.
type checker struct {
	origin
	errs []error
}

func (c *checker) fail(name, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s: %s", c.where(name), printable(fmt.Sprintf(format, args...))))
}

// settle checks every value of a layer and replaces names that mean something
// relative to the layer (paths, instruction files) by what they mean.
func (l *layer) settle(o origin) error {
	c := &checker{origin: o}
	c.model("model", &l.Model)
	c.worker(&l.Worker)
	c.rules("scope.allow", l.Scope.Allow)
	c.rules("scope.deny", l.Scope.Deny)
	if l.Scope.Allow != nil && len(l.Scope.Allow) == 0 {
		c.fail("scope.allow", "an empty list would leave nothing to work on; leave the key out for the default")
	}
	c.compaction(&l.Compaction)
	c.store(l)
	c.studio(&l.Studio)
	c.path("import.claude_code", l.Import.ClaudeCode)
	c.path("import.codex", l.Import.Codex)
	c.catalog(l.Catalog)
	return errors.Join(c.errs...)
}

func (c *checker) model(table string, m *modelLayer) {
	if m.Scheme != nil {
		c.provider(table+".scheme", m.Scheme)
	}
	if m.ModelID != nil && (strings.TrimSpace(*m.ModelID) == "" || strings.ContainsAny(*m.ModelID, " \t\r\n")) {
		c.fail(table+".model_id", "%q is not a model id", *m.ModelID)
	}
	if m.BaseURL != nil {
		c.baseURL(table+".base_url", *m.BaseURL)
	}
	c.within(table+".context", m.Context, 1, maxTokens)
	c.within(table+".max_retries", m.MaxRetries, 0, 100)
	if a := m.Auth; a != nil {
		c.auth(table+".auth", a)
	}
	if p := m.Capability; p != nil {
		c.word(table+".capability.tool_calling", p.ToolCalling, "none", "sequential", "parallel")
		c.word(table+".capability.structured_output", p.StructuredOutput, "none", "json_object", "json_schema")
	}
}

// wireWords are what providers are called on the pod's socket.
var wireWords = map[string]Provider{"openai_responses": ProviderOpenAI, "openai_chat": ProviderOpenAIChat}

// provider accepts our words and the wire's, and leaves ours.
func (c *checker) provider(name string, p *Provider) {
	if word, ok := wireWords[string(*p)]; ok {
		*p = word
	}
	all := []Provider{ProviderAnthropic, ProviderOpenAI, ProviderOpenAIChat, ProviderGemini, ProviderOllama}
	if !slices.Contains(all, *p) {
		c.fail(name, "unknown provider %q; the providers are anthropic, openai, openai-chat (any compatible server), gemini and ollama", string(*p))
	}
}

func (c *checker) baseURL(name, text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		c.fail(name, "this is not a URL; write http://host:port/path")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		c.fail(name, "a base URL begins with http:// or https:// and a host")
	case !soundPort(u):
		c.fail(name, "the port of a base URL is 1 to 65535, or left out with its colon")
	case u.User != nil:
		c.fail(name, "a base URL may not hold a user name or password; put the key into model.auth")
	case u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "#"):
		c.fail(name, "a base URL ends with its path; leave out what begins with ? or #")
	}
}

// soundPort accepts no port, and one that can be dialled.
func soundPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

func (c *checker) auth(table string, a *authLayer) {
	if a.Kind != nil && *a.Kind != AuthNone && *a.Kind != AuthAPIKey {
		c.fail(table+".kind", "unknown kind %q; it is none or api_key", string(*a.Kind))
	}
	if a.Env != nil && !envName.MatchString(*a.Env) {
		c.fail(table+".env", "this is not the name of an environment variable; the key itself does not belong here")
	}
	c.path(table+".file", a.File)
}

func (c *checker) worker(w *workerLayer) {
	if w.Instruction != nil {
		text, err := readInstruction(*w.Instruction, c.prompts)
		if err != nil {
			c.fail("worker.instruction", "%v", err)
		}
		w.Instruction = &text
	}
	c.within("worker.max_tokens", w.MaxTokens, 1, maxTokens)
	c.within("worker.max_turns", w.MaxTurns, 1, 1_000_000)
	if t := w.Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		c.fail("worker.temperature", "%v is not between 0 and 2", *t)
	}
	c.word("worker.effort", w.Effort, "low", "medium", "high")
	c.within("worker.tool_output.default_max_bytes", w.ToolOutput.DefaultMaxBytes, minToolBytes, maxToolBytes)
	for _, tool := range slices.Sorted(maps.Keys(w.ToolOutput.PerTool)) {
		name := key{"worker", "tool_output", "per_tool", tool}.String()
		if !toolName.MatchString(tool) {
			c.fail(name, "this is not the name of a tool")
		}
		bytes := w.ToolOutput.PerTool[tool]
		c.within(name, &bytes, minToolBytes, maxToolBytes)
	}
}

func (c *checker) rules(name string, rules []ruleLayer) {
	for i := range rules {
		r, at := &rules[i], fmt.Sprintf("%s[%d]", name, i)
		if r.Target == "" {
			c.fail(at, "a rule needs a target: the path it is about")
		} else {
			c.path(at+".target", &r.Target)
		}
		if r.Permission != PermissionRead && r.Permission != PermissionWrite {
			c.fail(at, "permission is %q; it is read or write", string(r.Permission))
		}
	}
}

func (c *checker) compaction(p *compactionLayer) {
	c.within("compaction.compact_threshold", p.Threshold, 0, maxTokens)
	c.within("compaction.compact_request_threshold", p.RequestThreshold, 0, maxTokens)
	c.within("compaction.compact_retained_tokens", p.RetainedTokens, 0, maxTokens)
	c.within("compaction.compact_auto_read_budget", p.AutoReadBudget, 0, maxTokens)
	c.within("compaction.compact_worker_max_input_tokens", p.WorkerMaxInputTokens, 1, maxTokens)
	c.within("compaction.prune_protected_turns", p.PruneProtectedTurns, 0, 1_000_000)
	c.within("compaction.prune_min_savings", p.PruneMinSavings, 0, maxTokens)
	c.model("compaction.model", &p.Model)
}

func (c *checker) store(l *layer) {
	if p := l.Store.Path; p != nil && !isServer(*p) {
		c.storePath("store.path", p)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Stores)) {
		table := key{"stores", name}.String()
		path := l.Stores[name].Path
		switch {
		case !storeName.MatchString(name):
			c.fail(table, "a store's name is 1 to 32 of a-z, 0-9, - and _, beginning with a letter or digit")
		case name == "local" || strings.HasPrefix(name, "adhoc-"):
			c.fail(table, "this name is taken: local is the default store, adhoc- marks files without a name")
		case path == nil:
			c.fail(table, "a store needs a path")
		default:
			c.storePath(table+".path", path)
		}
	}
}

func (c *checker) storePath(name string, path *string) {
	// sqlite:///FILE, the dialect's driver named or not, is FILE.
	if scheme, file, ok := strings.Cut(*path, "://"); ok && sqliteScheme.MatchString(scheme) {
		if *path, ok = strings.CutPrefix(file, "/"); !ok || *path == "" {
			c.fail(name, "a file as a URL is sqlite:///FILE")
			return
		}
	}
	switch {
	case *path == ":memory:":
		c.fail(name, "a store in memory would be gone with the command; name a file")
	case looksLikeCredentials(*path):
		// The text is not repeated: it holds a password.
		c.fail(name, "this looks like user:password@host, not like a file; put ./ before it if it is a file")
	default:
		c.path(name, path)
	}
}

func (c *checker) studio(s *studioLayer) {
	if s.Host != nil && (*s.Host == "" || strings.ContainsAny(*s.Host, " /\t\r\n")) {
		c.fail("studio.host", "%q is not a host name or address", *s.Host)
	}
	c.within("studio.port", s.Port, 0, 65535)
	if s.AuthToken != nil {
		c.token("studio.auth_token", *s.AuthToken)
	}
	for _, o := range s.CORSOrigins {
		u, err := url.Parse(o)
		if o != "*" && (err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "") {
			c.fail("studio.cors_origins", "%q is not an origin; write scheme://host:port", o)
		}
	}
	for i := range s.ArtifactRoots {
		c.path("studio.artifact_roots", &s.ArtifactRoots[i])
	}
}

// token refuses what no header can carry. The text is never repeated.
func (c *checker) token(name, text string) {
	for _, r := range text {
		if r <= ' ' || r > '~' {
			c.fail(name, "the token holds a blank, a control or a non-ASCII character; make one with: openssl rand -hex 32")
			return
		}
	}
}

func (c *checker) catalog(entries map[string]catalogLayer) {
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		e, table := entries[id], key{"catalog", id}.String()
		for name, price := range map[string]*float64{
			"input_usd": e.InputUSD, "output_usd": e.OutputUSD,
			"cache_read_usd": e.CacheReadUSD, "cache_write_usd": e.CacheWriteUSD,
		} {
			if price != nil && !(*price >= 0 && !math.IsInf(*price, 0)) {
				c.fail(table+"."+name, "a price is a number from 0 up, in US dollars for a million tokens")
			}
		}
		c.within(table+".context", e.Context, 1, maxTokens)
	}
}

func (c *checker) within(name string, v *int64, low, high int64) {
	if v != nil && (*v < low || *v > high) {
		c.fail(name, "%d is not between %d and %d", *v, low, high)
	}
}

func (c *checker) word(name string, v *string, words ...string) {
	if v != nil && !slices.Contains(words, *v) {
		c.fail(name, "unknown word %q; it is one of %s", *v, strings.Join(words, ", "))
	}
}

// path makes a path absolute: ~ is the home folder, the rest is relative to
// the layer's folder.
func (c *checker) path(name string, path *string) {
	if path == nil {
		return
	}
	p := *path
	switch {
	case p == "":
		c.fail(name, "the path is empty")
		return
	case strings.ContainsRune(p, 0):
		c.fail(name, "the path holds a NUL byte")
		return
	case p == "~" || strings.HasPrefix(p, "~/"):
		if !filepath.IsAbs(c.home) {
			c.fail(name, "%s needs a home folder, and HOME is not set", p)
			return
		}
		p = filepath.Join(c.home, p[1:])
	case strings.HasPrefix(p, "~"):
		c.fail(name, "%s: the home folder of another user is not known here; write the whole path", p)
		return
	case !filepath.IsAbs(p):
		p = filepath.Join(c.dir, p)
	}
	*path = filepath.Clean(p)
}

// isServer tells a server's URL from a file.
func isServer(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && anyScheme.MatchString(scheme) && !sqliteScheme.MatchString(scheme)
}

// looksLikeCredentials spots user:secret@host before any slash, which must not
// become the name of a file.
func looksLikeCredentials(s string) bool {
	head, _, _ := strings.Cut(s, "/")
	before, _, ok := strings.Cut(head, "@")
	return ok && strings.Contains(before, ":")
}

// maskURL keeps scheme, host and path of a server's URL.
func maskURL(s string) string {
	scheme, rest, _ := strings.Cut(s, "://")
	rest, _, _ = strings.Cut(rest, "?")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = "…@" + rest[i+1:]
	}
	return printable(scheme + "://" + rest)
}
