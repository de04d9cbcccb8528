package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/pod"
	"podium.local/protocol"
)

func newRunCommand(a *app) *cobra.Command {
	r := &runCommand{app: a}
	cmd := &cobra.Command{
		Use:   "run [-p PROMPT] [NAME]",
		Short: "start a pod here and attach; -p runs one prompt, prints and leaves",
		Long: `Start a pod in this folder as a process of its own and attach to it.

With -p the pod runs one prompt, the answer is printed, and the pod ends (unless
--keep is given or NAME was already running). "-p -" reads the prompt from
stdin. Without NAME the pod is called after the folder. A NAME that is known but
not alive continues its session, in its folder and with the settings it was
started with; flags given now go before those.

Exit: 0 finished, 1 failed, refused or limit reached, 130 cancelled. Ctrl-C
cancels the run.`,
		Args: argsUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r.pod.name = args[0]
			}
			r.prompted = cmd.Flags().Changed("prompt")
			return r.run(cmd)
		},
	}
	r.flags.register(cmd)
	r.pod.registerSession(cmd)
	cmd.Flags().StringVarP(&r.prompt, "prompt", "p", "", `run this prompt, print the answer and leave ("-": from stdin)`)
	cmd.Flags().BoolVar(&r.keep, "keep", false, "with -p: let the pod live on")
	cmd.Flags().BoolVar(&r.asJSON, "json", false, "with -p: print the run's events, one JSON object a line")
	return cmd
}

type runCommand struct {
	*app
	flags    modelFlags
	pod      podOptions
	prompt   string
	prompted bool
	keep     bool
	asJSON   bool
	// dir is the working folder, how what is known of the pod.
	dir string
	how promptOptions
}

func (r *runCommand) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if err := r.pod.check(); err != nil {
		return err
	}
	if !r.prompted && (r.asJSON || r.keep) {
		return usageErrorf("--json and --keep go with -p; see podium run --help")
	}
	if r.prompt == "-" {
		text, err := io.ReadAll(r.in)
		if err != nil {
			return fmt.Errorf("read the prompt from stdin: %w", err)
		}
		r.prompt = string(text)
	}
	if r.prompted && strings.TrimSpace(r.prompt) == "" {
		return usageErrorf("the prompt is empty; give -p some text, or leave it out to attach")
	}
	if r.prompted {
		return r.runPrompt(ctx, cmd)
	}
	if err := r.ensurePod(ctx, cmd); err != nil {
		return err
	}
	to, err := r.targetOf(r.pod.name)
	if err != nil {
		return err
	}
	to.revive = func(ctx context.Context) error {
		return r.revive(ctx, to.name, r.flags.args(r.dir)...)
	}
	return r.attachTo(ctx, to)
}

// startTries is how often a pod is tried that ends before it is asked, other
// than by somebody else's doing.
const startTries = 3

// runPrompt gives the pod its prompt. A pod of one prompt ends with the first
// one it takes, which may be somebody else's; then this command starts it again.
func (r *runCommand) runPrompt(ctx context.Context, cmd *cobra.Command) error {
	var result protocol.RunResult
	for tries := 1; ; {
		began := time.Now()
		r.how = promptOptions{}
		err := r.ensurePod(ctx, cmd)
		taken := false
		if err == nil {
			result, err = r.app.prompt(ctx, r.pod.name, r.prompt, r.how, r.sink())
			taken = !notTaken(err)
		}
		if err == nil {
			break
		}
		if taken || ctx.Err() != nil {
			return err
		}
		switch others, ended := r.changedSince(ctx, began, err); {
		case others: // each round one of them got on
		case (ended || errors.Is(err, errNotAlive)) && tries < startTries:
			tries++
		default:
			return err
		}
		fmt.Fprintf(r.err, "podium: notice: pod %s was ending with somebody else's prompt; trying again\n", r.pod.name)
	}
	switch result {
	case protocol.RunFinished:
		return nil
	case protocol.RunCancelled, protocol.RunRolledBack:
		return &exitError{code: exitCancelled}
	default:
		return &exitError{code: exitFailure}
	}
}

