package studio_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"podium.local/listing"
	"podium.local/session"
	"podium.local/store/storetest"
	"podium.local/studio"
)

func envelopeShape(t *testing.T) {
	l := newLane(t, numbered(25))
	const page = "candidate_limit examined_candidates has_more_candidates next_cursor offset_basis returned search_mode stop_reason"
	for path, want := range map[string]string{
		runsV2:     "listing_version pagination per_page runs status_ended_at_mismatches total",
		sessionsV2: "limit listing_version pagination sessions total",
	} {
		for _, query := range []string{"", "&exact_total=true", "&sort=cost"} {
			w := l.window(path + query)
			if got := keysOf(w.raw); got != want || w.raw["listing_version"] != 2.0 {
				t.Errorf("%s: %s", path, got)
			}
			if got := keysOf(w.raw["pagination"].(map[string]any)); got != page {
				t.Errorf("%s: pagination has %s", path, got)
			}
			if got := keysOf(w.raw["total"].(map[string]any)); got != "kind value" {
				t.Errorf("%s: total has %s", path, got)
			}
		}
	}
	empty := newLane(t, "")
	want := `{"listing_version":2,"per_page":20,"runs":[],"status_ended_at_mismatches":0,"pagination":{"next_cursor":null,"has_more_candidates":false,"returned":0,"examined_candidates":0,"candidate_limit":10,"stop_reason":"exhausted","offset_basis":"candidates","search_mode":"none"},"total":{"kind":"unknown","value":null}}`
	empty.refused(runsV2, http.StatusOK, want)
}

// everyWindow is every window of many listings.
func everyWindow(t *testing.T) (windows []window) {
	t.Helper()
	l := newLane(t, onlyMatch(33, 14)+`; UPDATE sessions SET node_metadata = '{"engine_parent_run_id":"r"}' WHERE rowid % 4 = 0`)
	for _, query := range []string{"", "&per_page=1", "&per_page=4", "&search=needle", "&search=nothing", "&per_page=10", "&sort=cost&per_page=7", "&page=2", "&page=4&per_page=10", "&page=3&per_page=500"} {
		_, more := l.all(runsV2 + query)
		windows = append(windows, more...)
	}
	return windows
}

func envelopeCounts(t *testing.T) {
	for i, w := range everyWindow(t) {
		limit := int(w.raw["per_page"].(float64))
		if w.page.Returned != len(w.rows) || w.page.Returned > limit || w.page.ExaminedCandidates != w.work.ResidualEvaluations ||
			w.page.ExaminedCandidates > w.page.CandidateLimit || w.work.KeysVisited != w.page.ExaminedCandidates+w.work.SkippedKeys+w.work.LookaheadKeys {
			t.Errorf("window %d: %+v %+v", i, w.page, w.work)
		}
	}
}

func moreIffCursor(t *testing.T) {
	for i, w := range everyWindow(t) {
		if w.page.HasMoreCandidates != (w.page.NextCursor != nil) || (w.page.StopReason == "exhausted") == w.page.HasMoreCandidates {
			t.Errorf("window %d: %+v", i, w.page)
		}
	}
}

func stopReasons(t *testing.T) {
	for _, tt := range []struct {
		rows  int
		query string
		want  listing.StopReason
	}{
		{20, "&per_page=5", "row_limit"}, {20, "&per_page=10", "row_limit"}, {20, "&per_page=11", "candidate_limit"}, {20, "&search=nothing&per_page=5", "candidate_limit"},
		{10, "&per_page=10", "exhausted"}, {10, "&per_page=11", "exhausted"}, {5, "&per_page=5", "exhausted"}, {10, "&search=nothing", "exhausted"}, {0, "", "exhausted"},
	} {
		statements := ""
		if tt.rows > 0 {
			statements = numbered(tt.rows)
		}
		if got := newLane(t, statements).window(runsV2 + tt.query).page.StopReason; got != tt.want {
			t.Errorf("%d rows, %s: %s", tt.rows, tt.query, got)
		}
	}
}

func offsetBasis(t *testing.T) {
	for i, w := range everyWindow(t) {
		if w.page.OffsetBasis != "candidates" {
			t.Errorf("window %d: %s", i, w.page.OffsetBasis)
		}
	}
}

func mismatchCount(t *testing.T) {
	l := newLane(t, numbered(6)+"; UPDATE sessions SET status = 'running', ended_at = 5 WHERE id IN ('s0000', 's0004', 's0005'); UPDATE sessions SET status = 'failed', ended_at = NULL WHERE id = 's0001'")
	a := l.window(runsV2 + "&per_page=3")
	b := l.window(a.next(runsV2 + "&per_page=3"))
	if a.raw["status_ended_at_mismatches"] != 1.0 || b.raw["status_ended_at_mismatches"] != 2.0 {
		t.Errorf("%v, %v", a.raw["status_ended_at_mismatches"], b.raw["status_ended_at_mismatches"])
	}
}

