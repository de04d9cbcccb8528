package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/store"
	"podium.local/studio"
	"podium.local/web"
)

func newStudioCommand(a *app) *cobra.Command {
	var listen, file string
	cmd := &cobra.Command{
		Use:   "studio",
		Short: "the HTTP daemon and its page over the store",
		Long: `Serve the store's sessions over HTTP, with a page, until interrupted.

The address is printed on standard error with a code that signs the page in. The
code is good once and for a minute; afterwards podium studio token prints what the
page asks for. Reading needs no token on this machine; changing does.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runStudio(cmd.Context(), file, listen) },
	}
	registerStoreFlag(cmd, &file)
	cmd.Flags().StringVar(&listen, "listen", "", "HOST:PORT (default 127.0.0.1:8765)")
	cmd.AddCommand(newStudioTokenCommand(a))
	return cmd
}

func newStudioTokenCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "print the bearer token that Studio wants",
		Args:  argsUsage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.loadStore("")
			if err != nil {
				return err
			}
			token := cfg.Studio.AuthToken.Reveal()
			if token == "" {
				if token, err = localToken(cfg); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(a.out, token)
			return err
		},
	}
}

// localToken reads the token of this installation, and makes it when there is
// none.
func localToken(cfg config.Config) (string, error) {
	if err := config.MakeDir(cfg.Paths.Data); err != nil {
		return "", err
	}
	return studio.Token(cfg.Paths.StudioToken())
}

func (a *app) runStudio(ctx context.Context, file, listen string) error {
	d, err := a.openStudio(ctx, file, listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "podium: studio is at %s\n", d.page)
	return d.serve(ctx)
}

// daemon is a Studio that listens and does not serve yet.
type daemon struct {
	server *studio.Server
	ln     net.Listener
	// view is nil when the configured store is a server's.
	view *store.View
	// page is the address a person opens, signed in once.
	page string
	// follow starts the imports that the configuration asks for; what it returns
	// ends them.
	follow func(context.Context) (end func() error)
}

// openStudio makes the daemon over the configured store.
func (a *app) openStudio(ctx context.Context, file, listen string) (*daemon, error) {
	cfg, notices, err := config.Load(config.Options{Env: a.lookupEnv, NoProject: true, Flags: config.Flags{Store: file, Listen: listen}})
	if err != nil {
		return nil, err
	}
	a.notices(notices)
	log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	sc, err := studioConfig(cfg, log)
	if err != nil {
		return nil, err
	}
	if err := sc.Check(); err != nil {
		return nil, err
	}
	if err := makeKeyring(cfg); err != nil {
		log.Warn("the bounded listing is not available", "error", err)
	}
	d := &daemon{view: openView(cfg, log), follow: func(ctx context.Context) func() error { return followImports(ctx, cfg, log) }}
	if d.view != nil {
		sc.Sources = sourcesOf(d.view)
		sc.Sources.Windows = newLister(cfg, d.view)
		if !d.view.Present() {
			fmt.Fprintf(a.err, "podium: notice: there is no store at %s yet; podium run makes one, and Studio shows it then\n", cfg.Store.Path)
		}
	}
	if d.server, err = studio.New(sc); err != nil {
		return nil, errors.Join(err, d.close())
	}
	address := net.JoinHostPort(cfg.Studio.Host, strconv.Itoa(cfg.Studio.Port))
	if d.ln, err = (&net.ListenConfig{}).Listen(ctx, "tcp", address); err != nil {
		return nil, errors.Join(listenError(address, err), d.close())
	}
	d.page = pageAddress(cfg.Studio.Host, d.ln.Addr(), d.server.Code())
	return d, nil
}

// serve answers until ctx ends, and closes what was opened.
func (d *daemon) serve(ctx context.Context) error {
	end := d.follow(ctx)
	return errors.Join(d.server.Serve(ctx, d.ln), end(), d.close())
}

func (d *daemon) close() error {
	if d.view == nil {
		return nil
	}
	return d.view.Close()
}

// studioConfig is everything of a daemon but its store.
func studioConfig(cfg config.Config, log *slog.Logger) (studio.Config, error) {
	token, err := localToken(cfg)
	if err != nil {
		return studio.Config{}, err
	}
	roots := cfg.Studio.ArtifactRoots
	if roots == nil {
		roots = []string{filepath.Join(cfg.Paths.Data, "artifacts")}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // shown paths then keep their last name only
	}
	if slices.Contains(cfg.Studio.CORSOrigins, "*") {
		log.Warn("every website may call this daemon: CORS_ORIGINS holds *")
	}
	return studio.Config{
		Version: buildVersion(), BindHost: cfg.Studio.Host, Token: cfg.Studio.AuthToken.Reveal(), LocalToken: token,
		Origins: cfg.Studio.CORSOrigins, ArtifactRoots: roots, Home: home, Backend: backendLabel(cfg.Store.Server),
		Processes: hostTable{}, Pods: livePods{run: cfg.Paths.Run, name: "podium-studio/" + buildVersion()}, Page: web.Dist(), Log: log,
	}, nil
}

// openView is the configured store as Studio reads it, nil when it is a
// server's.
func openView(cfg config.Config, log *slog.Logger) *store.View {
	if cfg.Store.Path == "" {
		return nil
	}
	return store.NewView(cfg.Store.Path, storeID(cfg), store.Options{BusyTimeout: cfg.Store.BusyTimeout, Alive: processLives, Log: log})
}

// sourcesOf makes one view the source of everything Studio asks for.
func sourcesOf(v *store.View) studio.Sources {
	return studio.Sources{
		Presence: v, Listings: v, Sessions: v, Logs: v, Tags: v, Projects: v, Invocations: v, Usage: v, Edits: v, Imports: v,
		Fleet: fleetView{v},
	}
}

// fleetView is a view as the fleet asks for it.
type fleetView struct{ *store.View }

// Watch begins to watch the store for changes.
func (v fleetView) Watch() studio.Changes { return v.View.Watch() }

// backendLabel names the kind of server that a URL speaks of.
func backendLabel(server string) string {
	scheme, _, found := strings.Cut(server, "://")
	if !found {
		return ""
	}
	scheme, _, _ = strings.Cut(scheme, "+")
	if scheme == "postgres" {
		return "postgresql"
	}
	return scheme
}

// listenError says what to do about an address that cannot be had.
func listenError(address string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("listen on %s: another program has it, perhaps another podium studio; stop that one or choose another address with --listen", address)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("listen on %s: not allowed; choose a port above 1023 with --listen", address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("listen on %s: this machine has no such address; choose one with --listen", address)
	}
	return fmt.Errorf("listen on %s: %w", address, err)
}

// pageAddress is what a person opens. The code stands in the fragment, which
// browsers never send.
func pageAddress(host string, addr net.Addr, code string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		port = ""
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/", Fragment: "code=" + code}
	return u.String()
}
