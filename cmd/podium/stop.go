package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"podium.local/client"
	"podium.local/config"
	"podium.local/pod"
	"podium.local/protocol"
	"podium.local/session"
)

// Times of ending a pod, once helloPatience has passed without an answer.
const (
	// stopGrace is how long a pod that was told to end may take to do it.
	stopGrace = 30 * time.Second
	// killPatience is how long a killed process may take to be gone.
	killPatience = 10 * time.Second
)

func newStopCommand(a *app) *cobra.Command {
	var grace time.Duration
	cmd := &cobra.Command{
		Use:   "stop NAME...",
		Short: "end pods; their sessions stay and can be continued",
		Long: `End pods and wait until their processes are gone. A pod whose socket does not
answer is told by SIGTERM (and SIGCONT, should it be halted), which it takes for
the same; one that has not ended --grace later is killed. What was done besides
asking is said.`,
		Args: argsUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if grace <= 0 {
				return usageErrorf("--grace is %s: give a time above zero, like 30s", grace)
			}
			var errs []error
			for _, name := range args {
				errs = append(errs, a.stopPod(cmd.Context(), name, grace))
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", stopGrace, "how long a pod may take to end before it is killed")
	return cmd
}

// stopPod ends a pod and waits until its process is gone: it is asked over its
// socket, then told by signal, then killed.
func (a *app) stopPod(ctx context.Context, name string, grace time.Duration) error {
	if _, err := a.socketOf(name); err != nil {
		return err
	}
	s := stopping{app: a, name: name, process: a.podProcess(ctx, name)}
	err := s.ask(ctx, grace)
	switch {
	case err == nil && s.process.PID == 0:
		return nil // it closed the connection, which is the last thing it does
	case s.process.PID == 0:
		return err
	case err == nil:
		ended, err := s.wait(ctx, grace)
		if ended || err != nil {
			return err
		}
		fmt.Fprintf(a.err, "podium: notice: pod %s has not ended %s after it was told to; SIGTERM was sent to its process %d\n", name, grace, s.process.PID)
	case s.ended():
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("stop pod %s: %w", name, context.Cause(ctx))
	default:
		fmt.Fprintf(a.err, "podium: notice: pod %s cannot be reached over its socket; SIGTERM was sent to its process %d\n", name, s.process.PID)
	}
	// A halted process acts on SIGTERM when it goes on.
	if err := s.signal(syscall.SIGTERM, syscall.SIGCONT); err != nil {
		return err
	}
	if ended, err := s.wait(ctx, grace); ended || err != nil {
		return err
	}
	fmt.Fprintf(a.err, "podium: notice: pod %s has not ended %s after SIGTERM; its process %d is killed, podium gc closes its session\n", name, grace, s.process.PID)
	if err := s.signal(syscall.SIGKILL); err != nil {
		return err
	}
	ended, err := s.wait(ctx, killPatience)
	if err == nil && !ended {
		err = fmt.Errorf("stop pod %s: process %d was killed and is still there: the system has to let go of it", name, s.process.PID)
	}
	return err
}

// podProcess is the process that holds a name, as far as it is surely that
// one: by its start, not by its number alone. PID 0 is unknown.
func (a *app) podProcess(ctx context.Context, name string) session.Process {
	row := a.podRow(ctx, name)
	if row.Name != "" && row.EndedAt.IsZero() {
		switch pod.Probe(row.Process) {
		case pod.Alive:
			if row.Process.CreateTime > 0 {
				return row.Process
			}
		case pod.Unknown:
			return session.Process{} // of another machine
		}
	}
	paths, err := config.LocatePaths(a.lookupEnv)
	if err != nil {
		return session.Process{}
	}
	found, ok, err := pod.Find(paths.Run, name)
	if err != nil || !ok {
		return session.Process{}
	}
	p, err := found.Process()
	if err != nil {
		return session.Process{}
	}
	return p
}

// stopping is a pod that is being ended.
type stopping struct {
	*app
	name    string
	process session.Process
}

// ask tells the pod over its socket and waits until it closes the connection,
// at most for grace. An error means that it could not be told.
func (s stopping) ask(ctx context.Context, grace time.Duration) error {
	conn, err := s.dialWithin(ctx, s.name, helloPatience)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Send(ctx, protocol.Method{Params: protocol.Shutdown{}}); err != nil {
		return fmt.Errorf("stop pod %s: %w", s.name, err)
	}
	waiting, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	for _, err := range conn.Events(waiting) {
		var bad *client.BadLineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stop pod %s: it was told to and still runs: %w", s.name, context.Cause(ctx))
	case waiting.Err() != nil && s.process.PID == 0:
		return fmt.Errorf("stop pod %s: it was told to and still runs %s later; which process it is is not known", s.name, grace)
	}
	return nil
}

// ended reports that the process is gone; one that nobody has waited for yet
// counts as gone.
func (s stopping) ended() bool { return pod.Probe(s.process) == pod.Dead }

// wait waits for the end of the process, at most for patience.
func (s stopping) wait(ctx context.Context, patience time.Duration) (ended bool, err error) {
	over := time.NewTimer(patience)
	defer over.Stop()
	for !s.ended() {
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("stop pod %s: process %d was told to end and still runs: %w", s.name, s.process.PID, context.Cause(ctx))
		case <-over.C:
			return false, nil
		case <-time.After(10 * time.Millisecond):
		}
	}
	return true, nil
}

// signal sends signals to the process, and never to one that has its number
// by now.
func (s stopping) signal(signals ...syscall.Signal) error {
	p, err := os.FindProcess(s.process.PID)
	if err != nil {
		return fmt.Errorf("stop pod %s: %w", s.name, err)
	}
	defer p.Release()
	for _, sig := range signals {
		// The handle is of one process; whether it is the right one is seen now.
		if s.ended() {
			return nil
		}
		if err := p.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stop pod %s: send %s to process %d: %w", s.name, sig, s.process.PID, err)
		}
	}
	return nil
}
