package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podium.local/rehearsal"
)

// rehearseGrace is how long a command may take to end after Ctrl-C before it
// is killed.
const rehearseGrace = 5 * time.Second

func newRehearseCommand(a *app) *cobra.Command {
	r := &rehearse{app: a}
	cmd := &cobra.Command{
		Use:   "rehearse SCRIPT [-- COMMAND ARG...]",
		Short: "the scripted model server",
		Long: `Serve the wires of the model vendors on this machine and answer from SCRIPT
instead of a model; docs/rehearsal.md describes the file. The address is printed
on stdout, everything else on stderr, one line a request. Ctrl-C ends it.

With a COMMAND the server lasts as long as that. {url} in its arguments becomes
the server's address, which it also finds in ANTHROPIC_BASE_URL and
OPENAI_BASE_URL:

  podium rehearse talk.toml -- podium run --provider anthropic --base-url {url} --model any -p Hello`,
		Args: argsUsage(func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				args = args[:n]
			}
			return cobra.ExactArgs(1)(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				r.command = args[n:]
				if len(r.command) == 0 {
					return usageErrorf("there is no command behind --; see %s --help", cmd.CommandPath())
				}
			}
			return r.run(cmd.Context(), args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&r.listen, "listen", "127.0.0.1:0", "the address to serve on; port 0 lets the system choose")
	fs.StringArrayVar(&r.set, "set", nil, `NAME=VALUE for the script's templates: {{var "NAME"}}; cwd also sets {{cwd}}`)
	fs.BoolVar(&r.check, "check", false, "check the script and exit")
	fs.BoolVar(&r.rush, "no-delays", false, "leave out the script's delays")
	fs.BoolVar(&r.always, "log", false, "log requests beside a COMMAND too, whose output they would otherwise disturb")
	return cmd
}

// rehearse is one run of the command.
type rehearse struct {
	*app
	listen      string
	set         []string
	check, rush bool
	always      bool // log beside a command
	command     []string
}

func (r *rehearse) run(ctx context.Context, path string) error {
	if err := checkListen(r.listen); err != nil {
		return err
	}
	vars, err := r.vars()
	if err != nil {
		return err
	}
	script, err := rehearsal.Load(path)
	if err != nil {
		return err
	}
	if len(script.Replies) == 0 {
		return fmt.Errorf("%s has no replies, so that every request would fail; add a [[reply]]", path)
	}
	if r.check {
		fmt.Fprintf(r.err, "%s is good: %d replies, %d actors.\n", path, len(script.Replies), len(script.Actors))
		return nil
	}
	log := r.log()
	if r.command != nil && !r.always {
		log = nil
	}
	server := rehearsal.New(script, rehearsal.Options{Log: log, Vars: vars, Rush: r.rush})
	url, err := server.Listen(r.listen)
	if err != nil {
		return fmt.Errorf("%w; --listen HOST:PORT chooses another address", err)
	}
	defer server.Close()
	r.warnIfOpen(url)
	if r.command != nil {
		return r.accompany(ctx, url)
	}
	fmt.Fprintln(r.out, url)
	r.explain(path, url, script)
	select {
	case <-ctx.Done():
		return nil
	case <-server.Done():
		return fmt.Errorf("serve %s on %s: the system closed the listener; start it again", path, url)
	}
}

// checkListen refuses what is no address at all.
func checkListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return usageErrorf("--listen is %q: it must be HOST:PORT, as in 127.0.0.1:0", address)
	}
	return nil
}

// vars reads --set.
func (r *rehearse) vars() (map[string]string, error) {
	vars := map[string]string{}
	for _, s := range r.set {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, usageErrorf("--set %q is not NAME=VALUE", s)
		}
		vars[name] = value
	}
	return vars, nil
}

// log is one line a request: the time of day and what the server tells.
func (r *rehearse) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(r.err, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, at slog.Attr) slog.Attr {
			switch {
			case at.Key == slog.TimeKey:
				return slog.String(slog.TimeKey, at.Value.Time().Format(time.TimeOnly))
			case at.Key == slog.LevelKey && at.Value.Any() == slog.LevelInfo:
				return slog.Attr{}
			}
			return at
		},
	}))
}

// warnIfOpen says so when other machines can reach the server.
func (r *rehearse) warnIfOpen(url string) {
	host, _, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	if ip := net.ParseIP(host); err == nil && ip != nil && !ip.IsLoopback() {
		fmt.Fprintf(r.err, "note: %s can be reached from other machines; --listen 127.0.0.1:0 keeps it on this one\n", url)
	}
}

// explain says how to point clients at the server.
func (r *rehearse) explain(path, url string, script *rehearsal.Script) {
	model := "any"
	if len(script.Models) > 0 {
		model = script.Models[0]
	}
	fmt.Fprintf(r.err, "Playing %s. Ctrl-C ends it.\n\n", path)
	for _, p := range []struct{ provider, base string }{
		{"anthropic", url}, {"openai", url + "/v1"}, {"openai-chat", url + "/v1"},
	} {
		fmt.Fprintf(r.err, "  podium run --provider %-11s --base-url %s --model %s -p \"Hello\"\n", p.provider, p.base, model)
	}
	for _, actor := range script.Actors {
		if actor.Model != "" {
			fmt.Fprintf(r.err, "  --model %s meets the actor %s\n", actor.Model, actor.Name)
		}
	}
	if script.Key != "" {
		fmt.Fprintln(r.err, "\nThe script asks for a key: set ANTHROPIC_API_KEY or OPENAI_API_KEY.")
	}
	fmt.Fprintln(r.err)
}

// accompany runs the command beside the server and ends with it and its exit
// code.
func (r *rehearse) accompany(ctx context.Context, url string) error {
	args := make([]string, len(r.command))
	for i, arg := range r.command {
		args[i] = strings.ReplaceAll(arg, "{url}", url)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.in, r.out, r.err
	cmd.Env = append(r.environ[:len(r.environ):len(r.environ)],
		"ANTHROPIC_BASE_URL="+url, "OPENAI_BASE_URL="+url+"/v1")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = rehearseGrace
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return &exitError{code: exit.ExitCode()}
	case ctx.Err() != nil:
		return &exitError{code: exitCancelled}
	case err != nil:
		return fmt.Errorf("run %s beside the rehearsal server: %w", r.command[0], err)
	}
	return nil
}