func totalUnknown(t *testing.T) {
	l := newLane(t, numbered(25))
	counted := 0
	l.lister.Store = meddler{Store: l.view, beforeCount: func() error { counted++; return nil }}
	for _, query := range []string{"", "&exact_total=false", "&exact_total=0", "&search=nothing"} {
		w := l.window(runsV2 + query)
		if w.total != (listing.Total{Kind: "unknown"}) || w.work.Counts != 0 || counted != 0 {
			t.Errorf("%s: %+v, %d counts", query, w.total, counted)
		}
	}
	if l.window(runsV2 + "&exact_total=true"); counted != 1 {
		t.Errorf("%d counts where one was asked for", counted)
	}
}

func totalExact(t *testing.T) {
	l := newLane(t, onlyMatch(33, 14)+`; UPDATE sessions SET node_metadata = '{"engine_parent_run_id":"r"}' WHERE rowid % 4 = 0; UPDATE sessions SET status = NULL WHERE rowid % 3 = 0; INSERT INTO run_tags SELECT id, 'x', 1 FROM sessions WHERE rowid % 2 = 0`)
	for _, filter := range []string{"", "search=number", "search=needle", "status=completed", "status=failed", "kind=agent", "tag=x", "tag=x&tag=y", "project_null=true", "playbook=x"} {
		v1 := object(t, l.server, "/api/runs/?"+filter)["total"].(float64)
		target := runsV2 + "&per_page=2&exact_total=true&" + filter
		w := l.window(target)
		for {
			if *w.total.Value != int64(v1) || w.work.Counts != 1 {
				t.Errorf("%s: %d, version 1 counts %v", filter, *w.total.Value, v1)
			}
			if w.page.NextCursor == nil {
				break
			}
			w = l.window(w.next(target))
		}
	}
	// Of the store, not of what is behind the offset.
	if w := l.window(runsV2 + "&page=3&exact_total=1"); *w.total.Value != 25 {
		t.Errorf("%d", *w.total.Value)
	}
}

// meddler stands between the listing and its store and does something between
// two of its steps.
type meddler struct {
	listing.Store[session.Row]
	afterReady, beforeCount func() error
}

func (m meddler) ListingSnapshot(ctx context.Context, counting bool, use func(listing.Snapshot[session.Row]) error) (bool, error) {
	return m.Store.ListingSnapshot(ctx, counting, func(s listing.Snapshot[session.Row]) error { return use(meddled{s, m}) })
}

type meddled struct {
	listing.Snapshot[session.Row]
	m meddler
}

func (s meddled) Ready(o listing.Order) (string, error) {
	incarnation, err := s.Snapshot.Ready(o)
	if err == nil && s.m.afterReady != nil {
		err = s.m.afterReady()
	}
	return incarnation, err
}

func (s meddled) Count(f listing.Filter) (int64, error) {
	if s.m.beforeCount != nil {
		if err := s.m.beforeCount(); err != nil {
			return 0, err
		}
	}
	return s.Snapshot.Count(f)
}

func failedCount(t *testing.T) {
	l := newLane(t, numbered(3))
	l.lister.Store = meddler{Store: l.view, beforeCount: func() error { return errors.New("broken") }}
	l.refused(runsV2+"&exact_total=true", http.StatusInternalServerError, "Internal Server Error")
	l.window(runsV2)
}

func zeroAndUnknown(t *testing.T) {
	l := newLane(t, numbered(3))
	for query, want := range map[string]string{
		"&search=nothing&exact_total=true": `"total":{"kind":"exact","value":0}`, "&search=nothing": `"total":{"kind":"unknown","value":null}`, "&exact_total=true": `"total":{"kind":"exact","value":3}`,
	} {
		if body := l.call(runsV2 + query).Body.String(); !strings.HasSuffix(body, want+"}") {
			t.Errorf("%s: %s", query, body)
		}
	}
}

func oneSnapshot(t *testing.T) {
	for _, name := range []string{"after the first read", "before the count"} {
		l := newLane(t, numbered(8)+"; INSERT INTO run_tags SELECT id, 'old', 1 FROM sessions")
		m := meddler{Store: l.view}
		write := func() error {
			l.sql("UPDATE sessions SET name = 'new'; UPDATE run_tags SET tag = 'new'; UPDATE progressions SET collection = '[]'; DELETE FROM branches WHERE session_id = 's0007'; DELETE FROM run_tags WHERE session_id = 's0007'; DELETE FROM sessions WHERE id = 's0007'")
			return nil
		}
		if name == "before the count" {
			m.beforeCount = write
		} else {
			m.afterReady = write
		}
		l.lister.Store = m
		w := l.window(runsV2 + "&exact_total=true")
		if len(w.rows) != 8 || *w.total.Value != 8 {
			t.Errorf("%s: %d rows of %d", name, len(w.rows), *w.total.Value)
		}
		for _, r := range w.rows {
			if r["name"] == "new" || r["tags"].([]any)[0] != "old" || r["message_count"] != 3.0 {
				t.Errorf("%s: torn: %v", name, r)
			}
		}
		l.lister.Store = l.view
		if w := l.window(runsV2 + "&exact_total=true"); len(w.rows) != 7 || *w.total.Value != 7 || w.rows[0]["name"] != "new" {
			t.Errorf("%s: afterwards %d rows of %d", name, len(w.rows), *w.total.Value)
		}
	}
}