// changedSince reports what became of the pod after a time until err: others
// began or ended it, or the one that this command started has ended. One that
// did not come up by itself is neither, as it would not come up again.
func (r *runCommand) changedSince(ctx context.Context, t time.Time, err error) (others, ended bool) {
	row := r.podRow(ctx, r.pod.name)
	var failed *startError
	if errors.As(err, &failed) && row.Process.PID == failed.pid {
		return false, false
	}
	ended = row.EndedAt.After(t)
	if r.how.own {
		return false, ended
	}
	return ended || row.StartedAt.After(t), ended
}

// sink prints the run's events as the flags ask.
func (r *runCommand) sink() func(protocol.Event) {
	if !r.asJSON {
		p := newPrinter(r.out, r.err)
		p.dir = r.dir
		return p.event
	}
	return func(e protocol.Event) {
		base, ok := e.Base()
		if !ok {
			return
		}
		base.RequestID = ""
		if line, err := base.Append(nil); err == nil {
			fmt.Fprintf(r.out, "%s\n", line)
		}
	}
}

// ensurePod finds the named pod alive, or starts it. What would stop the pod
// from starting (model, key, folder) is found out here, where it can be said
// in one line.
func (r *runCommand) ensurePod(ctx context.Context, cmd *cobra.Command) error {
	cfg, dir, err := r.flags.load(r.app, cmd, r.pod.name)
	if err != nil {
		return err
	}
	r.dir = dir
	if r.pod.name == "" {
		r.pod.name = newPodName(dir)
	}
	socket, err := pod.SocketPath(cfg.Paths.Run, r.pod.name)
	if err != nil {
		return err
	}
	if socketAnswers(ctx, socket) {
		return r.refuseStartFlags(cmd, cfg.Paths, dir)
	}
	if err := r.pod.findSession(ctx, cfg); err != nil {
		return err
	}
	if _, _, err := newProvider(cfg, cfg.Model); err != nil {
		return err
	}
	if _, _, err := newTools(cfg, dir, r.pod.name); err != nil {
		return err
	}
	if err := cfg.Paths.MakeRun(); err != nil {
		return err
	}
	args := append([]string{"pod", "--name", r.pod.name}, r.flags.args(dir)...)
	if r.prompted && !r.keep {
		args = append(args, "--once")
		r.how.once = true
	}
	if r.pod.fresh {
		args = append(args, "--new")
	}
	if r.pod.sessionID != "" {
		args = append(args, "--session", r.pod.sessionID)
	}
	r.how.started = true
	own, err := r.startPod(ctx, cfg.Paths, r.pod.name, args)
	r.how.own = own
	// The pod of whoever was first need not end with this run.
	r.how.once = r.how.once && own
	return err
}

// refuseStartFlags says that a pod that runs already cannot be started
// differently, rather than passing over what was asked for. What it was started
// with may be said again.
func (r *runCommand) refuseStartFlags(cmd *cobra.Command, paths config.Paths, dir string) error {
	was, err := readRecipe(paths, r.pod.name)
	if err != nil {
		return err
	}
	was = cmp.Or(was, &recipe{})
	asked := r.flags.recipe(dir)
	same := map[string]bool{
		"provider": asked.Provider == was.Provider, "model": asked.Model == was.Model, "base-url": asked.BaseURL == was.BaseURL,
		"max-turns": asked.MaxTurns == was.MaxTurns, "dir": asked.Dir == was.Dir, "config": asked.Config == was.Config, "store": asked.Store == was.Store,
		"allow-bash": asked.AllowBash != nil && was.AllowBash != nil && *asked.AllowBash == *was.AllowBash,
	}
	for _, name := range []string{"provider", "model", "base-url", "max-turns", "dir", "config", "allow-bash", "store", "new", "session"} {
		if cmd.Flags().Changed(name) && !same[name] {
			return usageErrorf("pod %s is already running, so --%s has no effect: leave it out, or stop the pod first (podium stop %s)", r.pod.name, name, r.pod.name)
		}
	}
	return nil
}
