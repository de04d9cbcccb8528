package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	addCompletion(root)
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

// argsUsage makes a positional-argument check a usage error, which says what
// the command takes.
func argsUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		path := cmd.CommandPath()
		_, takes, _ := strings.Cut(cmd.Use, " ")
		switch err := check(cmd, args); {
		case err == nil:
			return nil
		case cmd.HasSubCommands():
			return usageErrorf("%s has no command %q; see %s --help", path, args[0], path)
		case takes == "":
			return usageErrorf("%s takes no arguments, and %q is one; see %s --help", path, args[0], path)
		case len(args) == 0:
			return usageErrorf("%s takes %s, and there is nothing; see %s --help", path, takes, path)
		default:
			return usageErrorf("%s takes %s, not %s; see %s --help", path, takes, plural(len(args), "argument"), path)
		}
	}
}

// flagUsage says in words what is wrong with a flag.
func flagUsage(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	help := cmd.CommandPath() + " --help"
	if errors.As(err, &value) {
		want := map[string]string{"int": "a whole number", "int64": "a whole number", "bool": "true or false", "duration": "a time like 90s or 12h"}
		if kind := want[value.GetFlag().Value.Type()]; kind != "" {
			return usageErrorf("--%s is %q: it must be %s; see %s", value.GetFlag().Name, value.GetValue(), kind, help)
		}
	}
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "" {
		return usageErrorf("there is no flag -%s; an argument that begins with - goes behind --; see %s", unknown.GetSpecifiedName(), help)
	}
	return usageErrorf("%w; see %s", err, help)
}
