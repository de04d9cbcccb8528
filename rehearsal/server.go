package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Limits of a server.
const (
	maxBody         = 32 << 20 // what the vendors take
	defaultKeep     = 1000
	defaultBytes    = 64 << 20
	defaultPatience = 30 * time.Second
	maxHeaderWait   = 30 * time.Second
)

// Options tune a Server. The zero value is right for most uses.
type Options struct {
	// Log gets one line a request; nil is silence.
	Log *slog.Logger
	// Vars are what templates read with {{var "name"}}; cwd also sets {{cwd}}.
	Vars map[string]string
	// Rush leaves out all delays of the script; holds and stalls stay.
	Rush bool
	// Now is the clock of the answers' timestamps; nil is time.Now.
	Now func() time.Time
	// Patience is how long a client may leave an answer unread before its
	// connection is closed; 0 is 30 s.
	Patience time.Duration
	// Keep and KeepBytes bound what Requests returns, in requests and in bytes of
	// their bodies; 0 is 1,000 and 64 MiB.
	Keep, KeepBytes int
}

// Server plays a script. It is an http.Handler, and serves on its own with
// Listen or Start.
type Server struct {
	cast   *cast
	opts   Options
	record *record
	ctx    context.Context
	stop   context.CancelFunc

	mu       sync.Mutex
	http     *http.Server
	url      string
	served   chan struct{} // closed when the listener's loop is over
	handlers sync.WaitGroup
	closed   bool
}

// New makes a server for a script. A script built in Go that is wrong is a
// programming error and panics; Script.Check says what is wrong beforehand,
// and what Parse and Load return is never wrong.
func New(script *Script, opts Options) *Server {
	c, err := script.compile(func(string) string { return "" })
	if err != nil {
		panic(fmt.Sprintf("rehearsal: bad script: %v", err))
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Patience == 0 {
		opts.Patience = defaultPatience
	}
	if opts.Keep == 0 {
		opts.Keep = defaultKeep
	}
	if opts.KeepBytes == 0 {
		opts.KeepBytes = defaultBytes
	}
	ctx, stop := context.WithCancel(context.Background())
	return &Server{
		cast: newCast(c, opts.Vars), opts: opts, record: newRecord(opts.Keep, opts.KeepBytes), ctx: ctx, stop: stop,
	}
}

// Listen serves on addr (127.0.0.1:0 lets the system choose a port) until
// Close, and returns the base URL, without a path.
func (s *Server) Listen(addr string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "", errors.New("listen: the rehearsal server is closed")
	case s.http != nil:
		return "", fmt.Errorf("listen on %s: the rehearsal server already listens at %s", addr, s.url)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", fmt.Errorf("listen for model requests: %w", err)
	}
	s.http = &http.Server{
		Handler: s, ReadHeaderTimeout: maxHeaderWait,
		ErrorLog: slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelWarn),
	}
	s.url = "http://" + l.Addr().String()
	s.served = make(chan struct{})
	go func(srv *http.Server, served chan struct{}) {
		defer close(served)
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.opts.Log.Error("rehearsal server stopped", "err", err)
		}
	}(s.http, s.served)
	return s.url, nil
}

// TB is what Start needs of a *testing.T.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Start listens on a port of the system's choice until the test ends, and
// returns the base URL.
func (s *Server) Start(t TB) string {
	t.Helper()
	url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatalf("start the rehearsal server: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return url
}

// URL is the base URL while the server listens, else empty.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// Done is closed when the server has stopped listening, by Close or because
// the system took its listener away. Before Listen it is nil.
func (s *Server) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}

// Close ends all answers at once and returns when their handlers have.
// Closing twice is fine.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	srv, served := s.http, s.served
	s.mu.Unlock()
	s.stop()
	var err error
	if srv != nil {
		err = srv.Close()
		<-served
	}
	s.handlers.Wait()
	if err != nil {
		return fmt.Errorf("close the rehearsal server: %w", err)
	}
	return nil
}

// Requests are the newest requests, oldest first, within the bounds of the
// options.
func (s *Server) Requests() []Request { return s.record.all() }

// Await waits until n requests have arrived in all.
func (s *Server) Await(ctx context.Context, n int) error {
	err := s.record.until(ctx, func() bool { return s.record.count >= n })
	if err != nil {
		return fmt.Errorf("wait for request %d: %w", n, err)
	}
	return nil
}

// AwaitIdle waits until every request that arrived has been dealt with.
func (s *Server) AwaitIdle(ctx context.Context) error {
	err := s.record.until(ctx, func() bool {
		for _, r := range s.record.requests {
			if !r.Done {
				return false
			}
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("wait for the end of all answers: %w", err)
	}
	return nil
}

// enter counts a handler; false means that the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.handlers.Add(1)
	}
	return !s.closed
}

// ServeHTTP answers any base URL convention: what counts is how the path ends.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "the rehearsal server is closed", http.StatusServiceUnavailable)
		return
	}
	defer s.handlers.Done()
	path := strings.TrimSuffix(r.URL.Path, "/")
	var wire Wire
	var decode func(http.Header, []byte) (*prompt, *refusal)
	switch {
	case strings.HasSuffix(path, "/messages"):
		wire, decode = WireAnthropic, decodeAnthropic
	case strings.HasSuffix(path, "/responses"):
		wire, decode = WireResponses, decodeResponses
	case strings.HasSuffix(path, "/chat/completions"):
		wire, decode = WireChat, decodeChat
	default:
		s.serveModels(w, r, path)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		writeRefusal(w, wire, refusal{
			status: http.StatusMethodNotAllowed, message: fmt.Sprintf("Not allowed to %s on %s.", r.Method, r.URL.Path),
		}, "")
		return
	}
	s.serveAnswer(w, r, wire, decode)
}

// readBody reads what the vendors would take.
func readBody(r *http.Request) ([]byte, *refusal) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, invalid("could not read the request body: %v", err)
	case len(body) > maxBody:
		return nil, &refusal{status: http.StatusRequestEntityTooLarge}
	}
	return body, nil
}
