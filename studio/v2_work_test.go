package studio_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"podium.local/listing"
	"podium.local/store"
	"podium.local/store/storetest"
)

// The real window and the real sizes are counted in package store; here it is
// the route that is counted, in small.
const (
	fewSessions = 60
	routeWindow = 50
)

// sized makes a filled lane.
func sized(t *testing.T, sessions int, rows storetest.Rows, shape string) *lane {
	t.Helper()
	l := newLane(t, "")
	rows.Sessions = sessions
	storetest.Fill(t, l.path, rows)
	if shape != "" {
		l.sql(shape)
	}
	l.lister.Policy.CandidateLimit = routeWindow
	return l
}

// steps is the work of a request on a connection that knows the schema.
func (l *lane) steps(target string) int64 {
	l.Helper()
	l.call(target)
	return l.window(target).work.VMSteps
}

func within(t *testing.T, what string, factor float64, counts ...int64) {
	t.Helper()
	low, high := counts[0], counts[0]
	for _, n := range counts {
		low, high = min(low, n), max(high, n)
	}
	if float64(high) > factor*float64(low) {
		t.Errorf("%s: from %d to %d steps", what, low, high)
	}
}

func everyBranchReadsItsIndex(t *testing.T) {
	for name, path := range map[string]string{"legacy": newLane(t, "").path, "fresh": storetest.New(t, store.Options{}).Path()} {
		storetest.Fill(t, path, storetest.Rows{Sessions: manySessions, UnknownCost: 3})
		if name == "legacy" {
			storetest.SQL(t, path, "UPDATE sessions SET updated_at = NULL WHERE rowid % 5 = 0; UPDATE sessions SET updated_at = 5 WHERE rowid % 5 = 1")
		}
		l := laneOver(t, path)
		l.lister.Policy.CandidateLimit = routeWindow
		for _, sort := range []string{"recent", "cost"} {
			_, windows := l.all(runsV2 + "&per_page=20&sort=" + sort)
			for i, w := range windows[1:] {
				// A page costs its rows: no scan of the store, no sort but that of the page.
				if w.work.VMSteps > 20*300 || w.work.Sorts > 1 || w.work.FullScanSteps > 50 {
					t.Errorf("%s, %s, window %d: %+v", name, sort, i+1, w.work)
				}
			}
		}
	}
}

func readinessIsConstant(t *testing.T) {
	var counts []int64
	for _, n := range []int{fewSessions, manySessions} {
		l := sized(t, n, storetest.Rows{Tags: 2}, "")
		first := l.window(runsV2 + "&per_page=1").work.VMSteps
		counts = append(counts, first)
		if second := l.window(runsV2 + "&per_page=1").work.VMSteps; second*3 > first {
			t.Errorf("%d steps, then %d: what was found is not kept", first, second)
		}
	}
	within(t, "the first request", 1.1, counts...)
}

func pagesCostTheSame(t *testing.T) {
	counts := map[string][]int64{}
	for _, n := range []int{fewSessions, manySessions} {
		l := sized(t, n, storetest.Rows{}, "")
		for _, shape := range []string{"SELECT 1", "UPDATE sessions SET updated_at = 7, total_cost_usd = 1", "UPDATE sessions SET updated_at = NULL WHERE rowid > 5", "UPDATE sessions SET total_cost_usd = NULL"} {
			l.sql(shape)
			for _, sort := range []string{"recent", "cost"} {
				target := runsV2 + "&per_page=10&sort=" + sort
				deep := l.window(target + "&page=3")
				counts[sort+", "+shape] = append(counts[sort+", "+shape], l.steps(target), l.steps(deep.next(target)))
			}
		}
	}
	for what, steps := range counts {
		within(t, what, 2, steps...)
	}
}

func emptyWindowsCostTheSame(t *testing.T) {
	counts := map[string][]int64{}
	for _, n := range []int{fewSessions, manySessions} {
		l := sized(t, n, storetest.Rows{Tags: n / 60}, "")
		empty := func(name, query string) {
			w := l.window(runsV2 + query)
			if len(w.rows) != 0 || w.page.ExaminedCandidates != routeWindow {
				t.Fatalf("%s: %+v", name, w.page)
			}
			counts[name] = append(counts[name], l.steps(runsV2+query))
		}
		empty("no match", "&search=zzz")
		empty("tags", "&tag=none&tag=t0")
		l.sql(`UPDATE sessions SET node_metadata = '{"engine_parent_run_id":"r"}'`)
		empty("mirrors", "")
	}
	for what, steps := range counts {
		within(t, what, 2, steps...)
	}
}

func countersCoverEverything(t *testing.T) {
	l := sized(t, fewSessions, storetest.Rows{Tags: 2}, "")
	rec := l.call(sessionsV2 + "&offset=5&limit=3&exact_total=true")
	if rec.Header().Get("Podium-Listing-Work") != "" {
		t.Error("nobody asked for the counters")
	}
	rec = l.call(sessionsV2+"&offset=5&limit=3&exact_total=true", "Podium-Debug", "work")
	var counters map[string]int64
	if err := json.Unmarshal([]byte(rec.Header().Get("Podium-Listing-Work")), &counters); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"keys_visited": 9, "skipped_keys": 5, "residual_evaluations": 3, "lookahead_keys": 1, "tag_probes": 0, "hydrated_rows": 3, "counts": 1} {
		if counters[name] != want {
			t.Errorf("%s is %d, want %d", name, counters[name], want)
		}
	}
	if len(counters) != 11 || counters["vm_steps"] < fewSessions || counters["statements"] < 7 || strings.Contains(rec.Body.String(), "vm_steps") {
		t.Errorf("%v", counters)
	}
	// Schema, readiness and identity are part of it: the first request of a
	// connection counts more statements than the second.
	fresh := laneOver(t, l.path)
	a, b := fresh.window(runsV2+"&per_page=1").work, fresh.window(runsV2+"&per_page=1").work
	if a.Statements < b.Statements+10 || b.Statements < 4 {
		t.Errorf("%d statements, then %d", a.Statements, b.Statements)
	}
	if w := l.window(runsV2 + "&tag=t0&tag=t1&per_page=2"); w.work.TagProbes != 4 {
		t.Errorf("%d tag probes", w.work.TagProbes)
	}
}

func dimensionsApart(t *testing.T) {
	work := func(l *lane, query string) listing.Work {
		l.call(runsV2 + query)
		return l.window(runsV2 + query).work
	}
	narrow, wide := sized(t, fewSessions, storetest.Rows{Tags: 1}, ""), sized(t, fewSessions, storetest.Rows{Branches: 10, Tags: 30}, "")
	plain := work(narrow, "&per_page=5")
	// The count is of the store and on top.
	counted := work(narrow, "&per_page=5&exact_total=true")
	if counted.Counts != 1 || counted.VMSteps < plain.VMSteps+10*fewSessions || counted.KeysVisited != plain.KeysVisited {
		t.Errorf("with a count %+v, without %+v", counted, plain)
	}
	// Fanout belongs to the returned rows, and leaves the candidates alone.
	fanned := work(wide, "&per_page=5")
	if fanned.VMSteps <= plain.VMSteps || fanned.KeysVisited != plain.KeysVisited || fanned.TagProbes != 0 {
		t.Errorf("%+v with wide rows, %+v with narrow ones", fanned, plain)
	}
	if a, b := work(narrow, "&search=zzz"), work(wide, "&search=zzz"); a.VMSteps != b.VMSteps {
		t.Errorf("a window without rows takes %d steps with narrow rows, %d with wide ones", a.VMSteps, b.VMSteps)
	}
}

func timingsRecorded(t *testing.T) {
	// What the benchmarks print above their numbers; no test judges a time.
	report := storetest.Host(t) + "\n" + storetest.Rows{Sessions: 20_000}.String()
	for _, want := range []string{runtime.Version(), "SQLite 3.", "CPU ", "GOMAXPROCS ", "20000 sessions by set-based SQL", "3 ids a progression"} {
		if !strings.Contains(report, want) {
			t.Errorf("%s is not in %s", want, report)
		}
	}
}
