package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"podium.local/client"
	"podium.local/protocol"
)

// newControlCommands are the commands that hand one method to live pods and
// say whether it was taken.
func newControlCommands(a *app) []*cobra.Command {
	plain := func(use, short string, params protocol.MethodParams) *cobra.Command {
		return &cobra.Command{
			Use: use + " NAME...", Short: short, Args: argsUsage(cobra.MinimumNArgs(1)),
			RunE: func(cmd *cobra.Command, names []string) error {
				var errs []error
				for _, name := range names {
					_, err := a.call(cmd.Context(), name, params)
					errs = append(errs, err)
				}
				return errors.Join(errs...)
			},
		}
	}
	text := func(use, short, long string, method func(string) protocol.MethodParams) *cobra.Command {
		return &cobra.Command{
			Use: use + " NAME TEXT", Short: short, Long: long, Args: argsUsage(cobra.ExactArgs(2)),
			RunE: func(cmd *cobra.Command, args []string) error {
				body, err := a.textArgument(args[1])
				if err != nil {
					return err
				}
				entry, err := a.call(cmd.Context(), args[0], method(body))
				if err == nil && entry != "" {
					fmt.Fprintln(a.out, entry)
				}
				return err
			},
		}
	}
	return []*cobra.Command{
		text("send", "give a pod an input and leave; the run goes on without you",
			`Give an idle or paused pod an input and leave as soon as it is on disk. The
id that the input has in the log is printed. TEXT "-" reads stdin.`,
			func(s string) protocol.MethodParams { return protocol.Run{Input: s} }),
		text("notify", "leave a pod a note that is no request",
			`Leave a pod a note: its model reads it before its next request, an idle pod
starts a run for it. The id that the note has in the log is printed. TEXT "-"
reads stdin.`,
			func(s string) protocol.MethodParams { return protocol.Notify{Message: s} }),
		plain("pause", "stop a run so that it can be resumed", protocol.Pause{}),
		plain("resume", "go on with a paused run", protocol.Resume{}),
		plain("cancel", "end a run, or discard a paused one", protocol.Cancel{}),
		newCompactCommand(a),
	}
}

func newCompactCommand(a *app) *cobra.Command {
	var noWait bool
	cmd := &cobra.Command{
		Use: "compact NAME...", Short: "summarise the conversation now and go on in a new session",
		Long: `Have the conversation of a pod summarised and go on in a new session, whose id
is printed. The command waits for the outcome and fails when there is no new
session; with --no-wait it leaves as soon as the pod has begun.`,
		Args: argsUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			var errs []error
			for _, name := range names {
				if noWait {
					_, err := a.call(cmd.Context(), name, protocol.Compact{})
					errs = append(errs, err)
					continue
				}
				errs = append(errs, a.compactPod(cmd.Context(), name))
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "do not wait for the outcome")
	return cmd
}

// compactPod has a pod compact and prints the id of the session it goes on in.
func (a *app) compactPod(ctx context.Context, name string) error {
	conn, err := a.dial(ctx, name)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := a.callOn(ctx, conn, name, protocol.Compact{}); err != nil {
		return err
	}
	if _, extended := conn.Hello(); !extended {
		return nil // whether it compacts at all was not said
	}
	begun := false // an outcome before that is of a compaction before this one
	for e, err := range conn.Events(ctx) {
		var bad *client.BadLineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return fmt.Errorf("pod %s: wait for the compaction: %w", name, err)
		}
		switch d := e.Data.(type) {
		case protocol.CompactStart:
			begun = true
		case protocol.CompactDone:
			if begun {
				fmt.Fprintln(a.out, d.NewSessionID)
				return nil
			}
		case protocol.CompactFailed:
			if begun {
				return fmt.Errorf("pod %s: compact: %s", name, printable(d.Error))
			}
		}
	}
	return fmt.Errorf("pod %s: it ended before the compaction did", name)
}

// textArgument is the text itself, or stdin for "-".
func (a *app) textArgument(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	b, err := io.ReadAll(a.in)
	if err != nil {
		return "", fmt.Errorf("read the text from stdin: %w", err)
	}
	return strings.TrimRight(string(b), "\n"), nil
}

// call hands a method to a pod and waits until it says that it took it. The
// id is that of the input's entry, if the method adds one.
func (a *app) call(ctx context.Context, name string, params protocol.MethodParams) (entryID string, err error) {
	conn, err := a.dial(ctx, name)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	return a.callOn(ctx, conn, name, params)
}

// callOn is call over a connection that is there.
func (a *app) callOn(ctx context.Context, conn *client.Conn, name string, params protocol.MethodParams) (entryID string, err error) {
	answer, err := conn.Call(ctx, protocol.Method{Params: params})
	if errors.Is(err, client.ErrBaseOnly) {
		// An older pod confirms nothing: what it makes of it shows in its stream.
		fmt.Fprintf(a.err, "podium: notice: pod %s cannot confirm; %s was sent\n", name, params.MethodName())
		return "", conn.Send(ctx, protocol.Method{Params: params})
	}
	if err != nil {
		return "", fmt.Errorf("pod %s: %w", name, err)
	}
	if a, ok := answer.Data.(protocol.Accepted); ok && a.EntryID != nil {
		entryID = *a.EntryID
	}
	return entryID, nil
}
