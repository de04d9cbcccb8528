package store_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

func use(t testing.TB, s *store.Store, p session.Pod, at time.Time, u session.Usage) {
	t.Helper()
	if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, At: at, Turns: 1, Usage: &u}); err != nil {
		t.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }

func TestUsage_UnknownIsNeverZero(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	counters := func() session.Counters {
		t.Helper()
		c, err := s.Counters(t.Context(), p.SessionID)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	use(t, s, p, storetest.Epoch, session.Usage{})
	if c := counters(); c.CostUSD != nil || c.InputTokens != nil || c.OutputTokens != nil || c.Unpriced != 1 || c.Priced != 0 || c.Turns != 1 {
		t.Errorf("after a request that reported nothing: %+v", c)
	}
	use(t, s, p, storetest.Epoch, session.Usage{InputTokens: ptr[int64](0), CostUSD: ptr(0.0), PriceSource: "catalog"})
	if c := counters(); c.CostUSD == nil || *c.CostUSD != 0 || c.InputTokens == nil || *c.InputTokens != 0 || c.OutputTokens != nil || c.Priced != 1 {
		t.Errorf("after a free request: %+v", c)
	}
	use(t, s, p, storetest.Epoch, session.Usage{
		InputTokens: ptr[int64](10), OutputTokens: ptr[int64](5), CacheReadTokens: 3, CacheWriteTokens: 2, ReasoningTokens: 1, CostUSD: ptr(0.25),
	})
	want := session.Counters{
		SessionID: p.SessionID, Status: session.StatusRunning, Phase: session.PhaseIdle, StartedAt: storetest.Epoch, UpdatedAt: storetest.Epoch,
		Turns: 3, InputTokens: ptr[int64](10), OutputTokens: ptr[int64](5), CacheReadTokens: 3, CacheWriteTokens: 2, ReasoningTokens: 1,
		CostUSD: ptr(0.25), Priced: 2, Unpriced: 1,
	}
	if diff := cmp.Diff(want, counters()); diff != "" {
		t.Error(diff)
	}
	assertSound(t, s)
}

func TestUsage_ImpossibleNumbersAreRefusedWhole(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	for _, u := range []session.Usage{
		{CostUSD: ptr(math.NaN())}, {CostUSD: ptr(math.Inf(1))}, {CostUSD: ptr(-0.1)}, {InputTokens: ptr[int64](-1)},
		{OutputTokens: ptr[int64](-1)}, {CacheReadTokens: -1}, {CacheWriteTokens: -1}, {ReasoningTokens: -1},
	} {
		_, err := s.Commit(t.Context(), session.Commit{
			PodID: p.ID, SessionID: p.SessionID, Usage: &u, Entries: []session.NewEntry{storetest.Text("x")},
		})
		if err == nil {
			t.Errorf("%+v was taken", u)
		}
	}
	if log, err := s.Log(t.Context(), p.SessionID, 0, -1, 0); err != nil || len(log) != 0 {
		t.Errorf("a refused commit left entries: %v %v", log, err)
	}
	assertSound(t, s)
}

func TestSessionName_IsTheFirstAndAtMost200Bytes(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	for _, name := range []string{strings.Repeat("ü", 101), "second"} {
		if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := s.Counters(t.Context(), p.SessionID)
	if err != nil || c.Name != strings.Repeat("ü", 100) {
		t.Errorf("%q %v", c.Name, err)
	}
}

func TestCommit_MovesTheTimesOfTheRow(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	at := storetest.Epoch.Add(time.Second)
	if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, At: at, Entries: []session.NewEntry{storetest.Text("x")}}); err != nil {
		t.Fatal(err)
	}
	quiet := at.Add(time.Second)
	if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, At: quiet, Phase: session.PhasePaused}); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%.1f %.1f paused", float64(at.Unix()), float64(quiet.Unix()))
	if got := storetest.Value(t, s.Path(), "SELECT last_message_at || ' ' || updated_at || ' ' || current_phase FROM sessions"); got != want {
		t.Errorf("row is %s, want %s", got, want)
	}
}

