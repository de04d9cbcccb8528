package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"podium.local/config"
	"podium.local/pod"
	"podium.local/protocol"
	"podium.local/rehearsal"
)

// demoPods are the three agents of the demo: one a wire, each with its job in
// the sample repository. Models and jobs are those of the rehearsal script.
var demoPods = []demoPod{
	{name: "implementer", provider: "anthropic", model: "claude-sonnet-4-6", priced: true, prompt: "The cart's total is wrong when a line has more than one piece. Fix it."},
	{name: "reviewer", provider: "openai", model: "gpt-5-mini", priced: true, prompt: "Review this repository and leave your findings in REVIEW.md."},
	{
		name: "librarian", provider: "openai-chat", model: "heron-coder-9b", prompt: "Write NOTES.md: what is in this repository and where.",
		config: demoCompaction,
	},
}

type demoPod struct {
	name, provider, model, prompt string
	// priced says that the model's price is known.
	priced bool
	// config is the pod's own config.toml; empty for the defaults.
	config string
}

// demoCompaction makes a pod compact before a request that finds more than
// 4,000 tokens in its context, as reading the sample's price list does.
const demoCompaction = `[compaction]
compact_request_threshold = 4000
compact_retained_tokens = 200
`

func newDemoCommand(a *app) *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "the whole product on a scripted model, in a folder of its own",
		Long: `Start a scripted model server, write a small repository, run three pods that do
real tool work in it (one of them compacts on the way), write 20,000 sessions of
history beside them, and show what Podium kept: on this terminal and in Studio,
whose address is printed. Needs no key and no network. Everything lives in a temporary folder that is removed at the end;
Ctrl-C ends it. With --once it checks its own results and exits.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &demo{app: a, once: once}
			return d.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "check the results and exit")
	return cmd
}

// demo is one run of the command. Everything that it starts and writes is
// below home and is gone when it returns.
type demo struct {
	*app
	once bool
	home string
	repo string
	// inner is the command line as a user of this demo's home would have it.
	inner *app
}

func (d *demo) run(ctx context.Context) (err error) {
	// A terminal that closes ends the demo like Ctrl-C.
	ctx, hear := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGTERM)
	defer hear()
	// Nor does one that is gone, or a second signal of those that end a session:
	// the pods are stopped first. A second Ctrl-C leaves at once.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	if err := d.lay(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(d.home)) }()

	script, err := rehearsal.DemoScript()
	if err != nil {
		return err
	}
	model := rehearsal.New(script, rehearsal.Options{})
	url, err := model.Listen("127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start the scripted model: %w", err)
	}
	defer model.Close()

	fmt.Fprintf(d.err, "A scripted model speaks on %s; three pods work in %s.\n\n", url, d.repo)
	// Pods are stopped whatever happens next, also when ctx has ended.
	defer func() { err = errors.Join(err, d.stopPods()) }()
	if err := d.startPods(ctx, url); err != nil {
		return d.unlessInterrupted(ctx, err)
	}
	history := d.fill(ctx)
	// The store must not be removed under the writer.
	defer func() { <-history.done }()
	ends, err := d.prompts(ctx)
	if err != nil {
		return d.unlessInterrupted(ctx, err)
	}
	if d.once {
		if err := history.wait(d.err); err != nil {
			return err
		}
	}
	page, stop, err := d.startStudio(ctx)
	if err != nil {
		return d.unlessInterrupted(ctx, err)
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := d.show(ctx); err != nil {
		return d.unlessInterrupted(ctx, err)
	}
	if d.once {
		return d.check(ctx, ends, page)
	}
	d.next(page)
	if err := history.wait(d.err); err != nil {
		return d.unlessInterrupted(ctx, err)
	}
	<-ctx.Done()
	fmt.Fprintln(d.err, "\nStopping the pods and removing the folder.")
	return nil
}

// unlessInterrupted makes Ctrl-C an end like any other: the demo was ended by
// the person who watches it. A check that was interrupted did not pass.
func (d *demo) unlessInterrupted(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil:
		return err
	case d.once:
		return &exitError{code: exitCancelled}
	}
	return nil
}

// lay makes the folder and the sample repository.
func (d *demo) lay() (err error) {
	if d.home, err = demoFolder(); err != nil {
		return err
	}
	d.repo = filepath.Join(d.home, "shop")
	if err := os.CopyFS(d.repo, rehearsal.SampleRepo()); err != nil {
		return fmt.Errorf("write the sample repository: %w", err)
	}
	inner := *d.app
	inner.environ = append(without(d.environ, "PODIUM_"), "PODIUM_HOME="+filepath.Join(d.home, "podium"))
	d.inner = &inner
	return nil
}

// demoFolder makes a temporary folder in which the pods' sockets find room:
// where the usual place has too long a path, the system's short one is used.
func demoFolder() (string, error) {
	var problem error
	for _, parent := range []string{"", "/tmp"} {
		home, err := os.MkdirTemp(parent, "podium-demo-")
		if err == nil {
			home, err = filepath.EvalSymlinks(home)
		}
		if err != nil {
			return "", fmt.Errorf("make a folder for the demo: %w; set TMPDIR to a folder that can be written", err)
		}
		for _, p := range demoPods {
			if _, err := pod.SocketPath(filepath.Join(home, "podium", "run"), p.name); err != nil {
				problem = err
			}
		}
		if problem == nil {
			return home, nil
		}
		if err := os.Remove(home); err != nil {
			return "", fmt.Errorf("make a folder for the demo: %w", err)
		}
		if parent == "" {
			problem = nil
		}
	}
	return "", fmt.Errorf("make a folder for the demo: set TMPDIR to a folder with a short path: %w", problem)
}

// without drops the variables that begin with prefix, so that the settings of
// the person who runs the demo do not change it.
func without(environ []string, prefix string) []string {
	var out []string
	for _, v := range environ {
		if !strings.HasPrefix(v, prefix) {
			out = append(out, v)
		}
	}
	return out
}

// startPods starts the pods as processes of their own, as podium run does.
func (d *demo) startPods(ctx context.Context, url string) error {
	paths, err := config.LocatePaths(d.inner.lookupEnv)
	if err != nil {
		return err
	}
	if err := paths.MakeRun(); err != nil {
		return err
	}
	for _, p := range demoPods {
		args := []string{"pod", "--name", p.name, "--provider", p.provider, "--model", p.model, "--base-url", url + "/v1", "--dir", d.repo}
		if p.config != "" {
			file := filepath.Join(d.home, p.name+".toml")
			if err := os.WriteFile(file, []byte(p.config), 0o600); err != nil {
				return fmt.Errorf("write the configuration of %s: %w", p.name, err)
			}
			args = append(args, "--config", file)
		}
		if _, err := d.inner.startPod(ctx, paths, p.name, args); err != nil {
			return err
		}
	}
	return nil
}

// filling is the writing of the demo's history, which goes on while the pods
// work: one store takes both.
type filling struct {
	done chan struct{}
	took time.Duration
	err  error
}

func (d *demo) fill(ctx context.Context) *filling {
	f := &filling{done: make(chan struct{})}
	go func() {
		defer close(f.done)
		begin := time.Now()
		path, err := demoStore(d.inner)
		if err == nil {
			err = writeHistory(ctx, path, demoSessions, begin, nil)
		}
		f.took, f.err = time.Since(begin), err
	}()
	return f
}

func (f *filling) wait(notes io.Writer) error {
	select {
	case <-f.done:
	default:
		fmt.Fprintf(notes, "\nStill writing %d sessions of history.\n", demoSessions)
		<-f.done
	}
	if f.err == nil {
		fmt.Fprintf(notes, "\n%d sessions of history were written beside the pods' in %.1f s.\n", demoSessions, f.took.Seconds())
	}
	return f.err
}

// startStudio serves the demo's store on a port of the system's choice.
func (d *demo) startStudio(ctx context.Context) (page string, stop func() error, err error) {
	daemon, err := d.inner.openStudio(ctx, "", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- daemon.serve(ctx) }()
	return daemon.page, func() error { cancel(); return <-ended }, nil
}

// prompts gives each pod its job and shows what they say side by side, until
// all are done.
func (d *demo) prompts(ctx context.Context) ([]protocol.RunResult, error) {
	screen := d.newScreen()
	ends := make([]protocol.RunResult, len(demoPods))
	errs := make([]error, len(demoPods))
	var wg sync.WaitGroup
	for i, p := range demoPods {
		wg.Go(func() {
			out := screen.pane(i)
			printer := newPrinter(out, out)
			printer.dir = d.repo
			fmt.Fprintf(out, "you: %s\n", p.prompt)
			ends[i], errs[i] = d.inner.prompt(ctx, p.name, p.prompt, promptOptions{}, printer.event)
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	screen.drawUntil(done)
	return ends, errors.Join(errs...)
}

// show prints what a user sees of the work afterwards.
func (d *demo) show(ctx context.Context) error {
	for _, args := range [][]string{{"ps"}, {"history", demoPods[0].name}} {
		fmt.Fprintf(d.out, "\n$ podium %s\n", strings.Join(args, " "))
		if code := d.inner.run(ctx, args); code != exitOK {
			return &exitError{code: code}
		}
	}
	return nil
}

// next says what to try while the pods are alive.
func (d *demo) next(page string) {
	fmt.Fprintf(d.out, `
