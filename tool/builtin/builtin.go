package builtin

import (
	"path/filepath"

	"podium.local/tool"
)

// Options say which tools a pod gets and what they work on.
type Options struct {
	// Dir is the pod's working folder, an absolute path: where Glob and Grep
	// look when the call names no path, and where Bash runs.
	Dir string
	// Scope is what the file tools may touch.
	Scope *tool.Scope
	// Caps are the limits of what results carry.
	Caps tool.Caps
	// AllowBash registers Bash.
	AllowBash bool
	// Pod is the tag that commands carry in their environment as PODIUM_POD, so
	// that a process left behind can be told whose it was.
	Pod string
	// SecretEnv names environment variables that commands must not see, besides
	// the model vendors' own.
	SecretEnv []string
}

// New makes the tools of one pod, and the tracker that Read, Write and Edit
// share. A relative Dir or a missing Scope is a programming error and panics.
func New(o Options) (*tool.Registry, *Tracker) {
	if !filepath.IsAbs(o.Dir) || o.Scope == nil {
		panic("builtin: New needs an absolute Dir and a Scope")
	}
	tracker := newTracker()
	tools := []tool.Tool{
		&read{scope: o.Scope, tracker: tracker, limit: o.Caps.Limit(readName)},
		&write{scope: o.Scope, tracker: tracker},
		&edit{scope: o.Scope, tracker: tracker},
		&glob{scope: o.Scope, dir: o.Dir, limit: o.Caps.Limit(globName)},
		&grep{scope: o.Scope, dir: o.Dir, limit: o.Caps.Limit(grepName)},
	}
	if o.AllowBash {
		tools = append(tools, newBash(o))
	}
	return tool.NewRegistry(tools...).WithCaps(o.Caps), tracker
}
