package pod

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"podium.local/llm"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/tool"
)

// Options describe a pod. Name, Dir, RunDir, Store, Provider, Scheme, Model
// and Tools are required.
type Options struct {
	// Name is the pod's name and that of its folder below RunDir.
	Name string
	// Dir is the working folder, absolute.
	Dir string
	// RunDir holds one folder a pod: sock, pid, status.json, lock.
	RunDir string

	Store    Store
	Provider llm.Provider
	// Scheme is the wire's word for the provider: anthropic, openai_responses or
	// openai_chat.
	Scheme string
	Model  string
	// MaxTokens, Temperature and Effort go into every request as they are.
	MaxTokens   int
	Temperature *float64
	Effort      string
	Tools       *tool.Registry

	// Instruction opens the system prompt; ScopeSummary says in it, and in the
	// greeting, which files may be read and written.
	Instruction  string
	ScopeSummary string

	// MaxTurns ends a run with limit_reached after that many turns; 0 is no
	// limit.
	MaxTurns int
	// ParallelTools is how many calls of one answer run at once; 0 means 8.
	ParallelTools int
	// Timeouts and Retry rule the requests to the provider.
	Timeouts Timeouts
	Retry    Retry
	// ContextLimit is what the model holds, in tokens; 0 is unknown.
	ContextLimit int64
	// Compaction says when and how the session is summarised.
	Compaction Compaction
	// Price is the cost of a request; ok is false when the model has no known
	// price. Nil prices nothing.
	Price func(model string, u session.Usage) (usd float64, source string, ok bool)

	// AgentName, Project, New and SessionID are those of session.PodStart.
	AgentName string
	Project   string
	New       bool
	SessionID string

	// Once ends the pod after the first run that somebody asked for (one of inputs
	// that an earlier process left is not it), and also when there was none and
	// nobody was connected for OnceGrace, which is 30 s by default: who starts a
	// pod first looks whether it answers, and comes back to talk.
	Once      bool
	OnceGrace time.Duration
	// Notices are shown to every client, as what came up before the pod could
	// speak (an ignored key of a project file).
	Notices []protocol.Notification
	// Claimed, which may be nil, is called when name and session are the pod's and
	// nobody can reach it yet.
	Claimed func()
	// Version is the program's, for hello.
	Version string
	Logger  *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Compaction says when a session is moved to a summarised one, and how the
// summary is made. Sizes are tokens.
type Compaction struct {
	// Threshold is checked after a run, RequestThreshold before a request; 0
	// switches the check off.
	Threshold, RequestThreshold int64
	// Retained is how much of the end is kept word for word.
	Retained int64
	// AutoReadBudget bounds the file text that the summary may put in front of
	// the model; 0 is no bound.
	AutoReadBudget int64
	// MaxInput is the most the summary worker's own context may hold; 0 means
	// 50,000.
	MaxInput int64
	// MaxTurns and Deadline bound its work; 0 means 10 requests and 5 minutes.
	MaxTurns int
	Deadline time.Duration
	// Provider and Model summarise, at Price; without them the pod's own do.
	Provider llm.Provider
	Model    string
	Price    func(model string, u session.Usage) (usd float64, source string, ok bool)
	// PruneProtected and PruneMinSavings rule what is left out of a request
	// without a compaction: the content of tool results before the newest
	// requests of a person, when that saves so many tokens. 0 savings switch it
	// off.
	PruneProtected  int
	PruneMinSavings int64
	// Read makes a file reader that knows nothing of what the pod has read; nil
	// lets the worker read no file.
	Read func() tool.Tool
}

// Timeouts bound the waits for a model. Zero values are the defaults.
type Timeouts struct {
	// Connect is for a connection to the vendor: 30 s.
	Connect time.Duration
	// FirstEvent is from the request to the first event of the answer: 5 min,
	// as long prompts and reasoning take their time.
	FirstEvent time.Duration
	// Idle is between two events of the answer: 2 min.
	Idle time.Duration
}

// Retry rules how often a request is tried before anything of its answer was
// shown. Zero values are the defaults.
type Retry struct {
	// Attempts counts the first one too: 6.
	Attempts int
	// Base is the wait before the second attempt, doubled for each further one
	// up to Max: 1 s and 60 s. A random quarter is added or taken.
	Base, Max time.Duration
	// MaxAfter is the longest Retry-After that is honoured: 10 min. A vendor that
	// asks for more fails the run.
	MaxAfter time.Duration
}

func (o *Options) setDefaults() {
	or := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	or(&o.Timeouts.Connect, 30*time.Second)
	or(&o.Timeouts.FirstEvent, 5*time.Minute)
	or(&o.Timeouts.Idle, 2*time.Minute)
	or(&o.Retry.Base, time.Second)
	or(&o.Retry.Max, time.Minute)
	or(&o.Retry.MaxAfter, 10*time.Minute)
	or(&o.OnceGrace, 30*time.Second)
	or(&o.Compaction.Deadline, 5*time.Minute)
	if o.Compaction.Provider == nil {
		o.Compaction.Provider, o.Compaction.Model, o.Compaction.Price = o.Provider, o.Model, o.Price
	}
	if o.Compaction.MaxInput == 0 {
		o.Compaction.MaxInput = 50_000
	}
	if o.Compaction.MaxTurns == 0 {
		o.Compaction.MaxTurns = 10
	}
	if o.Retry.Attempts == 0 {
		o.Retry.Attempts = 6
	}
	if o.ParallelTools == 0 {
		o.ParallelTools = 8
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Version == "" {
		o.Version = "dev"
	}
}

func (o *Options) check() error {
	if err := CheckName(o.Name); err != nil {
		return err
	}
	switch {
	case !filepath.IsAbs(o.Dir):
		return fmt.Errorf("the working folder %q is not an absolute path", o.Dir)
	case !filepath.IsAbs(o.RunDir):
		return fmt.Errorf("the folder for sockets %q is not an absolute path", o.RunDir)
	case o.Store == nil || o.Provider == nil || o.Tools == nil:
		return errors.New("a pod needs a store, a provider and a tool registry")
	case o.Model == "":
		return errors.New("no model given: name one with --model or in the configuration")
	case o.MaxTurns < 0:
		return fmt.Errorf("max_turns is %d: it must be at least 1, or absent for no limit", o.MaxTurns)
	}
	return nil
}

// maxName is the longest name of a pod, in bytes.
const maxName = 100

// CheckName reports why a text cannot be a pod's name. The name is a folder's
// name too, and stands in command lines.
func CheckName(name string) error {
	bad := func(why string) error { return fmt.Errorf("pod name %q %s", name, why) }
	switch {
	case name == "":
		return errors.New("the pod name is empty")
	case len(name) > maxName:
		return fmt.Errorf("the pod name is %d bytes long, the limit is %d", len(name), maxName)
	case strings.ContainsAny(name, "/\\"):
		return bad("holds a slash: it is the name of one folder")
	case name[0] == '.' || name[0] == '-':
		return bad("begins with " + string(name[0]) + ": begin it with a letter or digit")
	case strings.ContainsFunc(name, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }):
		return bad("holds a character that cannot be printed")
	}
	return nil
}
