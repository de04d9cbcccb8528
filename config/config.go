package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

// Config is what is in force after all layers. Every path in it is absolute.
type Config struct {
	Model      Model
	Worker     Worker
	Scope      Scope
	Compaction Compaction
	Store      Store
	// Stores are the named stores, name to file.
	Stores map[string]string
	Studio Studio
	Import Import
	// Catalog holds the user's own prices and context sizes, by model id; it goes
	// before any built-in catalogue.
	Catalog map[string]CatalogEntry
	Paths   Paths
	// File is the user's configuration file that was read, or would be if it were
	// there.
	File string
	// Project is the project file that was found, if any.
	Project *Project

	lookup func(string) (string, bool)
}

// Model says which model is asked and how.
type Model struct {
	// Provider is empty when nobody chose one.
	Provider Provider
	ID       string
	// BaseURL is empty for the provider's own endpoint.
	BaseURL    string
	Auth       Auth
	Capability Capability
	// Context is how many tokens the model holds; 0 is unknown.
	Context int64
	// ConnectTimeout, FirstEventTimeout and IdleTimeout bound the waits for a
	// connection, for the first event of an answer and between two events.
	ConnectTimeout, FirstEventTimeout, IdleTimeout time.Duration
	// MaxRetries is how often a failed request is sent again; 0 is never.
	MaxRetries int
}

// Provider names a vendor's wire, or a preset of one.
type Provider string

// The providers.
const (
	ProviderAnthropic  Provider = "anthropic"
	ProviderOpenAI     Provider = "openai"
	ProviderOpenAIChat Provider = "openai-chat"
	ProviderGemini     Provider = "gemini"
	ProviderOllama     Provider = "ollama"
)

// Auth says where the key of a model comes from; APIKey reads it.
type Auth struct {
	Kind AuthKind
	// Env is the variable to read; empty is the provider's usual one.
	Env string
	// File is read when the variable is empty.
	File string
}

// AuthKind says whether a key is wanted.
type AuthKind string

// The kinds of authentication.
const (
	// AuthAuto sends a key when there is one, and insists on it only for a
	// provider's own endpoint.
	AuthAuto AuthKind = ""
	// AuthNone never sends a key.
	AuthNone AuthKind = "none"
	// AuthAPIKey insists on a key.
	AuthAPIKey AuthKind = "api_key"
)

// Capability is what a model can do, where the user knows better.
type Capability struct {
	// ToolCalling is none, sequential or parallel; empty leaves it to the
	// provider. With none a pod offers its model no tools.
	ToolCalling string
}

// Worker bounds and instructs the turn loop.
type Worker struct {
	// Instruction is the text put before the model; empty is the built-in one.
	Instruction string
	// MaxTokens caps one answer; 0 leaves it to the provider.
	MaxTokens int
	// MaxTurns caps the turns of one run; 0 is no cap.
	MaxTurns int
	// Temperature is nil when the provider decides.
	Temperature *float64
	// Effort is the reasoning effort: low, medium, high, or empty.
	Effort string
	// AllowBash turns the Bash tool on; scope cannot fence a shell.
	AllowBash  bool
	ToolOutput ToolOutput
}

// ToolOutput caps the content of tool results, in bytes.
type ToolOutput struct {
	DefaultMaxBytes int
	// PerTool overrides the default, by tool name.
	PerTool map[string]int
}

// Scope is what of the file system the tools may touch: the access to a path
// is the lower of what Allow and Within give, capped by Deny.
type Scope struct {
	Allow, Deny []Rule
	// Within narrows Allow on behalf of an untrusted project file. Nil does not
	// narrow.
	Within []Rule
}

// Rule gives (or caps) access below one path.
type Rule struct {
	Target     string     `toml:"target"`
	Permission Permission `toml:"permission"`
	// Recursive covers everything below Target; otherwise Target itself and its
	// direct children.
	Recursive bool `toml:"recursive"`
}

// Permission is read or write; write includes read.
type Permission string

// The permissions.
const (
	PermissionRead  Permission = "read"
	PermissionWrite Permission = "write"
)

// Compaction sets when and how a session is summarised. Sizes are tokens.
type Compaction struct {
	// Threshold and RequestThreshold are checked after a run and before a
	// request; nil is a share of the model's context, 0 switches the check off.
	Threshold, RequestThreshold *int64
	RetainedTokens              int64
	// AutoReadBudget bounds file text the summary worker may put in; 0 is no
	// bound.
	AutoReadBudget       int64
	WorkerMaxInputTokens int64
	// Model is nil when the pod's own model summarises.
	Model               *Model
	PruneProtectedTurns int
	PruneMinSavings     int64
}

// Thresholds are the occupancies above which a run that ended, and a request,
// compact first, for a model that holds context tokens (0: unknown). Unless
// set they are 60 % and 80 % of the context. 0 is no threshold.
func (c Compaction) Thresholds(context int64) (afterRun, beforeRequest int64) {
	pick := func(set *int64, percent int64) int64 {
		if set != nil {
			return *set
		}
		return context * percent / 100
	}
	return pick(c.Threshold, 60), pick(c.RequestThreshold, 80)
}

// Store is the store that is written and read.
type Store struct {
	// Name is the store's logical id; empty for a file without one.
	Name string
	// Path is empty when Server is set.
	Path string
	// Server is a server's URL with secrets masked; no command supports one.
	Server string
	// BusyTimeout bounds a reader's wait for a lock.
	BusyTimeout time.Duration
}

// Studio sets the HTTP daemon.
type Studio struct {
	Host string
	Port int
	// AuthToken is the bearer token; empty when none is configured.
	AuthToken Secret
	// CORSOrigins are exact origins, or one "*".
	CORSOrigins []string
	// ArtifactRoots are the folders that a run's files may be served from.
	ArtifactRoots []string
}

// Import sets where other agents' transcripts are and whether the daemon
// follows them.
type Import struct {
	Watch bool
	// SweepInterval is the pause between two sweeps where changes cannot be
	// watched.
	SweepInterval time.Duration
	// ClaudeCode and Codex are the vendors' folders.
	ClaudeCode, Codex string
}

// CatalogEntry is what the user knows of a model. Prices are US dollars for a
// million tokens; nil is unknown, which is never 0.
type CatalogEntry struct {
	InputUSD      *float64
	OutputUSD     *float64
	CacheReadUSD  *float64
	CacheWriteUSD *float64
	// Context is how many tokens the model holds; 0 is unknown.
	Context int64
}

// String is one line of JSON without secrets.
func (c Config) String() string {
	type plain Config // without String, or this never ends
	b, err := json.Marshal(plain(c))
	if err != nil {
		return fmt.Sprintf("config: %v", err)
	}
	return string(b)
}

// GoString is String, so that %#v is as silent about secrets.
func (c Config) GoString() string { return c.String() }

// LogValue is String, for slog.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Notice is something the user should know that is not an error: above all
// what an untrusted project file asked for and did not get.
type Notice struct {
	// File is where it stands, empty when it comes from no file; Line counts
	// from 1.
	File string
	Line int
	// Key is the key it is about, if it is about one.
	Key  string
	Text string
}

// String is the notice in one line.
func (n Notice) String() string {
	s := n.Text
	if n.Key != "" {
		s = n.Key + ": " + s
	}
	switch {
	case n.File == "":
		return s
	case n.Line == 0:
		return printable(n.File + ": " + s)
	default:
		return printable(fmt.Sprintf("%s:%d: %s", n.File, n.Line, s))
	}
}
