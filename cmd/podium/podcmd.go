package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/pod"
	"podium.local/protocol"
	"podium.local/store"
)

func newPodCommand(a *app) *cobra.Command {
	var flags modelFlags
	var o podOptions
	cmd := &cobra.Command{
		Use:   "pod",
		Short: "one pod in the foreground (what run starts detached)",
		Long: `Host one pod in this process until it is told to shut down (podium stop, the
shutdown method, SIGTERM or SIGINT). Clients attach over its socket.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			cfg, dir, err := flags.load(a, cmd, o.name)
			if err != nil {
				return err
			}
			if o.name == "" {
				o.name = newPodName(dir)
			}
			if err := o.findSession(cmd.Context(), cfg); err != nil {
				return err
			}
			o.recipe = flags.recipe(dir)
			return a.hostPod(cmd.Context(), cfg, dir, o)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&o.name, "name", "", "the pod's name (default: the folder's name and four hex digits)")
	cmd.Flags().BoolVar(&o.once, "once", false, "end after the first run")
	o.registerSession(cmd)
	return cmd
}

// podOptions say which pod to host and with which session.
type podOptions struct {
	name string
	once bool
	// fresh starts another session, sessionID continues that one; neither
	// continues the name's own.
	fresh     bool
	sessionID string
	// recipe is kept so that the pod can be started again.
	recipe *recipe
}

// registerSession adds the flags that choose the session.
func (o *podOptions) registerSession(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.fresh, "new", false, "start another session even when NAME has one")
	cmd.Flags().StringVar(&o.sessionID, "session", "", "continue this ended session: its id, or the first or last digits of it")
}

func (o *podOptions) check() error {
	if o.fresh && o.sessionID != "" {
		return usageErrorf("--new starts another session and --session continues one: give one of them")
	}
	if o.name != "" {
		if err := pod.CheckName(o.name); err != nil {
			return usageErrorf("%w", err)
		}
	}
	return nil
}

// findSession makes a whole id of what --session says.
func (o *podOptions) findSession(ctx context.Context, cfg config.Config) (err error) {
	if o.sessionID == "" || cfg.Store.Path == "" {
		return nil
	}
	v := openView(cfg, slog.New(slog.DiscardHandler))
	defer func() { err = errors.Join(err, v.Close()) }()
	o.sessionID, err = sessionRef(ctx, v, o.sessionID)
	return err
}

// hostPod runs a pod in this process until it ends.
func (a *app) hostPod(ctx context.Context, cfg config.Config, dir string, o podOptions) (err error) {
	log := a.logger().With("pod", o.name)
	provider, scheme, err := newProvider(cfg, cfg.Model)
	if err != nil {
		return err
	}
	if err := cfg.Paths.MakeRun(); err != nil {
		return err
	}
	tag, err := podTag(cfg.Paths.Run, o.name)
	if err != nil {
		return err
	}
	tools, scope, err := newTools(cfg, dir, tag)
	if err != nil {
		return err
	}
	st, err := makeStore(ctx, cfg, store.Options{
		Alive: processLives,
		OnBusy: func(waited time.Duration) {
			log.Warn("another program has the store locked; still trying", "waited", waited.Round(time.Millisecond))
		},
		Log: log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := makeKeyring(cfg); err != nil {
		log.Warn("the bounded listing is not available", "error", err)
	}
	price, contextLimit := priceOf(cfg, cfg.Model)
	compaction, err := newCompaction(cfg, dir, o.name, contextLimit)
	if err != nil {
		return err
	}
	notices := endStrays(cfg.Paths.Run, o.name, tag)
	for _, n := range notices {
		log.Warn(n.Message)
	}
	p, err := pod.Open(ctx, pod.Options{
		Name: o.name, Dir: dir, RunDir: cfg.Paths.Run,
		Store: st, Provider: provider, Scheme: scheme, Model: cfg.Model.ID,
		MaxTokens: cfg.Worker.MaxTokens, Temperature: cfg.Worker.Temperature, Effort: cfg.Worker.Effort,
		Tools: tools, Instruction: cfg.Worker.Instruction, ScopeSummary: scope.Summary(),
		MaxTurns: cfg.Worker.MaxTurns, ParallelTools: parallelTools(cfg.Model),
		Timeouts:     pod.Timeouts{Connect: cfg.Model.ConnectTimeout, FirstEvent: cfg.Model.FirstEventTimeout, Idle: cfg.Model.IdleTimeout},
		Retry:        pod.Retry{Attempts: cfg.Model.MaxRetries + 1},
		ContextLimit: contextLimit, Price: price, Compaction: compaction,
		Project: projectOf(dir), New: o.fresh, SessionID: o.sessionID, Once: o.once,
		Version: buildVersion(), Logger: log, Notices: notices,
		Claimed: func() {
			if err := o.recipe.keep(cfg.Paths, o.name); err != nil {
				log.Warn("podium run "+o.name+" will need the same flags again", "error", err)
			}
		},
	})
	if err != nil {
		return err
	}
	log.Info("listening", "socket", p.Socket(), "session", p.SessionID())
	return p.Run(ctx)
}

// parallelTools is how many tool calls of one answer run at once.
func parallelTools(m config.Model) int {
	if m.Capability.ToolCalling == "sequential" {
		return 1
	}
	return 0
}

// newPodName is a name for a pod that nobody named: the folder's, a dash and
// four hex digits.
func newPodName(dir string) string {
	base := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || !unicode.IsPrint(r) || unicode.IsSpace(r) {
			return '-'
		}
		return r
	}, filepath.Base(dir))
	base = strings.TrimLeft(base, ".-")
	if base == "" {
		base = "pod"
	}
	const most = 24 // bytes; the socket's path has a limit of its own
	for len(base) > most {
		base = base[:len(base)-1]
		base = strings.ToValidUTF8(base, "")
	}
	var b [2]byte
	rand.Read(b[:])
	return base + "-" + hex.EncodeToString(b[:])
}

// startPod starts a pod's process on its own and waits until it answers; own is
// false when somebody else's was first.
func (a *app) startPod(ctx context.Context, paths config.Paths, name string, args []string) (own bool, err error) {
	socket, err := pod.SocketPath(paths.Run, name)
	if err != nil {
		return false, err
	}
	if row := a.podRow(ctx, name); row.Name != "" && row.EndedAt.IsZero() && ofOtherHost(row.Process) {
		return false, a.notAlive(ctx, name)
	}
	dir := filepath.Join(paths.Run, name)
	if err := config.MakeDir(dir); err != nil {
		return false, fmt.Errorf("start pod %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errors.New("it did not answer in time; see podium logs "+name))
	defer cancel()
	// A pod started from inside an agent's shell is nobody's child: it must not
	// end with the tool call that started it.
	environ := without(without(a.environ, "PODIUM_CALL="), "PODIUM_POD=")
	return detached{
		name: name, dir: dir, args: args, environ: environ,
		answers: func() bool { return socketAnswers(ctx, socket) },
	}.start(ctx)
}

// startTimeout bounds the wait for a new pod's socket. Opening a store that
// another program keeps locked is what takes time.
const startTimeout = 45 * time.Second

// resultOf is the outcome of a run that ended with an event.
func resultOf(e protocol.Event) (protocol.RunResult, bool) {
	switch d := e.Data.(type) {
	case protocol.RunEnd:
		return d.Result, true
	case protocol.Error:
		if d.Message == "Cancelled" {
			return protocol.RunCancelled, true
		}
		return protocol.RunFailed, true
	}
	return "", false
}
