package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// newView opens a view that the test's end closes.
func newView(t testing.TB, path string) *store.View {
	t.Helper()
	v := store.NewView(path, "local", store.Options{Now: func() time.Time { return storetest.Epoch }})
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// filled makes a Podium store and a store of lionagi's with the same rows.
func filled(t testing.TB, rows storetest.Rows) map[string]string {
	t.Helper()
	ours := storetest.New(t, store.Options{}).Path()
	theirs := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, theirs)
	storetest.Fill(t, ours, rows)
	storetest.Fill(t, theirs, rows)
	return map[string]string{"podium": ours, "lionagi": theirs}
}

var everyPage = []session.PageQuery{
	{Order: session.OrderRecent, Limit: 20, WithTags: true},
	{Order: session.OrderCost, Limit: 20},
	{Order: session.OrderRecent, Limit: 20, Offset: 100},
	{Order: session.OrderRecent, Limit: 20, Filter: session.Filter{Search: "topic 3", Statuses: []string{"completed", "running"}, Kinds: []string{"agent"}, Tags: []string{"t0", "t1"}, Project: "project-3"}},
	{Order: session.OrderCost, Limit: 20, Filter: session.Filter{Playbook: "BOOK-1", ProjectNull: true, Statuses: []string{"failed"}}},
}

// TestListPage_StatementsAreFrozen keeps the text of the numbered listing: it
// is what the bounded one is measured against.
func TestListPage_StatementsAreFrozen(t *testing.T) {
	for kind, path := range filled(t, storetest.Rows{Sessions: 1}) {
		var b strings.Builder
		for _, q := range everyPage {
			page, count, err := store.ListingStatements(t.Context(), newView(t, path), q)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s;\n%s;\n\n", page, count)
		}
		name := filepath.Join("testdata", "listing_v1_"+kind+".sql")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != string(want) {
			t.Errorf("%s changed; if that is meant, run UPDATE_GOLDEN=1 go test ./store and measure again:\n%s", name, got)
		}
	}
}

// TestListPage_PageWorkFollowsThePage wants the page itself, without its count,
// to cost the same whatever else is in the store.
func TestListPage_PageWorkFollowsThePage(t *testing.T) {
	work := func(sessions int) map[string]int {
		steps := make(map[string]int)
		for kind, path := range filled(t, storetest.Rows{Sessions: sessions, Members: 5}) {
			n, err := store.PageSteps(t.Context(), newView(t, path), session.PageQuery{Order: session.OrderRecent, Limit: 20})
			if err != nil {
				t.Fatal(err)
			}
			steps[kind] = n
		}
		return steps
	}
	small, large := work(200), work(2000)
	for kind := range small {
		if large[kind] > small[kind]*11/10 {
			t.Errorf("%s: a page of 20 takes %d steps in 200 sessions and %d in 2,000", kind, small[kind], large[kind])
		}
	}
}