// unread wants no reader in a transaction: only then a checkpoint can empty
// the log.
func unread(t *testing.T, path string) {
	t.Helper()
	storetest.SQL(t, path, "UPDATE sessions SET current_phase = 'x'")
	if busy := storetest.Value(t, path, "PRAGMA wal_checkpoint(TRUNCATE)"); busy != "0" {
		t.Error("a transaction is open")
	}
}

// deliveryCheck looks at the store when the first byte is sent.
type deliveryCheck struct {
	*httptest.ResponseRecorder
	check func()
}

func (d *deliveryCheck) Write(p []byte) (int, error) {
	d.check()
	return d.ResponseRecorder.Write(p)
}

func transactionEndsBeforeDelivery(t *testing.T) {
	l := newLane(t, numbered(25))
	for _, target := range []string{runsV2, sessionsV2 + "&exact_total=true", runsV2 + "&search=nothing"} {
		sent := false
		w := &deliveryCheck{httptest.NewRecorder(), func() { sent = true; unread(t, l.path) }}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+target, nil)
		l.server.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusOK || !sent {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	// The check itself sees an open transaction.
	busy := ""
	l.lister.Store = meddler{Store: l.view, afterReady: func() error {
		l.sql("UPDATE sessions SET current_phase = 'y'")
		c := storetest.Dial(t, l.path)
		defer c.Close()
		if err := c.BusyTimeout(0); err != nil {
			return err
		}
		stmt, _, err := c.Prepare("PRAGMA wal_checkpoint(TRUNCATE)")
		if err != nil {
			return err
		}
		stmt.Step()
		busy = stmt.ColumnText(0)
		return stmt.Close()
	}}
	l.window(runsV2)
	if busy != "1" {
		t.Errorf("within the transaction a checkpoint says %s", busy)
	}
}

func cancellation(t *testing.T) {
	l := newLane(t, numbered(2000))
	ctx, cancel := context.WithCancel(t.Context())
	l.lister.Store = meddler{Store: l.view, beforeCount: func() error { cancel(); return nil }}
	rec := httptest.NewRecorder()
	l.server.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+runsV2+"&exact_total=true", nil))
	if rec.Body.Len() != 0 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	unread(t, l.path)
	l.lister.Store = l.view
	if w := l.window(runsV2 + "&exact_total=true"); *w.total.Value != 2000 {
		t.Errorf("the next count: %v", w.total)
	}
}

// watching is a process table that looks at the store when it is asked.
type watching struct {
	processes
	check func()
}

func (w watching) Probe(p session.Process) studio.Liveness {
	w.check()
	return w.processes.Probe(p)
}

func livenessOutside(t *testing.T) {
	l := newLane(t, numbered(3)+`; UPDATE sessions SET status = 'running', last_message_at = 1767277990, node_metadata = '{"pid": 4242, "pid_host": "here", "pid_create_time": 1767275000.0}' WHERE id = 's0001'`)
	asked := 0
	s := open(t, l.path, func(c *studio.Config) {
		c.Sources.Windows = l.lister
		c.Processes = watching{check: func() { asked++; unread(t, l.path) }}
	})
	body := object(t, s, runsV2+"&exact_total=true")
	if asked == 0 || body["runs"].([]any)[1].(map[string]any)["effective_health"] != "healthy" {
		t.Errorf("asked %d times: %v", asked, body["runs"].([]any)[1])
	}
	asked = 0
	object(t, s, sessionsV2)
	if asked != 0 {
		t.Error("the sessions listing shows no health and asked for it")
	}
}

func missingTags(t *testing.T) {
	l := newLane(t, numbered(3)+"; INSERT INTO run_tags VALUES ('s0000', 'x', 1); DROP TABLE run_tags")
	if w := l.window(runsV2 + "&tag=x&exact_total=true"); len(w.rows) != 0 || *w.total.Value != 0 || w.page.ExaminedCandidates != 3 {
		t.Errorf("%+v %v", w.page, w.total)
	}
	for _, r := range l.window(runsV2).rows {
		if tags, ok := r["tags"].([]any); !ok || len(tags) != 0 {
			t.Errorf("tags are %v", r["tags"])
		}
	}
	if slices.Contains(strings.Fields(l.value("SELECT group_concat(name, ' ') FROM sqlite_schema")), "run_tags") {
		t.Error("the table was made")
	}
}