// TestLedger_SumsAgreeWhateverHappens drives pods at random and wants every
// sum the store keeps to be the sum of what it was told.
func TestLedger_SumsAgreeWhateverHappens(t *testing.T) {
	now := storetest.Epoch
	s := storetest.New(t, store.Options{Bulk: true, Now: func() time.Time { return now }})
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++ // pods and projects of this run are its own
		type model struct {
			cost             float64
			priced, unpriced int64
			messages         int64
			entries          int64
		}
		pods := make(map[string]session.Pod)
		models := make(map[string]*model) // by session
		var started int64
		touched := ""
		name := rapid.SampledFrom([]string{fmt.Sprintf("a%d", run), fmt.Sprintf("b%d", run), fmt.Sprintf("c%d", run)})
		r.Repeat(map[string]func(*rapid.T){
			"start": func(r *rapid.T) {
				n := name.Draw(r, "name")
				start := storetest.PodStart(n)
				start.New = rapid.Bool().Draw(r, "new")
				start.Model = rapid.SampledFrom([]string{"opus", "haiku"}).Draw(r, "model")
				start.Project = rapid.SampledFrom([]string{fmt.Sprintf("%d.x", run), fmt.Sprintf("%d.y", run)}).Draw(r, "project")
				p := storetest.Start(t, s, start)
				if models[p.SessionID] == nil {
					models[p.SessionID] = new(model)
					started++
				}
				if p.Length != models[p.SessionID].entries {
					r.Fatalf("%s continues with %d entries, want %d", n, p.Length, models[p.SessionID].entries)
				}
				pods[n], touched = p, p.SessionID
			},
			"commit": func(r *rapid.T) {
				p, ok := pods[name.Draw(r, "name")]
				if !ok {
					r.Skip("not started")
				}
				now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Minute)).Draw(r, "later")))
				c := session.Commit{PodID: p.ID, SessionID: p.SessionID, At: now}
				m := models[p.SessionID]
				touched = p.SessionID
				for range rapid.IntRange(0, 3).Draw(r, "entries") {
					kind := rapid.SampledFrom([]session.Kind{session.KindText, session.KindSystem, session.KindTurnEnd, session.KindToolCall}).Draw(r, "kind")
					c.Entries = append(c.Entries, session.NewEntry{ID: protocol.NewEntryID(), Kind: kind, Payload: session.Text{Text: "x"}})
					m.entries++
					if session.RoleOf(kind) != "" {
						m.messages++
					}
				}
				if rapid.Bool().Draw(r, "usage") {
					u := session.Usage{InputTokens: ptr(rapid.Int64Range(0, 1000).Draw(r, "input"))}
					if rapid.Bool().Draw(r, "priced") {
						u.CostUSD = ptr(float64(rapid.IntRange(0, 1000).Draw(r, "cost")) / 1000)
						m.cost += *u.CostUSD
						m.priced++
					} else {
						m.unpriced++
					}
					c.Usage = &u
				}
				if _, err := s.Commit(t.Context(), c); err != nil {
					r.Fatal(err)
				}
			},
			"leave": func(r *rapid.T) {
				n := name.Draw(r, "name")
				p, ok := pods[n]
				if !ok {
					r.Skip("not started")
				}
				leave(t, s, p, session.StatusCompleted)
				delete(pods, n)
			},
			"dead": func(r *rapid.T) {
				n := name.Draw(r, "name")
				p, ok := pods[n]
				if !ok {
					r.Skip("not started")
				}
				if closed, err := s.CloseDead(t.Context(), p); err != nil || !closed {
					r.Fatal(closed, err)
				}
				delete(pods, n)
			},
			"": func(r *rapid.T) {
				m := models[touched]
				if m == nil {
					return
				}
				c, err := s.Counters(t.Context(), touched)
				if err != nil {
					r.Fatal(err)
				}
				cost := 0.0
				if c.CostUSD != nil {
					cost = *c.CostUSD
				}
				if c.Entries != m.entries || c.Messages != m.messages || c.Priced != m.priced || c.Unpriced != m.unpriced ||
					(c.CostUSD == nil) != (m.priced == 0) || math.Abs(cost-m.cost) > 1e-9 {
					r.Fatalf("session %s has %+v, want %+v", touched, c, *m)
				}
			},
		})
		var total model
		for _, m := range models {
			total.cost, total.priced, total.unpriced = total.cost+m.cost, total.priced+m.priced, total.unpriced+m.unpriced
		}
		got := storetest.Value(t, s.Path(), `SELECT printf('%.6f %d %d %d', coalesce(sum(priced_usd), 0), coalesce(sum(priced_n), 0),
			coalesce(sum(unpriced_n), 0), coalesce(sum(sessions_started), 0)) FROM usage_quarter WHERE project LIKE '`+fmt.Sprint(run)+`.%'`)
		if want := fmt.Sprintf("%.6f %d %d %d", total.cost, total.priced, total.unpriced, started); got != want {
			r.Fatalf("the rollup sums to %s, want %s", got, want)
		}
	})
	assertSound(t, s)
}

