package builtin

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"podium.local/tool"
)

const bashName = "Bash"

//go:embed bash.md
var bashDescription string

var bashSignature = newSignature(bashName, bashDescription, `{
	"type": "object",
	"properties": {
		"command": {"type": "string", "description": "Shell command"},
		"timeout_ms": {"type": "integer", "minimum": 1, "maximum": 600000, "default": 120000, "description": "Milliseconds after which the command is ended"},
		"description": {"type": "string", "description": "What the command does, in a few words, for the person watching"}
	},
	"required": ["command"],
	"additionalProperties": false
}`)

// Environment variables of a command: whose it is, and which call of it.
const (
	podVariable  = "PODIUM_POD"
	callVariable = "PODIUM_CALL"
)

// secretVariables are the environment variables with keys that no command
// needs to see.
var secretVariables = []string{
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY",
	"GEMINI_API_KEY", "GOOGLE_API_KEY", "PODIUM_STUDIO_AUTH_TOKEN",
}

// bash runs commands in a shell.
type bash struct {
	dir, pod string
	secrets  []string
	limit    int
}

func newBash(o Options) *bash {
	return &bash{dir: o.Dir, pod: o.Pod, secrets: slices.Concat(secretVariables, o.SecretEnv), limit: o.Caps.Limit(bashName)}
}

func (*bash) Spec() tool.Spec { return bashSignature.spec }

func (b *bash) Run(ctx context.Context, args json.RawMessage) tool.Result {
	a := struct {
		Command     string `json:"command"`
		TimeoutMS   int64  `json:"timeout_ms"`
		Description string `json:"description"`
	}{TimeoutMS: 120_000}
	if err := bashSignature.decode(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	switch {
	case strings.TrimSpace(a.Command) == "":
		return tool.InvalidArgument(errors.New("command must not be empty"))
	case strings.ContainsRune(a.Command, 0):
		return tool.InvalidArgument(errors.New("command must not contain a NUL character"))
	}
	out := &headTail{limit: b.limit}
	call := rand.Text()
	p, err := start(b.dir, []string{shell(), "-c", a.Command}, b.environ(call), callVariable+"="+call, out)
	if err != nil {
		// The system blames the shell when it is the folder that is gone.
		if _, gone := os.Stat(b.dir); gone != nil {
			err = cause(gone)
		}
		return tool.ExecutionFailed(fmt.Errorf("run command in %s: %w", b.dir, err))
	}
	timeout := time.NewTimer(time.Duration(a.TimeoutMS) * time.Millisecond)
	defer timeout.Stop()
	res := tool.Result{IsError: true}
	select {
	case <-p.exited:
		res.Summary, res.IsError = p.outcome()
		if p.end(false) > 0 {
			res.Summary += "; what it left in the background was ended"
		}
	case <-timeout.C:
		res.Summary = fmt.Sprintf("Timed out after %d ms; the command and all it started were ended", a.TimeoutMS)
		p.end(true)
	case <-ctx.Done():
		res.Summary = "Cancelled; the command and all it started were ended"
		p.end(true)
	}
	p.finish()
	res.Content, res.Full = out.text()
	if res.Content == "" {
		res.Summary += "; no output"
	}
	return res
}

func shell() string {
	if _, err := os.Stat("/bin/bash"); err == nil {
		return "/bin/bash"
	}
	return "/bin/sh"
}

// environ is our own environment without keys, with the tags.
func (b *bash) environ(call string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == podVariable || name == callVariable || slices.Contains(b.secrets, name)
	})
	return append(env, podVariable+"="+b.pod, callVariable+"="+call)
}
