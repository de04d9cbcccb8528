package storetest_test

import (
	"path/filepath"
	"testing"

	"podium.local/store"
	"podium.local/store/storetest"
)

func TestFill_MakesWhatItSays(t *testing.T) {
	ours := storetest.New(t, store.Options{}).Path()
	theirs := filepath.Join(t.TempDir(), "state.db")
	storetest.LegacyLionagi(t, theirs)
	rows := storetest.Rows{Sessions: 120, Branches: 2, Members: 4, UnknownCost: 3, Mirror: 10, Tags: 2}
	for _, path := range []string{ours, theirs} {
		storetest.Fill(t, path, rows)
		rows := rows
		rows.First, rows.Sessions = 120, 30
		storetest.Fill(t, path, rows)
		for query, want := range map[string]string{
			"SELECT count(*) FROM sessions":                                                               "150",
			"SELECT count(*) FROM branches":                                                               "300",
			"SELECT count(*) FROM run_tags":                                                               "300",
			"SELECT count(*) FROM sessions WHERE total_cost_usd IS NULL":                                  "50",
			"SELECT count(*) FROM sessions WHERE node_metadata ->> 'engine_parent_run_id' IS NOT NULL":    "15",
			"SELECT count(*) FROM progressions WHERE json_array_length(collection) = 4":                   "300",
			"SELECT count(*) FROM pragma_foreign_key_check":                                               "0",
			"SELECT integrity_check FROM pragma_integrity_check":                                          "ok",
			"SELECT max(length(node_metadata)) < 200 FROM sessions":                                       "1",
			"SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = 'idx_sessions_updated'":   "1",
			"SELECT count(*) FROM pragma_index_list('sessions') WHERE origin = 'c' AND name LIKE 'idx_%'": map[bool]string{true: "15", false: "12"}[path == ours],
		} {
			if got := storetest.Value(t, path, query); got != want {
				t.Errorf("%s: %s gives %q, want %q", filepath.Base(filepath.Dir(path)), query, got, want)
			}
		}
	}
}

func TestFillLog_LeavesAStoreThatChecks(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	storetest.Commit(t, s, p, storetest.Text("before"))
	storetest.FillLog(t, s.Path(), p.SessionID, 500, 1024)
	storetest.Commit(t, s, p, storetest.Text("after"))
	report, err := s.Check(t.Context(), store.CheckOptions{})
	if err != nil || len(report.Problems) != 0 {
		t.Fatalf("%+v %v", report, err)
	}
	log, err := s.Log(t.Context(), p.SessionID, 500, -1, 0)
	if err != nil || len(log) != 2 || len(log[0].Payload) != 1024 || log[1].Seq != 502 {
		t.Errorf("%+v %v", log, err)
	}
}

// BenchmarkFill_200k builds the large fixture of the listing's tests.
func BenchmarkFill_200k(b *testing.B) {
	for b.Loop() {
		s := storetest.New(b, store.Options{})
		storetest.Fill(b, s.Path(), storetest.Rows{Sessions: 200_000, UnknownCost: 3, Mirror: 100})
	}
}
