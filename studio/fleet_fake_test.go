package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/studio"
)

// fakePods answers for pods with what a test put into it.
type fakePods struct {
	// mute are pods that never answer.
	mute map[string]bool
	// call answers Call.
	call func(ctx context.Context, pod session.Pod, m protocol.Method) error

	open, asked atomic.Int64 // connections of Follow, and what Look was asked

	mu      sync.Mutex // guards what follows
	looks   map[string]studio.PodLook
	reports map[string]func(studio.PodLook)
	calls   []protocol.Method
}

func newFakePods(looks map[string]studio.PodLook) *fakePods {
	return &fakePods{looks: looks, mute: map[string]bool{}, reports: map[string]func(studio.PodLook){}}
}

func (p *fakePods) look(name string) studio.PodLook {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks[name]
}

func (p *fakePods) Look(ctx context.Context, pod session.Pod) studio.PodLook {
	p.asked.Add(1)
	if p.mute[pod.Name] {
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
		return studio.PodLook{State: studio.PodUnresponsive}
	}
	return p.look(pod.Name)
}

func (p *fakePods) Follow(ctx context.Context, pod session.Pod, report func(studio.PodLook)) {
	p.open.Add(1)
	defer p.open.Add(-1)
	p.mu.Lock()
	p.reports[pod.Name] = report
	p.mu.Unlock()
	report(p.Look(ctx, pod))
	<-ctx.Done()
}

// say makes a followed pod report.
func (p *fakePods) say(name string, look studio.PodLook) {
	p.mu.Lock()
	p.looks[name] = look
	report := p.reports[name]
	p.mu.Unlock()
	if report != nil {
		report(look)
	}
}

func (p *fakePods) Call(ctx context.Context, pod session.Pod, m protocol.Method) error {
	p.mu.Lock()
	p.calls = append(p.calls, m)
	p.mu.Unlock()
	if p.call == nil {
		return nil
	}
	return p.call(ctx, pod, m)
}

// podNamed is the row of a pod.
func podNamed(name string) session.FleetPod {
	return session.FleetPod{Pod: session.Pod{
		ID: protocol.NewPodID(), Name: name, SessionID: "s-" + name, Cwd: "/src", Model: "m", StartedAt: at.Add(-time.Hour), Phase: session.PhaseIdle,
	}}
}

// runNamed is the row of a session.
func runNamed(id, status string) session.Row {
	return session.Row{ID: id, CreatedAt: 1, UpdatedAt: ptr(session.UnixSeconds(at)), Status: &status}
}

// stage is a fleet that a test changes, and the daemon before it.
type stage struct {
	store  *fakeStore
	pods   *fakePods
	server *studio.Server

	mu    sync.Mutex
	fleet session.Fleet
}

// newStage makes a daemon that looks every half second.
func newStage(t testing.TB, fleet session.Fleet, looks map[string]studio.PodLook) *stage {
	t.Helper()
	g := &stage{store: &fakeStore{}, pods: newFakePods(looks), fleet: fleet}
	g.store.fleet = func(session.FleetQuery) session.Fleet {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.fleet
	}
	g.server = newServer(t, g.store, func(c *studio.Config) { c.Poll, c.Pods = 0, g.pods })
	return g
}

// commit changes the fleet.
func (g *stage) commit(change func(*session.Fleet)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.fleet)
	g.store.changes.Add(1)
}

// sink takes the answer of a stream.
type sink struct {
	header http.Header
	// hold, when there is one, is waited for before every write.
	hold chan struct{}

	mu   sync.Mutex // guards what follows
	code int
	buf  bytes.Buffer
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) Flush()              {}

func (s *sink) WriteHeader(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.code = code
}

func (s *sink) Write(b []byte) (int, error) {
	if s.hold != nil {
		<-s.hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(b)
}

// viewer is an open stream.
type viewer struct {
	t      testing.TB
	sink   *sink
	cancel context.CancelFunc
	done   chan struct{}
	read   int // frames that next gave
}

// view opens a stream; the test's end closes it.
func (g *stage) view(t testing.TB, lastID string, hold chan struct{}) *viewer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost:8765/api/fleet/stream", nil)
	r.Host = "localhost:8765"
	r.Header.Set("Authorization", "Bearer "+localToken)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	v := &viewer{t: t, sink: &sink{header: http.Header{}, hold: hold}, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(v.done)
		g.server.Handler().ServeHTTP(v.sink, r)
	}()
	t.Cleanup(v.leave)
	synctest.Wait()
	return v
}

func (v *viewer) leave() {
	v.cancel()
	<-v.done
}

// message is the data of a frame, heartbeats and all.
type message struct {
	ID              string           `json:"-"`
	Type            string           `json:"type"`
	AsOf            *float64         `json:"as_of"`
	Pods            []map[string]any `json:"pods"`
	Runs            []map[string]any `json:"runs"`
	GonePods        []string         `json:"gone_pods"`
	GoneRuns        []string         `json:"gone_runs"`
	Truncated       bool             `json:"truncated"`
	FailedTruncated bool             `json:"failed_truncated"`
}

// next are the frames since the last call.
func (v *viewer) next() []message {
	v.t.Helper()
	v.sink.mu.Lock()
	text := v.sink.buf.String()
	v.sink.mu.Unlock()
	var out []message
	blocks := strings.Split(strings.TrimSuffix(text, "\n\n"), "\n\n")
	if text == "" {
		blocks = nil
	}
	for _, block := range blocks[v.read:] {
		var m message
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "id":
				m.ID = value
			case "data":
				if err := json.Unmarshal([]byte(value), &m); err != nil {
					v.t.Fatalf("%v in %s", err, value)
				}
			default:
				v.t.Fatalf("a strange line: %q", line)
			}
		}
		out = append(out, m)
	}
	v.read = len(blocks)
	return out
}

// changes are the frames since the last call that are no heartbeats.
func (v *viewer) changes() (out []message) {
	v.t.Helper()
	for _, m := range v.next() {
		if m.Type != "heartbeat" {
			out = append(out, m)
		}
	}
	return out
}

// one is the single frame since the last call.
func (v *viewer) one() message {
	v.t.Helper()
	got := v.changes()
	if len(got) != 1 {
		v.t.Fatalf("%d frames: %+v", len(got), got)
	}
	return got[0]
}

// names are the named members of a list.
func names(list []map[string]any, member string) string {
	var out []string
	for _, m := range list {
		text, _ := m[member].(string)
		out = append(out, text)
	}
	return strings.Join(out, " ")
}