func TestCheck_RebuildsTheRollupFromTheLedger(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	for i := range 10 {
		u := session.Usage{InputTokens: ptr[int64](1)}
		if i%3 != 0 {
			u.CostUSD = ptr(0.1)
		}
		use(t, s, p, storetest.Epoch.Add(time.Duration(i)*7*time.Minute), u)
	}
	rollup := func() string {
		return storetest.Value(t, s.Path(), "SELECT group_concat(printf('%d %s %.6f %d %d %d', quarter_utc, model, priced_usd, priced_n, unpriced_n, sessions_started), char(10)) FROM usage_quarter")
	}
	before := rollup()
	for _, damage := range []string{
		"DELETE FROM usage_quarter",
		"UPDATE usage_quarter SET priced_usd = priced_usd + 1, unpriced_n = 0",
		"INSERT INTO usage_quarter (quarter_utc, project, provider, model, priced_n) VALUES (900, 'ghost', 'x', 'y', 4)",
	} {
		storetest.SQL(t, s.Path(), damage)
		report, err := s.Check(t.Context(), store.CheckOptions{})
		if err != nil || len(report.Problems) == 0 || report.Problems[0].Code != "rollup" {
			t.Errorf("%s: %+v %v", damage, report, err)
		}
		report, err = s.Check(t.Context(), store.CheckOptions{RebuildRollup: true})
		if err != nil || len(report.Problems) != 0 || report.Rebuilt == 0 {
			t.Errorf("%s: %+v %v", damage, report, err)
		}
		if after := rollup(); after != before {
			t.Errorf("%s: rebuilt to\n%s\nwant\n%s", damage, after, before)
		}
	}
}

func TestCheck_FindsWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ code, damage string }{
		{"ordinals", "DELETE FROM entries WHERE ordinal = 1"},
		{"ordinals", "UPDATE logs SET entries = entries + 1"},
		{"messages", "UPDATE logs SET messages = messages - 1"},
		{"events", "UPDATE pods SET seq = seq - 1"},
		{"usage", "UPDATE sessions SET total_cost_usd = total_cost_usd + 1"},
		{"usage", "UPDATE sessions SET input_tokens = NULL"},
		{"usage", "UPDATE logs SET priced_requests = priced_requests + 1"},
		{"usage", "UPDATE logs SET reasoning_tokens = reasoning_tokens + 1"},
		{"status", "UPDATE sessions SET status = 'completed'"},
		{"status", "UPDATE sessions SET ended_at = 5"},
		{"status", "UPDATE sessions SET status = 'completed', ended_at = 5"},
		{"foreign_key", "PRAGMA foreign_keys = OFF; DELETE FROM progressions"},
	} {
		s := storetest.New(t, store.Options{})
		p := storetest.Start(t, s, storetest.PodStart("a"))
		storetest.Commit(t, s, p, storetest.Text("a"), storetest.Text("b"), storetest.Text("c"))
		use(t, s, p, storetest.Epoch, session.Usage{InputTokens: ptr[int64](1), CostUSD: ptr(0.5)})
		assertSound(t, s)
		storetest.SQL(t, s.Path(), tt.damage)
		report, err := s.Check(t.Context(), store.CheckOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, p := range report.Problems {
			found = found || p.Code == tt.code
		}
		if !found {
			t.Errorf("%s: found %+v, want %s", tt.damage, report.Problems, tt.code)
		}
	}
}

func TestCheck_ReportsDamageAndGoesOn(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	storetest.FillLog(t, s.Path(), p.SessionID, 2000, 1024)
	root := storetest.Value(t, s.Path(), "SELECT rootpage FROM sqlite_schema WHERE name = 'idx_entries_id'")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	page, err := strconv.ParseInt(root, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(s.Path(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, 8192), (page-1)*8192); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := open(t, s.Path(), store.Options{})
	report, err := damaged.Check(t.Context(), store.CheckOptions{})
	if err != nil || report.Sessions != 1 || report.Pods != 1 {
		t.Errorf("%+v %v", report, err)
	}
	if len(report.Problems) == 0 || report.Problems[0].Code != "damaged" || report.Problems[0].Subject != "entries" {
		t.Errorf("%+v", report.Problems)
	}
}

func TestTerminalStatus_IsAFloor(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	// Somebody with an administrator's tool ended it under the pod.
	storetest.SQL(t, s.Path(), "UPDATE sessions SET status = 'cancelled', ended_at = 5")
	leave(t, s, p, session.StatusCompleted)
	if got := storetest.Value(t, s.Path(), "SELECT status || ' ' || ended_at FROM sessions"); got != "cancelled 5.0" {
		t.Errorf("leaving made it %s", got)
	}
	if diff := cmp.Diff([]string{">running session.started pod:a"}, transitions(t, s, p.SessionID)); diff != "" {
		t.Error(diff)
	}
	if pod, err := s.PodByName(t.Context(), "a"); err != nil || pod.EndedAt.IsZero() {
		t.Errorf("the pod did not leave: %+v, %v", pod, err)
	}
}