Studio shows all of it: %s

The pods are still alive. In another terminal:

  export PODIUM_HOME=%s
%s  podium ps
  podium history librarian
  podium run reviewer -p "Look again, please."
  podium sessions list
  podium logs librarian
  cat %s

Ctrl-C ends the demo and removes its folder.
`, page, shellWord(filepath.Join(d.home, "podium")), podiumAlias(), shellWord(filepath.Join(d.repo, "REVIEW.md")))
}

// podiumAlias is the line of a shell that makes podium mean this program,
// empty where it does already.
func podiumAlias() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	if found, err := exec.LookPath("podium"); err == nil {
		a, errA := os.Stat(exe)
		b, errB := os.Stat(found)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return ""
		}
	}
	return "  alias podium=" + shellWord(exe) + "\n"
}

// stopPods ends the pods that are alive and waits for them.
func (d *demo) stopPods() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var errs []error
	for _, p := range demoPods {
		if err := d.inner.stopPod(ctx, p.name, stopGrace); err != nil && !errors.Is(err, errNotAlive) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// screen shows the pods' words: columns on a terminal, labelled lines
// elsewhere.
type screen struct {
	out  io.Writer
	cols *columns
	// width and height are 0 for labelled lines.
	width, height int
	mu            sync.Mutex // guards out for labelled lines
}

func (d *demo) newScreen() *screen {
	var titles []string
	for _, p := range demoPods {
		titles = append(titles, fmt.Sprintf("%s (%s, %s)", p.name, p.provider, p.model))
	}
	s := &screen{out: d.out, cols: newColumns(titles...)}
	if f, ok := d.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && d.getenv("TERM") != "dumb" {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w >= 90 && h >= 16 {
			s.width, s.height = w, min(h-6, 24)
		}
	}
	return s
}

// pane is where the words of pod i go.
func (s *screen) pane(i int) io.Writer {
	if s.height > 0 {
		return writerFunc(func(p []byte) { s.cols.append(i, string(p)) })
	}
	return &labelled{screen: s, label: fmt.Sprintf("%-12s│ ", demoPods[i].name)}
}

// drawUntil redraws the columns in place until done.
func (s *screen) drawUntil(done <-chan struct{}) {
	if s.height == 0 {
		<-done
		return
	}
	tick := time.NewTicker(80 * time.Millisecond)
	defer tick.Stop()
	io.WriteString(s.out, strings.Repeat("\n", s.height)+"\x1b[?25l")
	defer io.WriteString(s.out, "\x1b[?25h")
	for last := false; ; {
		if lines, changed := s.cols.frame(s.width-1, s.height); changed {
			fmt.Fprintf(s.out, "\x1b[%dA\r", s.height)
			for _, l := range lines {
				fmt.Fprintf(s.out, "%s\x1b[K\n", l)
			}
		}
		if last {
			return
		}
		select {
		case <-tick.C:
		case <-done:
			last = true
		}
	}
}

// labelled writes whole lines, each with its label in front.
type labelled struct {
	screen *screen
	label  string
	rest   string
}

// Write keeps the last line back until it is whole.
func (l *labelled) Write(p []byte) (int, error) {
	l.screen.mu.Lock()
	defer l.screen.mu.Unlock()
	text := l.rest + string(p)
	for {
		line, rest, whole := strings.Cut(text, "\n")
		if !whole {
			l.rest = text
			return len(p), nil
		}
		fmt.Fprintf(l.screen.out, "%s%s\n", l.label, line)
		text = rest
	}
}

// writerFunc makes a function that cannot fail a writer.
type writerFunc func(p []byte)

// Write hands p to the function.
func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }
