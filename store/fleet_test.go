package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

var fleetQuery = session.FleetQuery{
	Active: []string{"running", "queued", "needs_review"}, ActiveLimit: 500,
	Failed: []string{"failed", "timed_out"}, FailedLimit: 50, FailedSince: session.UnixSeconds(storetest.Epoch.Add(-24 * time.Hour)),
}

func ids(rows []session.Row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

func lookAt(t testing.TB, v *store.View, q session.FleetQuery) session.Fleet {
	t.Helper()
	f, err := v.Fleet(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFleet_RowsByStatusNewestFirstWithoutMirrors(t *testing.T) {
	now := session.UnixSeconds(storetest.Epoch)
	for kind, path := range filled(t, storetest.Rows{Sessions: 12}) {
		t.Run(kind, func(t *testing.T) {
			storetest.SQL(t, path, fmt.Sprintf(`UPDATE sessions SET status = 'completed', ended_at = NULL, node_metadata = NULL, updated_at = %f - rowid;
				UPDATE sessions SET status = 'running' WHERE rowid IN (5, 2, 9);
				UPDATE sessions SET node_metadata = '{"engine_parent_run_id":"x"}' WHERE rowid = 9;
				UPDATE sessions SET node_metadata = '{broken' WHERE rowid = 5;
				UPDATE sessions SET status = 'queued' WHERE rowid = 1;
				UPDATE sessions SET status = 'failed', ended_at = updated_at WHERE rowid IN (3, 4, 6);
				UPDATE sessions SET status = 'timed_out', updated_at = %f WHERE rowid = 7;
				UPDATE sessions SET ended_at = %f WHERE rowid = 4`, now, now-90_000, now-90_000))
			rowids := func(rows []session.Row) string {
				var out []string
				for _, r := range rows {
					out = append(out, storetest.Value(t, path, "SELECT rowid FROM sessions WHERE id = '"+r.ID+"'"))
				}
				return strings.Join(out, " ")
			}
			f := lookAt(t, newView(t, path), fleetQuery)
			if got := rowids(f.Active); got != "1 2 5" || f.Truncated {
				t.Errorf("active: %s, truncated %t", got, f.Truncated)
			}
			// 7 was written and 4 ended more than a day ago.
			if got := rowids(f.Failed); got != "3 6" {
				t.Errorf("failed: %s", got)
			}
		})
	}
}

func TestFleet_MoreThanTheLimitIsSaid(t *testing.T) {
	for kind, path := range filled(t, storetest.Rows{Sessions: 700}) {
		storetest.SQL(t, path, "UPDATE sessions SET node_metadata = NULL, status = CASE WHEN rowid > 600 THEN 'completed' WHEN rowid % 2 THEN 'running' ELSE 'queued' END")
		v := newView(t, path)
		f := lookAt(t, v, fleetQuery)
		if len(f.Active) != 500 || !f.Truncated {
			t.Errorf("%s: %d rows, truncated %t", kind, len(f.Active), f.Truncated)
		}
		if !slices.IsSortedFunc(f.Active, func(a, b session.Row) int {
			if *a.UpdatedAt < *b.UpdatedAt {
				return 1
			}
			return -1
		}) {
			t.Errorf("%s: the rows are not in the order of their update", kind)
		}
		storetest.SQL(t, path, "UPDATE sessions SET status = 'completed' WHERE rowid > 500")
		if f := lookAt(t, v, fleetQuery); len(f.Active) != 500 || f.Truncated {
			t.Errorf("%s: exactly the limit: %d rows, truncated %t", kind, len(f.Active), f.Truncated)
		}
		q := fleetQuery
		q.FailedSince = 1
		for n, more := range map[int]bool{q.FailedLimit: false, q.FailedLimit + 1: true} {
			storetest.SQL(t, path, fmt.Sprintf("UPDATE sessions SET ended_at = NULL, status = CASE WHEN rowid <= %d THEN 'failed' ELSE 'completed' END", n))
			if f := lookAt(t, v, q); len(f.Failed) != q.FailedLimit || f.FailedTruncated != more || f.Truncated {
				t.Errorf("%s: %d failed: %d rows, more %t", kind, n, len(f.Failed), f.FailedTruncated)
			}
		}
	}
}

// TestFleet_WorkDoesNotGrowWithTheStore looks at the plan, with statistics that
// would lead a planner elsewhere, and counts steps in two sizes of store.
func TestFleet_WorkDoesNotGrowWithTheStore(t *testing.T) {
	steps := map[string]int64{}
	for _, size := range []int{someRows, manyRows} {
		for kind, path := range filled(t, storetest.Rows{Sessions: size}) {
			storetest.SQL(t, path, `UPDATE sessions SET status = 'failed'; UPDATE sessions SET status = 'running' WHERE rowid <= 20; ANALYZE;
				DELETE FROM sqlite_stat1 WHERE tbl = 'sessions'; INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('sessions', 'idx_sessions_status_updated', '10000000 10000000 10000000')`)
			c := storetest.Dial(t, path)
			for _, since := range []bool{false, true} {
				args := []any{"running"}
				if since {
					args = append(args, 1.0)
				}
				got, _, _, sorts := plan(t, c, store.FleetSQL(true, since), append(args, 501))
				if !strings.Contains(got, "SEARCH sessions USING INDEX idx_sessions_status_updated (status=?") || strings.Contains(got, "TEMP B-TREE") || sorts != 0 {
					t.Errorf("%s: %s", kind, got)
				}
			}
			if kind == "podium" {
				if got, _, _, sorts := plan(t, c, store.PodEventsSQL, []any{1, 64}); !strings.Contains(got, "SEARCH entries USING INDEX idx_entries_event (pod_key=?") || sorts != 0 {
					t.Errorf("events of a pod: %s", got)
				}
			}
			got, scanned, err := store.FleetSteps(t.Context(), newView(t, path), fleetQuery)
			if err != nil {
				t.Fatal(err)
			}
			// What is scanned are the rows that are shown, by their keys.
			if scanned > 300 {
				t.Errorf("%s with %d sessions: %d rows scanned", kind, size, scanned)
			}
			if small, ok := steps[kind]; !ok {
				steps[kind] = got
			} else if got > small+small/10 {
				t.Errorf("%s: %d steps in a small store, %d in a large one", kind, small, got)
			}
		}
	}
}

func TestFleet_WithoutTheIndexALookIsStillBounded(t *testing.T) {
	for kind, path := range filled(t, storetest.Rows{Sessions: 30}) {
		storetest.SQL(t, path, "UPDATE sessions SET status = 'completed', node_metadata = NULL; UPDATE sessions SET status = 'running' WHERE rowid IN (3, 20)")
		v := newView(t, path)
		want := ids(lookAt(t, v, fleetQuery).Active)
		for _, change := range []string{
			"DROP INDEX idx_sessions_status_updated",
			"CREATE INDEX idx_sessions_status_updated ON sessions (updated_at, status)",
			"DROP INDEX idx_sessions_status_updated; CREATE INDEX idx_sessions_status_updated ON sessions (status, updated_at) WHERE status = 'failed'",
		} {
			storetest.SQL(t, path, change)
			if diff := cmp.Diff(want, ids(lookAt(t, v, fleetQuery).Active)); diff != "" || len(want) != 2 {
				t.Errorf("%s after %s: %s", kind, change, diff)
			}
		}
		if got := store.FleetSQL(false, true); !strings.Contains(got, "ORDER BY rowid DESC LIMIT 5000") {
			t.Errorf("unbounded: %s", got)
		}
	}
}

func TestFleet_AnAbsentStoreHasNothing(t *testing.T) {
	v := newView(t, filepath.Join(t.TempDir(), "state.db"))
	if f := lookAt(t, v, fleetQuery); len(f.Pods)+len(f.Active)+len(f.Failed) != 0 || f.Truncated {
		t.Errorf("%+v", f)
	}
	if _, err := v.LivePod(t.Context(), "p"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a pod of an absent store: %v", err)
	}
	if v.Present() {
		t.Error("a look made the store")
	}
}

func runEnd(result protocol.RunResult, reason string) session.NewEntry {
	return session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindRunEnd, Payload: session.RunEnd{Result: result, Reason: reason}}
}

func input(text string) session.NewEntry {
	return session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindInput, Payload: session.Input{Text: text, Kind: protocol.InputText}}
}

func TestFleet_APodsLastRunIsKnownUntilAnInputComes(t *testing.T) {
	s := storetest.New(t, store.Options{Alive: func(session.Process) bool { return true }})
	v := newView(t, s.Path())
	p := storetest.Start(t, s, storetest.PodStart("p"))
	other := storetest.PodStart("gone")
	other.Process.PID++
	leave(t, s, storetest.Start(t, s, other), session.StatusCompleted)
	commit := func(at time.Time, entries ...session.NewEntry) {
		t.Helper()
		if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, At: at, Name: "the name", Entries: entries}); err != nil {
			t.Fatal(err)
		}
	}
	only := func() session.FleetPod {
		t.Helper()
		f := lookAt(t, v, session.FleetQuery{InputsSince: map[protocol.PodID]float64{p.ID: session.UnixSeconds(storetest.Epoch.Add(time.Second))}})
		if len(f.Pods) != 1 || f.Pods[0].Name != "p" {
			t.Fatalf("pods: %+v", f.Pods)
		}
		return f.Pods[0]
	}
	started := session.UnixSeconds(p.StartedAt)
	if got := only(); got.LastRun != nil || got.InputSince || got.SessionName != nil || *got.Project != "podium" || got.SeenAt != started {
		t.Errorf("a new pod: %+v", got)
	}
	commit(storetest.Epoch, input("one"), storetest.Text("x"), runEnd(protocol.RunFailed, session.ReasonThrash))
	got := only()
	if got.LastRun == nil || got.LastRun.Result != protocol.RunFailed || got.LastRun.Reason != session.ReasonThrash || got.LastRunAt != session.UnixSeconds(storetest.Epoch) {
		t.Errorf("after a run: %+v at %v", got.LastRun, got.LastRunAt)
	}
	if got.InputSince || got.SessionName == nil || *got.SessionName != "the name" {
		t.Errorf("%+v", got)
	}
	if live, err := v.LivePod(t.Context(), "p"); err != nil || live.ID != p.ID {
		t.Errorf("LivePod: %+v, %v", live, err)
	}
	if _, err := v.LivePod(t.Context(), "gone"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("an ended pod: %v", err)
	}
	// An accepted input that is no entry yet counts.
	if _, _, err := s.Accept(t.Context(), session.Acceptance{PodID: p.ID, Item: session.InboxItem{EntryID: protocol.NewEntryID(), Kind: protocol.InputText, Text: "two", AcceptedAt: storetest.Epoch}}); err != nil {
		t.Fatal(err)
	}
	if got := only(); got.LastRun != nil || !got.InputSince {
		t.Errorf("with an input that waits: %+v", got)
	}
	storetest.SQL(t, s.Path(), "DELETE FROM inbox")
	commit(storetest.Epoch.Add(2*time.Second), input("two"), storetest.Text("y"))
	if got := only(); got.LastRun != nil || !got.InputSince || got.SeenAt != session.UnixSeconds(storetest.Epoch.Add(2*time.Second)) {
		t.Errorf("after an input: %+v", got)
	}
	storetest.SQL(t, s.Path(), "UPDATE entries SET payload = '{broken' WHERE kind = 'run_end'; DELETE FROM entries WHERE kind = 'input'")
	if got := only(); got.LastRun == nil || got.LastRun.Result != "" {
		t.Errorf("a damaged end: %+v", got.LastRun)
	}
}

func TestFleet_AnAdoptedStoreHasRowsAndNoPods(t *testing.T) {
	path := adopted(t, false)
	storetest.Fill(t, path, storetest.Rows{Sessions: 3})
	storetest.SQL(t, path, "UPDATE sessions SET status = 'needs_review', node_metadata = NULL WHERE rowid = 2")
	f := lookAt(t, newView(t, path), session.FleetQuery{Active: []string{"needs_review"}, ActiveLimit: 5})
	if len(f.Pods) != 0 || len(f.Active) != 1 || *f.Active[0].Status != "needs_review" {
		t.Errorf("%+v", f)
	}
}
