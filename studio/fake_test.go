package studio_test

import (
	"cmp"
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"podium.local/session"
	"podium.local/studio"
)

// fakeStore answers with what a test put into it and counts what is asked.
type fakeStore struct {
	absent  bool
	rows    []session.Row
	details map[string]session.Detail
	log     map[string][]session.Entry
	err     error
	lastQ   session.PageQuery
	calls   atomic.Int64
	stream  func(after session.StreamPosition) []session.Message
	state   session.StreamState
	probe   func(context.Context) (session.Probe, error)
	window  session.Window
	// fleet is what goes on; changes counts up with every commit to it. watches
	// are the open ones, looks and fleetReads what they asked.
	fleet                               func(session.FleetQuery) session.Fleet
	changes, watches, looks, fleetReads atomic.Int64
}

func (f *fakeStore) Present() bool { return !f.absent }

func (f *fakeStore) Probe(ctx context.Context) (session.Probe, error) {
	if f.probe != nil {
		return f.probe(ctx)
	}
	return session.Probe{Present: true, StoreContext: "00112233445566aa"}, f.err
}

func (f *fakeStore) ListPage(_ context.Context, q session.PageQuery) (session.Page, error) {
	f.calls.Add(1)
	f.lastQ = q
	if f.err != nil || f.absent {
		return session.Page{}, f.err
	}
	page := session.Page{Total: int64(len(f.rows))}
	for i := q.Offset; i < int64(len(f.rows)) && len(page.Rows) < q.Limit; i++ {
		page.Rows = append(page.Rows, f.rows[i])
	}
	return page, nil
}

func (f *fakeStore) ProjectCounts(context.Context) ([]session.ProjectCount, error) {
	return nil, f.err
}

func (f *fakeStore) SessionRow(_ context.Context, id string) (session.Row, error) {
	for _, r := range f.rows {
		if r.ID == id {
			return r, f.err
		}
	}
	return session.Row{}, session.ErrNotFound
}

func (f *fakeStore) SessionDetail(_ context.Context, id string, w session.Window) (session.Detail, error) {
	f.window = w
	d, ok := f.details[id]
	if !ok {
		return session.Detail{}, session.ErrNotFound
	}
	return d, f.err
}

func (f *fakeStore) MessagesAfter(_ context.Context, _ string, after session.StreamPosition) ([]session.Message, error) {
	f.calls.Add(1)
	if f.stream == nil {
		return nil, f.err
	}
	return f.stream(after), f.err
}

func (f *fakeStore) StreamState(_ context.Context, id string) (session.StreamState, error) {
	if _, ok := f.details[id]; !ok {
		return session.StreamState{}, session.ErrNotFound
	}
	return f.state, nil
}

func (f *fakeStore) EntryWindow(_ context.Context, id string, _ session.EntryQuery) (session.EntryWindow, error) {
	entries, ok := f.log[id]
	if !ok {
		return session.EntryWindow{}, session.ErrNotFound
	}
	return session.EntryWindow{Entries: entries, Total: int64(len(entries))}, f.err
}

func (f *fakeStore) SearchEntries(context.Context, string, session.SearchQuery) (session.SearchWindow, error) {
	return session.SearchWindow{}, f.err
}

func (f *fakeStore) WalkLog(_ context.Context, id string) iter.Seq2[session.Entry, error] {
	return func(yield func(session.Entry, error) bool) {
		for _, e := range f.log[id] {
			if !yield(e, nil) {
				return
			}
		}
		if f.err != nil {
			yield(session.Entry{}, f.err)
		}
	}
}

func (f *fakeStore) Lineage(context.Context, string) (session.Lineage, error) {
	return session.Lineage{}, f.err
}

func (f *fakeStore) AddTag(_ context.Context, id, tag string) ([]string, error) {
	if _, err := f.SessionRow(context.Background(), id); err != nil {
		return nil, err
	}
	return []string{tag}, f.err
}

func (f *fakeStore) RemoveTag(context.Context, string, string) ([]string, error) { return nil, f.err }