func TestListPage_ReadsWhatItCountsInOneSnapshot(t *testing.T) {
	path := filled(t, storetest.Rows{Sessions: 60})["lionagi"]
	v := newView(t, path)
	writer := storetest.Dial(t, path)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			sql := fmt.Sprintf(`BEGIN IMMEDIATE; INSERT INTO sessions (id, created_at, updated_at, progression_id, status) VALUES ('x%[1]d', 1, 9e9, 'p0000000-0', 'failed');
				INSERT INTO run_tags VALUES ('x%[1]d', 'fresh', 1); COMMIT`, i)
			if err := writer.Exec(sql); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 50 {
		page, err := v.ListPage(t.Context(), session.PageQuery{Order: session.OrderRecent, Limit: 500, WithTags: true, Filter: session.Filter{Statuses: []string{"failed"}}})
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(page.Rows)) != min(page.Total, 500) {
			t.Fatalf("%d rows of %d", len(page.Rows), page.Total)
		}
		for _, r := range page.Rows {
			if strings.HasPrefix(r.ID, "x") && len(r.Tags) != 1 {
				t.Fatalf("row %s came without the tag of its own transaction", r.ID)
			}
		}
	}
	close(stop)
	wg.Wait()
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestView_ReadsGoOnBehindAHeldWriteLock(t *testing.T) {
	path := filled(t, storetest.Rows{Sessions: 50})["lionagi"]
	v := newView(t, path)
	writer := storetest.Dial(t, path)
	if err := writer.Exec("BEGIN IMMEDIATE; UPDATE sessions SET name = 'held'"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			r, err := v.SessionRow(t.Context(), "s0000001")
			if err != nil || r.Name == nil || *r.Name == "held" {
				t.Errorf("%v %v", r.Name, err)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(writer.Exec("ROLLBACK"), writer.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestView_HeavyReadsNeverKeepASmallOneWaiting holds every heavy place and
// fills the queue: a small read still answers, one more heavy read is refused.
func TestView_HeavyReadsNeverKeepASmallOneWaiting(t *testing.T) {
	v := newView(t, filled(t, storetest.Rows{Sessions: 10})["podium"])
	release := store.HoldHeavy(v)
	ctx, cancel := context.WithCancel(t.Context())
	queued := make(chan error, store.HeavyQueue)
	for range store.HeavyQueue {
		go func() {
			_, err := v.ProjectCounts(ctx)
			queued <- err
		}()
	}
	store.AwaitQueue(v, store.HeavyQueue)
	if _, err := v.SessionRow(t.Context(), "s0000001"); err != nil {
		t.Errorf("a small read beside full heavy ones: %v", err)
	}
	if p, err := v.Probe(t.Context()); err != nil || !p.Present {
		t.Errorf("readiness beside full heavy ones: %v", err)
	}
	if _, err := v.ListPage(t.Context(), everyPage[0]); !errors.Is(err, session.ErrOverloaded) {
		t.Errorf("one more heavy read: %v", err)
	}
	cancel()
	for range store.HeavyQueue {
		if err := <-queued; !errors.Is(err, context.Canceled) {
			t.Errorf("a waiting read whose client left: %v", err)
		}
	}
	release()
	if page, err := v.ListPage(t.Context(), everyPage[0]); err != nil || page.Total != 10 {
		t.Errorf("afterwards: %v %v", page.Total, err)
	}
}

func TestView_AReadEndsWhenItsClientLeavesAndTheConnectionStaysGood(t *testing.T) {
	path := filled(t, storetest.Rows{Sessions: 3000})["podium"]
	v := newView(t, path)
	for i := range 5 {
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the client left")
		store.CancelDuring(v, ctx, func() { cancel(gone) })
		if _, err := v.ListPage(ctx, session.PageQuery{Order: session.OrderCost, Limit: 500, Filter: session.Filter{Search: "zzz"}}); !errors.Is(err, gone) && !errors.Is(err, context.Canceled) {
			t.Errorf("round %d: %v", i, err)
		}
		if page, err := v.ListPage(t.Context(), session.PageQuery{Order: session.OrderRecent, Limit: 1}); err != nil || page.Total != 3000 {
			t.Errorf("the next read: %d %v", page.Total, err)
		}
	}
}

func TestView_WorksOnAFolderThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		// Root writes everywhere: the modes below would prove nothing. What remains
		// is that reading leaves the folder as it was.
		path := filled(t, storetest.Rows{Sessions: 3})["lionagi"]
		before := names(t, filepath.Dir(path))
		v := newView(t, path)
		if page, err := v.ListPage(t.Context(), everyPage[0]); err != nil || page.Total != 3 {
			t.Errorf("%d %v", page.Total, err)
		}
		sum := storetest.Value(t, path, "SELECT count(*) || max(updated_at) FROM sessions")
		if sum == "" || len(names(t, filepath.Dir(path))) > len(before)+2 {
			t.Errorf("reading left %v", names(t, filepath.Dir(path)))
		}
		return
	}
	path := filled(t, storetest.Rows{Sessions: 3})["lionagi"]
	dir := filepath.Dir(path)
	if err := errors.Join(os.Chmod(path, 0o400), os.Chmod(dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if page, err := newView(t, path).ListPage(t.Context(), everyPage[0]); err != nil || page.Total != 3 {
		t.Errorf("%d %v", page.Total, err)
	}
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestView_AFileItCannotUseIsNotReadyAndSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	foreign, older, view := filepath.Join(dir, "foreign.db"), filepath.Join(dir, "older.db"), filepath.Join(dir, "view.db")
	storetest.SQL(t, foreign, "CREATE TABLE t (x)")
	st := storetest.New(t, store.Options{})
	storetest.Copy(t, st.Path(), older)
	storetest.SQL(t, older, "UPDATE podium_meta SET schema = 1")
	storetest.Lionagi(t, view)
	storetest.SQL(t, view, "PRAGMA foreign_keys = OFF; ALTER TABLE branches RENAME TO b; CREATE VIEW branches AS SELECT * FROM b")
	virtual := filepath.Join(dir, "virtual.db")
	storetest.Lionagi(t, virtual)
	storetest.SQL(t, virtual, "DROP TABLE IF EXISTS run_tags; PRAGMA writable_schema = ON; "+
		"INSERT INTO sqlite_schema VALUES ('table', 'run_tags', 'run_tags', 0, 'CREATE VIRTUAL TABLE run_tags USING fts5(session_id, tag)')")
	for path, want := range map[string]string{
		virtual: "run_tags is a virtual table where a table belongs",
		foreign: "another program's database", older: "podium store migrate", view: "is a view where a table belongs", dir: "it is a folder",
	} {
		_, err := newView(t, path).ListPage(t.Context(), everyPage[0])
		if !errors.Is(err, session.ErrNotReady) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}

// TestWindow_WhatTheBudgetRefusesComesWithTheNextCursor wants a window that
// could not pay for a single row to be asked for again, not skipped.
func TestWindow_WhatTheBudgetRefusesComesWithTheNextCursor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, `INSERT INTO progressions VALUES ('pa', 1, '["a1","a2"]'), ('pb', 1, '["b1","b2"]');
		INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('s', 1, 1, 'pa');
		INSERT INTO branches (id, created_at, session_id, progression_id) VALUES ('a', 1, 's', 'pa'), ('b', 2, 's', 'pb');
		INSERT INTO messages (id, created_at, content, role, lion_class) VALUES ('a1', 1, '"x"', 'user', 2), ('a2', 2, '"x"', 'user', 2), ('b1', 1, '"x"', 'user', 2), ('b2', 2, '"x"', 'user', 2)`)
	v := newView(t, path)
	store.SetRowBudget(v, 3)
	d, err := v.SessionDetail(t.Context(), "s", session.Window{Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(d); got != "a: a1 a2 / b: b2" || d.NextAnchors["b"] != "b2" || !d.Branches[1].HasOlder || d.NextAnchors["a"] != "" {
		t.Errorf("%s, anchors %v", got, d.NextAnchors)
	}
	d, err = v.SessionDetail(t.Context(), "s", session.Window{Limit: 5, Anchors: d.NextAnchors})
	if err != nil || shown(d) != "a:  / b: b1" || len(d.NextAnchors) != 0 {
		t.Errorf("%s, anchors %v, %v", shown(d), d.NextAnchors, err)
	}
	v = newView(t, path)
	store.SetRowBudget(v, 2)
	d, err = v.SessionDetail(t.Context(), "s", session.Window{Limit: 5})
	if err != nil || shown(d) != "a: a1 a2 / b: " || d.NextAnchors["b"] != session.NewestAnchor {
		t.Errorf("%s, anchors %v, %v", shown(d), d.NextAnchors, err)
	}
	d, err = v.SessionDetail(t.Context(), "s", session.Window{Limit: 5, Anchors: d.NextAnchors})
	if err != nil || shown(d) != "a:  / b: b1 b2" {
		t.Errorf("%s %v", shown(d), err)
	}
}

func shown(d session.Detail) string {
	var parts []string
	for _, b := range d.Branches {
		var ids []string
		for _, m := range b.Messages {
			ids = append(ids, m.ID)
		}
		parts = append(parts, b.ID+": "+strings.Join(ids, " "))
	}
	return strings.Join(parts, " / ")
}

func TestWindow_ALargeMessageIsWithheldWithItsLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, `INSERT INTO progressions VALUES ('p', 1, '["call","result"]');
		INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('s', 1, 1, 'p');
		INSERT INTO branches (id, created_at, session_id, progression_id) VALUES ('b', 1, 's', 'p');
		INSERT INTO messages (id, created_at, content, role, lion_class) VALUES
			('call', 1, json_object('function', 'bash', 'arguments', json_object('command', 'x'), 'action_response_id', 'result'), 'action', 4),
			('result', 2, json_object('output', printf('%.*c', 1100000, 'x'), 'action_request_id', 'call'), 'action', 5)`)
	v := newView(t, path)
	d, err := v.SessionDetail(t.Context(), "s", session.Window{Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	m := d.Branches[0].Messages[1]
	if !m.Withheld || m.Content != nil || m.ActionRequestID != "call" || !d.Stats.Bounded {
		t.Errorf("withheld %v, content %v, link %q, bounded %v", m.Withheld, m.Content != nil, m.ActionRequestID, d.Stats.Bounded)
	}
	page, err := v.MessagesAfter(t.Context(), "s", session.StreamPosition{})
	if err != nil || len(page) != 2 || !page[1].Withheld || page[1].ActionRequestID != "call" {
		t.Errorf("%d messages, %v", len(page), err)
	}
	w, err := v.EntryWindow(t.Context(), "s", session.EntryQuery{Limit: 5})
	if err != nil || string(w.Entries[1].Payload) != `{"withheld":true,"size":1100040}` {
		t.Errorf("%.80s %v", w.Entries[1].Payload, err)
	}
}

func TestStream_ReadsABranchWithMoreMembersThanAStatementHasVariables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, `INSERT INTO progressions SELECT 'p', 1, json_group_array('m' || value) FROM generate_series(1, 33000);
		INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('s', 1, 1, 'p');
		INSERT INTO branches (id, created_at, session_id, progression_id) VALUES ('b', 1, 's', 'p');
		INSERT INTO messages (id, created_at, content, role, lion_class) VALUES ('m33000', 5, '"x"', 'user', 2)`)
	v := newView(t, path)
	page, err := v.MessagesAfter(t.Context(), "s", session.StreamPosition{})
	if err != nil || len(page) != 1 || page[0].BranchID != "b" {
		t.Errorf("%v %v", page, err)
	}
	d, err := v.SessionDetail(t.Context(), "s", session.Window{Limit: 3})
	if err != nil || d.Branches[0].Total != 33000 || d.Stats.MessageCount != 1 {
		t.Errorf("%d members, %d messages, %v", d.Branches[0].Total, d.Stats.MessageCount, err)
	}
}

// TestUsage_OfAnAdoptedStoreIsReadOnceAMinuteAndOnlyAfterAChange counts the
// readings.
func TestUsage_OfAnAdoptedStoreIsReadOnceAMinuteAndOnlyAfterAChange(t *testing.T) {
	path := filled(t, storetest.Rows{Sessions: 20})["lionagi"]
	now := storetest.Epoch
	v := store.NewView(path, "local", store.Options{Now: func() time.Time { return now }})
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	ask := func() session.Usages {
		t.Helper()
		u, err := v.UsageSince(t.Context(), session.UsageQuery{By: session.UsageByDay, Since: now.Add(-time.Hour), Until: now, Zone: time.UTC})
		if err != nil || !u.ByActivity {
			t.Fatalf("%+v %v", u, err)
		}
		return u
	}
	first := ask()
	if first.Groups[0].Sessions != 20 || !first.AsOf.Equal(now) {
		t.Errorf("%+v", first)
	}
	storetest.SQL(t, path, "DELETE FROM branches; DELETE FROM sessions WHERE id <> 's0000000'")
	now = now.Add(59 * time.Second)
	if u := ask(); u.Groups[0].Sessions != 20 || !u.AsOf.Equal(first.AsOf) {
		t.Errorf("within the minute it was read again: %+v", u)
	}
	now = now.Add(time.Second)
	ask() // answers with the old sums and starts the reading
	store.AwaitActivity(v)
	if u := ask(); u.Groups[0].Sessions != 1 || !u.AsOf.Equal(now) {
		t.Errorf("after the minute: %+v", u)
	}
	now = now.Add(time.Hour / 2)
	if u := ask(); u.Groups[0].Sessions != 1 || !u.AsOf.Equal(now) {
		t.Errorf("unchanged, it is as of now without a reading: %+v", u)
	}
}

func TestUsage_HasEveryDayOfAZoneWhoseMidnightsAreSkipped(t *testing.T) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	v := newView(t, filled(t, storetest.Rows{Sessions: 1})["podium"])
	// 7 September 2025 begins at one o'clock there, and the last day is half an hour old.
	u, err := v.UsageSince(t.Context(), session.UsageQuery{
		By: session.UsageByDay, Zone: zone, Since: time.Date(2025, 9, 7, 1, 0, 0, 0, zone), Until: time.Date(2025, 9, 10, 0, 30, 0, 0, zone),
	})
	if err != nil {
		t.Fatal(err)
	}
	var days []string
	for _, g := range u.Groups {
		days = append(days, *g.Key)
	}
	if diff := cmp.Diff([]string{"2025-09-07", "2025-09-08", "2025-09-09", "2025-09-10"}, days); diff != "" {
		t.Error(diff)
	}
}
