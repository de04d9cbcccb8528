package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"podium.local/config"
)

// Exit codes of the command.
const (
	exitOK        = 0
	exitFailure   = 1
	exitUsage     = 2
	exitCancelled = 130
)

// app is what a subcommand may touch of the outside: the three streams and
// the environment. Results go to out; progress, notices and logs to err.
type app struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
}

// getenv looks a variable up in the environment the command was started with.
func (a *app) getenv(name string) string {
	v, _ := a.lookupEnv(name)
	return v
}

// lookupEnv tells an empty variable from an absent one; the last one wins, as
// in a process's own environment.
func (a *app) lookupEnv(name string) (string, bool) {
	for i := len(a.environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(a.environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// run parses args, runs the subcommand and returns the exit code. Errors are
// printed here and nowhere else.
func (a *app) run(ctx context.Context, args []string) int {
	root := newRootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code := exitFailure
	var exit *exitError
	var flag *config.FlagError
	if errors.As(err, &flag) {
		code = exitUsage
	}
	if errors.As(err, &exit) {
		code = exit.code
		if exit.err == nil {
			return code
		}
	}
	fmt.Fprintf(a.err, "podium: %v\n", err)
	return code
}

// exitError carries the exit code of a failure that is not the plain 1. A nil
// err means that everything was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageErrorf is a mistake in the command line (exit 2).
func usageErrorf(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// argsUsage makes a positional-argument check a usage error.
func argsUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageErrorf("%w; see %s --help", err, cmd.CommandPath())
		}
		return nil
	}
}