func (f *fakeStore) ListProjects(context.Context) (session.Projects, error) {
	return session.Projects{}, f.err
}

func (f *fakeStore) GetProject(context.Context, string) (session.Project, error) {
	return session.Project{}, session.ErrNotFound
}

func (f *fakeStore) ListInvocations(context.Context, session.InvocationQuery) (session.InvocationPage, error) {
	return session.InvocationPage{}, f.err
}

func (f *fakeStore) GetInvocation(context.Context, string) (session.Invocation, error) {
	return session.Invocation{}, session.ErrNotFound
}

func (f *fakeStore) UsageSince(context.Context, session.UsageQuery) (session.Usages, error) {
	return session.Usages{}, f.err
}

func (f *fakeStore) RenameSession(context.Context, string, string) error { return f.err }

func (f *fakeStore) DeleteSession(context.Context, string, time.Time) error { return f.err }

func (f *fakeStore) ListImports(context.Context, string, int, int64) ([]session.ImportFile, int64, error) {
	return nil, 0, f.err
}

func (f *fakeStore) Fleet(_ context.Context, q session.FleetQuery) (session.Fleet, error) {
	f.fleetReads.Add(1)
	if f.fleet == nil {
		return session.Fleet{}, f.err
	}
	return f.fleet(q), f.err
}

func (f *fakeStore) LivePod(_ context.Context, name string) (session.Pod, error) {
	if f.fleet != nil {
		for _, p := range f.fleet(session.FleetQuery{}).Pods {
			if p.Name == name {
				return p.Pod, f.err
			}
		}
	}
	return session.Pod{}, cmp.Or(f.err, session.ErrNotFound)
}

func (f *fakeStore) Watch() studio.Changes { return &fakeChanges{store: f} }

// fakeChanges reports a change whenever changes was counted up.
type fakeChanges struct {
	store *fakeStore
	seen  int64
	open  bool
}

func (c *fakeChanges) Changed(context.Context) (bool, error) {
	if !c.open {
		c.open = true
		c.store.watches.Add(1)
	}
	c.store.looks.Add(1)
	now := c.store.changes.Load() + 1
	changed := now != c.seen
	c.seen = now
	return changed, nil
}

func (c *fakeChanges) Close() error {
	if c.open {
		c.store.watches.Add(-1)
	}
	return nil
}

// sources makes f the source of everything.
func (f *fakeStore) sources() studio.Sources {
	return studio.Sources{
		Presence: f, Listings: f, Sessions: f, Logs: f, Tags: f, Projects: f, Invocations: f, Usage: f, Edits: f, Imports: f, Fleet: f,
	}
}

// noProcesses is a process table without processes.
type noProcesses struct{}

func (noProcesses) Probe(session.Process) studio.Liveness      { return studio.Dead }
func (noProcesses) Hostname() string                           { return "here" }
func (noProcesses) Commands(context.Context) ([]string, error) { return nil, nil }

// at is the time of every test server.
var at = time.Date(2026, 1, 1, 15, 0, 0, 0, time.UTC)

const localToken = "local-token-local-token-local-token-0001"

// newServer makes a daemon over f.
func newServer(t testing.TB, f *fakeStore, change func(*studio.Config)) *studio.Server {
	t.Helper()
	cfg := studio.Config{
		Version: "test", BindHost: "127.0.0.1", LocalToken: localToken, Sources: f.sources(),
		Processes: noProcesses{}, Now: func() time.Time { return at }, Poll: time.Millisecond,
	}
	if change != nil {
		change(&cfg)
	}
	s, err := studio.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// call sends one request to a handler; headers are name, value in turn.
func call(t testing.TB, h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost:8765"+target, reader)
	r.Host = "localhost:8765"
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// want compares status and body.
func want(t testing.TB, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if w.Code != status || w.Body.String() != body {
		t.Errorf("got %d %s\nwant %d %s", w.Code, w.Body.String(), status, body)
	}
}

func ptr[T any](v T) *T { return &v }
