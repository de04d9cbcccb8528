package studio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"podium.local/session"
	"podium.local/store/storetest"
	"podium.local/studio"
)

// serve runs a daemon on a port of the system's choosing until the test ends
// and returns its base address.
func serve(t testing.TB, s *studio.Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return "http://" + ln.Addr().String()
}

// frame is one server-sent event.
type frame struct{ id, data string }

// follow opens a stream and yields its frames until it ends.
func follow(t testing.TB, ctx context.Context, address string) (frames <-chan frame, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d", address, resp.StatusCode)
	}
	return readFrames(ctx, resp.Body), resp.Header
}

// readFrames yields the frames of a stream until it ends.
func readFrames(ctx context.Context, body io.ReadCloser) <-chan frame {
	out := make(chan frame)
	go func() {
		defer close(out)
		defer body.Close()
		var f frame
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			line := lines.Text()
			switch {
			case strings.HasPrefix(line, "id: "):
				f.id = line[4:]
			case strings.HasPrefix(line, "data: "):
				f.data = line[6:]
			case line == "":
				select {
				case out <- f:
				case <-ctx.Done():
					return
				}
				f = frame{}
			}
		}
	}()
	return out
}

func TestStream_SendsEverythingThenDoneAndResumesAfterTheNamedRow(t *testing.T) {
	base := serve(t, open(t, lionagiStore(t), nil))
	frames, header := follow(t, t.Context(), base+"/api/sessions/ten/stream")
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no"} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	var got []frame
	for f := range frames {
		got = append(got, f)
	}
	if len(got) != 11 || got[10] != (frame{data: `{"type":"done"}`}) {
		t.Fatalf("%d frames, the last is %+v", len(got), got[len(got)-1])
	}
	const fourth = `{"id":"t3","role":"assistant","content":{"assistant_response":"message 3"},"content_withheld":false,"sender":"tenner","timestamp":1767276003.0,` +
		`"lion_class":"lionagi.protocols.messages.assistant_response.AssistantResponse","branch_id":"b-ten"}`
	if got[3].data != fourth {
		t.Errorf("got  %s\nwant %s", got[3].data, fourth)
	}
	frames, _ = follow(t, t.Context(), base+"/api/sessions/ten/stream?cursor="+got[6].id)
	var rest []frame
	for f := range frames {
		rest = append(rest, f)
	}
	if len(rest) != 4 || rest[0] != got[7] {
		t.Errorf("resumed with %d frames from %+v", len(rest), rest[0])
	}
}

func TestStream_AGroupOfOneTimeIsSplitExactly(t *testing.T) {
	path := lionagiStore(t)
	storetest.SQL(t, path, "UPDATE messages SET created_at = 5.0 WHERE id LIKE 't%'")
	base := serve(t, open(t, path, nil))
	cursor := ""
	for want := range 10 {
		frames, _ := follow(t, t.Context(), base+"/api/sessions/ten/stream?cursor="+cursor)
		first := <-frames
		for range frames { // to its end
		}
		if !strings.Contains(first.data, fmt.Sprintf(`"id":"t%d"`, want)) {
			t.Fatalf("after %d rows came %s", want, first.data)
		}
		cursor = first.id
	}
}

func TestStream_BadCursorsAreRefusedBeforeItOpens(t *testing.T) {
	s := open(t, lionagiStore(t), nil)
	for cursor, detail := range map[string]string{
		"%25%25":                  "Malformed session stream cursor",
		strings.Repeat("a", 4097): "Malformed session stream cursor",
		studio.MessageCursor("ten", 3, map[string]string{"a": "b"}): "Malformed session stream cursor",
		"eyJ2IjoyfQ": "Unsupported session stream cursor",
		studio.StreamCursor("other", session.StreamPosition{At: 1, MessageID: "m", BranchID: "b"}): "Session stream cursor belongs to a different session",
	} {
		w := call(t, s.Handler(), http.MethodGet, "/api/sessions/ten/stream?cursor="+cursor, "")
		want(t, w, http.StatusBadRequest, `{"detail":"`+detail+`"}`)
	}
}

func TestStream_WaitsForMoreBeatsAndEndsWithTheDaemon(t *testing.T) {
	var now atomic.Int64
	now.Store(at.Unix())
	polled := make(chan session.StreamPosition)
	answers := make(chan []session.Message)
	f := &fakeStore{
		details: map[string]session.Detail{"s": {}},
		state:   session.StreamState{Status: ptr("running"), UpdatedAt: ptr(float64(at.Unix()))},
		stream: func(after session.StreamPosition) []session.Message {
			polled <- after
			return <-answers
		},
	}
	s := newServer(t, f, func(c *studio.Config) { c.Now = func() time.Time { return time.Unix(now.Load(), 0) } })
	base := serve(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	frames, _ := follow(t, ctx, base+"/api/sessions/s/stream")
	if first := <-polled; first != (session.StreamPosition{}) {
		t.Errorf("began at %+v", first)
	}
	answers <- []session.Message{{ID: "m1", At: 7, BranchID: "b"}}
	if got := <-frames; !strings.Contains(got.data, `"id":"m1"`) || got.id == "" {
		t.Errorf("%+v", got)
	}
	if second := <-polled; second != (session.StreamPosition{At: 7, MessageID: "m1", BranchID: "b"}) {
		t.Errorf("went on at %+v", second)
	}
	now.Add(5)
	answers <- nil
	if got := <-frames; got != (frame{data: `{"type":"heartbeat"}`}) {
		t.Errorf("%+v", got)
	}
	<-polled
	answers <- nil
	<-polled // a running session's stream goes on
	s.Close()
	answers <- nil
	for range frames {
	}
	if ctx.Err() != nil {
		t.Error("the stream ended by itself only because the client left")
	}
}

func TestStream_AnEndedSessionIsDoneOnlyOnceItIsLeftAlone(t *testing.T) {
	var now atomic.Int64
	now.Store(at.Unix())
	polled := make(chan struct{})
	f := &fakeStore{
		details: map[string]session.Detail{"s": {}},
		state:   session.StreamState{UpdatedAt: ptr(float64(at.Unix()))}, // no status reads as completed
		stream: func(session.StreamPosition) []session.Message {
			polled <- struct{}{}
			return nil
		},
	}
	base := serve(t, newServer(t, f, func(c *studio.Config) { c.Now = func() time.Time { return time.Unix(now.Load(), 0) } }))
	frames, _ := follow(t, t.Context(), base+"/api/sessions/s/stream")
	<-polled
	now.Add(60)
	<-polled // a minute is not yet more than a minute
	now.Add(1)
	for done := false; !done; {
		select {
		case <-polled:
		case f := <-frames:
			done = f.data == `{"type":"done"}`
		}
	}
}

func TestServe_StopsWithinItsDrainWhileAStreamIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, `INSERT INTO progressions VALUES ('p', 1, '[]');
		INSERT INTO sessions (id, created_at, updated_at, progression_id, status) VALUES ('s', 1, 1, 'p', 'running')`)
	base := serve(t, open(t, path, nil))
	frames, _ := follow(t, t.Context(), base+"/api/sessions/s/stream")
	t.Cleanup(func() {
		for range frames {
		}
	})
}
