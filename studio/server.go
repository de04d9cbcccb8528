package studio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Config is what a daemon is made of.
type Config struct {
	// Version is the program's, shown in the API document.
	Version string
	// BindHost is the host part of the listen address.
	BindHost string
	// Token is the configured bearer token; empty leaves reads on this machine
	// open. LocalToken, from the token file, guards the rest in that case.
	Token, LocalToken string
	// Origins are the other origins that browsers may call from; "*" is any.
	Origins []string
	// ArtifactRoots are the folders below which artifact files may be read.
	ArtifactRoots []string
	// Home is taken off paths that are shown.
	Home string
	// Backend names a configured store that is no local file; its routes answer
	// 501. Empty for a file.
	Backend   string
	Sources   Sources
	Processes ProcessTable
	// Pods reaches the pods; nil shows what the store says of them.
	Pods Pods
	// Page is the built page; nil serves a note instead.
	Page fs.FS
	Log  *slog.Logger
	// Now, Poll and BodyTimeout are for tests: the clock, the pause of a caught-up
	// stream, and how long a request's body may take.
	Now         func() time.Time
	Poll        time.Duration
	BodyTimeout time.Duration
}

// Server is the daemon's handler and its running parts.
type Server struct {
	cfg       Config
	log       *slog.Logger
	now       func() time.Time
	fence     *fence
	prober    *prober
	codes     codes
	metrics   *metrics
	fleet     *fleet
	openapi   []byte
	openapiV2 []byte
	handler   http.Handler
	// streams bounds the open event streams; closing ends them.
	streams chan struct{}
	closing chan struct{}
	close   sync.Once
	// base ends with the daemon, and with it what background does.
	base context.Context
	stop context.CancelFunc

	mu         sync.Mutex // guards stopped, and background against its own Wait
	stopped    bool
	background sync.WaitGroup
}

// Times of a connection. The write timeout begins anew with every request;
// streams move theirs on with every frame.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	writeTimeout  = time.Minute
	idleTimeout   = 2 * time.Minute
	drainTimeout  = 5 * time.Second
	maxHeader     = 64 << 10
)

// maxStreams is how many event streams may be open at once.
const maxStreams = 256

// New makes a daemon. It starts nothing.
func New(cfg Config) (*Server, error) {
	s := &Server{
		cfg: cfg, log: cfg.Log, now: cfg.Now, fence: newFence(cfg.ArtifactRoots),
		metrics: newMetrics(), streams: make(chan struct{}, maxStreams), closing: make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.cfg.Poll == 0 {
		s.cfg.Poll = 500 * time.Millisecond
	}
	if s.cfg.BodyTimeout == 0 {
		s.cfg.BodyTimeout = bodyTimeout
	}
	if s.cfg.Pods == nil {
		s.cfg.Pods = unreached{}
	}
	s.base, s.stop = context.WithCancel(context.Background())
	s.prober = newProber(cfg.Processes, s.fence)
	s.fleet = newFleet(s)
	routes := s.routes()
	doc, err := openAPI(cfg.Version, routes)
	if err != nil {
		return nil, fmt.Errorf("making the API document: %w", err)
	}
	s.openapi = doc
	if s.openapiV2, err = listingDocument(cfg.Version); err != nil {
		return nil, fmt.Errorf("making the API document of the listings: %w", err)
	}
	s.handler = newBoundary(s, methodsOf(routes), s.mount(routes))
	return s, nil
}

// Handler is the whole daemon as one handler.
func (s *Server) Handler() http.Handler { return s.handler }

// Check refuses an address that would open the store to a network without a
// configured token.
func (c *Config) Check() error {
	if loopbackHost(c.BindHost) || c.Token != "" {
		return nil
	}
	host := c.BindHost
	if host == "" {
		host = "every address of this machine"
	}
	return fmt.Errorf("listening on %s would show every session to the network: set PODIUM_STUDIO_AUTH_TOKEN first, or listen on 127.0.0.1", host)
}

// Serve answers on ln until ctx ends, then lets running requests finish for
// a short while. It always closes ln.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		// OPTIONS * passes the boundary like every other request.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		s.Close()
		return fmt.Errorf("serving on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	s.Close()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	err := srv.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-failed
	if err != nil {
		return fmt.Errorf("stopping the daemon: %w", err)
	}
	return nil
}

// Close ends the open streams and what goes on for them, and waits for that. It
// may be called more than once.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.closing)
		s.stop()
		s.mu.Lock()
		s.stopped = true
		s.mu.Unlock()
	})
	s.background.Wait()
}

// inBackground runs f unless the daemon is stopping.
func (s *Server) inBackground(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return errStopping
	}
	s.background.Go(f)
	return nil
}

// errStopping refuses what comes while the daemon stops.
var errStopping error = &problem{status: http.StatusServiceUnavailable, detail: "The daemon is stopping.", retryAfter: 1}
