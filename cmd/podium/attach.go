package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"podium.local/client"
)

func newAttachCommand(a *app) *cobra.Command {
	var socket string
	var base bool
	cmd := &cobra.Command{
		Use:   "attach [NAME]",
		Short: "the terminal client: watch a live pod and talk to it",
		Long: `Show a live pod's conversation and talk to it. Without NAME, pick one of the
live pods and recent sessions. Leaving never stops the pod; ? lists the keys.

--socket drives the pod behind a socket, --base with the base protocol alone.

Where there is no terminal to draw on (a pipe, TERM=dumb) it works line by
line: /cancel, /pause, /resume and /compact act on the run, /quit (or end of
input) leaves. Ctrl-C pauses a run; without one it leaves.`,
		Args: argsUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case socket != "" && len(args) == 1:
				return usageErrorf("NAME and --socket both say which pod: give one of them")
			case socket != "":
				return a.attachTo(cmd.Context(), target{socket: socket, base: base})
			case len(args) == 0:
				return a.pick(cmd)
			}
			to, err := a.targetOf(args[0])
			if err != nil {
				return err
			}
			to.base = base
			return a.attachTo(cmd.Context(), to)
		},
	}
	cmd.Flags().StringVar(&socket, "socket", "", "the pod's socket, instead of its name")
	cmd.Flags().BoolVar(&base, "base", false, "use the base protocol alone (older pods)")
	return cmd
}

// target is a pod to attach to.
type target struct {
	// name is empty for a pod that is known by its socket alone.
	name, socket string
	base         bool
	// revive starts the pod again after it has ended; nil when that is not known.
	revive func(ctx context.Context) error
}

// targetOf is the named pod.
func (a *app) targetOf(name string) (target, error) {
	socket, err := a.socketOf(name)
	return target{name: name, socket: socket}, err
}

// attach shows the named pod.
func (a *app) attach(ctx context.Context, name string) error {
	to, err := a.targetOf(name)
	if err != nil {
		return err
	}
	return a.attachTo(ctx, to)
}

// attachTo shows a pod on the screen or, where there is none, line by line.
func (a *app) attachTo(ctx context.Context, to target) error {
	if a.hasScreen() {
		return a.attachScreen(ctx, to)
	}
	return a.attachLines(ctx, to)
}

// hasScreen reports whether there is a terminal that can be drawn on.
func (a *app) hasScreen() bool {
	name := a.getenv("TERM")
	return a.hasTerminal() && name != "" && name != "dumb"
}

// hasTerminal reports whether a person sits before the command.
func (a *app) hasTerminal() bool {
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return false
	}
	out, ok := a.out.(*os.File)
	return ok && term.IsTerminal(int(out.Fd()))
}

// dialTarget attaches. A giveUp of 0 tries a lost connection again for ever.
func (a *app) dialTarget(ctx context.Context, to target, tail *uint64, giveUp time.Duration) (*client.Session, error) {
	o := client.Options{Client: clientName(), PodName: to.name, Tail: tail}
	if to.base {
		o.Mode = client.ModeBase
	}
	s, err := client.Attach(ctx, to.socket, client.AttachOptions{Options: o, GiveUp: giveUp})
	switch {
	case errors.Is(err, client.ErrNotRunning) && to.name != "":
		return nil, a.notAlive(ctx, to.name)
	case errors.Is(err, client.ErrNotRunning):
		return nil, fmt.Errorf("attach to %s: no pod listens there; podium ps lists the pods", filepath.Clean(to.socket))
	}
	return s, err
}

// called is how the target is spoken of.
func (to target) called() string { return cmp.Or(to.name, to.socket) }

// continues says how the session of an ended pod goes on.
func (to target) continues() string {
	if to.name == "" {
		return "its socket was " + filepath.Clean(to.socket)
	}
	return "podium run " + to.name + " continues its session"
}
