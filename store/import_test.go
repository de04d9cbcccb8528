package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// imported is a batch that brings n requests of a model to a session.
func imported(path, id, model string, n int) session.ImportBatch {
	at := storetest.Epoch
	p := session.ImportPart{
		SessionID: id, Tool: "codex", VendorID: "v-" + id,
		Facts:   session.ImportFacts{First: at, Last: at, Spoke: at, Prompt: "hi", Provider: "openai", Model: model, Project: "p"},
		Entries: []session.ImportEntry{{NewEntry: session.NewEntry{ID: id + "-1", Kind: session.KindText, Payload: session.Text{Text: "x"}}, At: at}},
	}
	for i := range n {
		in, out := int64(10), int64(i)
		key := [16]byte{byte(i), byte(i >> 8)}
		copy(key[2:], id)
		p.Requests = append(p.Requests, session.ImportRequest{Key: key, At: at.Add(time.Duration(i) * time.Minute), Model: model, Project: "p",
			Usage: session.Usage{InputTokens: &in, OutputTokens: &out}})
	}
	return session.ImportBatch{File: session.ImportFile{Tool: "codex", Path: path, Size: 1, Cursor: 1, Lines: 1, ModTime: at, Rank: path}, Parts: []session.ImportPart{p}}
}

func importBatch(t *testing.T, s *store.Store, b session.ImportBatch) session.ImportOutcome {
	t.Helper()
	outs, err := s.ImportBatches(t.Context(), []session.ImportBatch{b})
	if err != nil || len(outs) != 1 {
		t.Fatal(outs, err)
	}
	return outs[0]
}

func isSound(t *testing.T, s *store.Store) {
	t.Helper()
	r, err := s.Check(t.Context(), store.CheckOptions{})
	if err != nil || len(r.Problems) > 0 {
		t.Errorf("%+v, %v", r.Problems, err)
	}
}

func TestReprice_DerivesImportedCostsAndLeavesThoseOfPods(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	in, out, usd := int64(10), int64(5), 7.0
	if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, At: storetest.Epoch,
		Usage: &session.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: &usd, PriceSource: "catalog"}}); err != nil {
		t.Fatal(err)
	}
	importBatch(t, s, imported("/a", "one", "known", 450)) // more than one step
	importBatch(t, s, imported("/b", "two", "secret", 3))
	price := func(each float64) session.Pricer {
		return func(_, model string, u session.Usage) (float64, string, bool) {
			return each, "catalog", model == "known"
		}
	}
	look, err := s.Reprice(t.Context(), price(2), true)
	if diff := cmp.Diff(store.Repricing{Requests: 453, Changed: 450, Unknown: 3, AfterUSD: 900}, look); diff != "" || err != nil {
		t.Fatal(diff, err)
	}
	for _, each := range []float64{2, 3} {
		if _, err := s.Reprice(t.Context(), price(each), false); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%g|NULL|7.0|%g", 450*each, 450*each+7)
		got := storetest.Value(t, s.Path(), `SELECT (SELECT printf('%g', total_cost_usd) FROM sessions WHERE id = 'one') || '|' ||
			coalesce((SELECT total_cost_usd FROM sessions WHERE id = 'two'), 'NULL') || '|' ||
			(SELECT total_cost_usd FROM sessions WHERE source_kind = 'live') || '|' || (SELECT printf('%g', sum(priced_usd)) FROM usage_quarter)`)
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		isSound(t, s)
	}
	none := func(string, string, session.Usage) (float64, string, bool) { return 0, "", false }
	if r, err := s.Reprice(t.Context(), none, false); err != nil || r.Changed != 0 || r.AfterUSD != 1350 {
		t.Errorf("a forgotten price changed something: %+v, %v", r, err)
	}
}

func TestImportBatches_IsWholeOrNothing(t *testing.T) {
	s := storetest.New(t, store.Options{})
	b := imported("/a", "one", "known", 2)
	bad := int64(-1)
	b.Parts[0].Requests[1].Usage.InputTokens = &bad
	if _, err := s.ImportBatches(t.Context(), []session.ImportBatch{b}); err == nil {
		t.Fatal("impossible usage was stored")
	}
	if got := storetest.Value(t, s.Path(), "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM import_files) + (SELECT count(*) FROM entries)"); got != "0" {
		t.Errorf("%s rows are left of it", got)
	}
	if out := importBatch(t, s, imported("/a", "one", "known", 2)); out.Kept != 1 || out.NewSessions != 1 {
		t.Errorf("%+v", out)
	}
	isSound(t, s)
}

func TestImportBatches_TakesAsManyAsATurnOfTheLockHasTimeForAndOneAtLeast(t *testing.T) {
	var step, now time.Duration
	s := storetest.New(t, store.Options{Now: func() time.Time { now += step; return storetest.Epoch.Add(now) }})
	var batches []session.ImportBatch
	for i := range 8 {
		b := imported(fmt.Sprint("/", i), fmt.Sprint("s", i), "known", 1)
		b.File.ReadAt = storetest.Epoch
		batches = append(batches, b)
	}
	stored := 0
	for _, tt := range []struct {
		step time.Duration // that the clock goes on with every look
		want int
	}{{10 * time.Millisecond, 3}, {time.Second, 1}, {0, 4}} {
		step = tt.step
		outs, err := s.ImportBatches(t.Context(), batches[stored:])
		step = 0
		if err != nil || len(outs) != tt.want {
			t.Fatalf("%s a look: %d stored, want %d, %v", tt.step, len(outs), tt.want, err)
		}
		stored += len(outs)
		if got := storetest.Value(t, s.Path(), "SELECT count(*) || '' FROM import_files"); got != fmt.Sprint(stored) {
			t.Errorf("%s files, want %d", got, stored)
		}
	}
	isSound(t, s)
}

func TestImportBatches_StoresWhatComesBeforeTheOneThatFails(t *testing.T) {
	s := storetest.New(t, store.Options{Now: func() time.Time { return storetest.Epoch }})
	bad := imported("/bad", "bad", "known", 1)
	negative := int64(-1)
	bad.Parts[0].Requests[0].Usage.InputTokens = &negative
	batches := []session.ImportBatch{imported("/a", "one", "known", 1), imported("/b", "two", "known", 1), bad, imported("/c", "three", "known", 1)}
	outs, err := s.ImportBatches(t.Context(), batches)
	if err != nil || len(outs) != 2 || outs[1].Kept != 1 {
		t.Fatal(outs, err)
	}
	outs, err = s.ImportBatches(t.Context(), batches[2:])
	if err == nil || outs != nil || !strings.HasPrefix(err.Error(), "import /bad: ") {
		t.Error(outs, err)
	}
	if got := storetest.Value(t, s.Path(), "SELECT group_concat(path) FROM import_files"); got != "/a,/b" {
		t.Error(got)
	}
	isSound(t, s)
}

func TestImportBatches_SaysInTheLedgerWhatWasDeletedHere(t *testing.T) {
	s := storetest.New(t, store.Options{})
	importBatch(t, s, imported("/a", "one", "known", 1))
	v := store.NewView(s.Path(), "x", store.Options{})
	defer v.Close()
	if err := v.DeleteSession(t.Context(), "one", storetest.Epoch); err != nil {
		t.Fatal(err)
	}
	again := imported("/b", "one", "known", 1)
	again.File.Skipped = map[string]int64{"title": 2}
	if out := importBatch(t, s, again); out.Deleted != 1 || out.Kept != 0 {
		t.Errorf("%+v", out)
	}
	files, err := s.ImportFiles(t.Context(), "codex", []string{"/b"})
	if err != nil || !cmp.Equal(files[0].Skipped, map[string]int64{"title": 2, session.SkippedDeleted: 1}) {
		t.Error(files, err)
	}
}

func TestImportRestore_FinishesADeletionThatWasInterruptedAndNothingIsMissing(t *testing.T) {
	s := storetest.New(t, store.Options{})
	whole := imported("/a", "one", "known", 1200)
	importBatch(t, s, whole)
	counts := func() string {
		return storetest.Value(t, s.Path(), "SELECT (SELECT count(*) FROM sessions) || ' ' || (SELECT count(*) FROM usage_records) || ' ' || coalesce((SELECT num_turns || ' ' || output_tokens FROM sessions), '')")
	}
	want := counts()
	// A pod that is gone is asked for before every step.
	storetest.SQL(t, s.Path(), "INSERT INTO pods (pod_id, session_id, pid, pid_create_time, pid_host, pid_boot_time, hold, started_at) VALUES ('p', 'one', 1, 1, 'h', 1, 1, 1)")
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	v := store.NewView(s.Path(), "x", store.Options{Alive: func(session.Process) bool {
		if steps++; steps == 4 {
			cancel()
		}
		return false
	}})
	defer v.Close()
	if err := v.DeleteSession(ctx, "one", storetest.Epoch); !errors.Is(err, context.Canceled) || !strings.HasPrefix(counts(), "1 200 ") {
		t.Fatalf("%v: %s", err, counts())
	}
	if n, err := s.ImportRestore(t.Context(), "codex"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if got := counts(); got != "0 0 " {
		t.Errorf("finished: %s", got)
	}
	whole.Restore = true
	importBatch(t, s, whole)
	if got := counts(); got != want {
		t.Errorf("restored: %s, want %s", got, want)
	}
	isSound(t, s)
}

func TestImportBatches_NamesTheSessionThatWasReadOutOfOrder(t *testing.T) {
	s := storetest.New(t, store.Options{})
	importBatch(t, s, imported("/b", "one", "known", 1))
	other := imported("/a", "two", "known", 0)
	other.Parts[0].Entries[0].ID = "one-1"
	_, err := s.ImportBatches(t.Context(), []session.ImportBatch{other})
	var order *session.ImportOrderError
	if !errors.As(err, &order) || order.SessionID != "one" || !cmp.Equal(order.Files, []string{"/b"}) {
		t.Fatal(err)
	}
	paths, err := s.ImportReset(t.Context(), "one")
	if err != nil || !cmp.Equal(paths, []string{"/b"}) {
		t.Fatal(paths, err)
	}
	isSound(t, s)
	importBatch(t, s, other)
	if out := importBatch(t, s, imported("/b", "one", "known", 1)); out.Known != 1 || out.Kept != 0 {
		t.Errorf("%+v", out)
	}
	if got := storetest.Value(t, s.Path(), "SELECT forked_from FROM import_sessions WHERE session_id = 'one'"); got != "two" {
		t.Errorf("forked from %q", got)
	}
	isSound(t, s)
}

func TestImportReset_EmptiesALargeSessionInStepsAndKeepsItsRow(t *testing.T) {
	s := storetest.New(t, store.Options{})
	b := imported("/a", "one", "known", 1200)
	for i := range 1200 {
		e := b.Parts[0].Entries[0]
		e.ID = fmt.Sprint("e", i)
		b.Parts[0].Entries = append(b.Parts[0].Entries, e)
	}
	importBatch(t, s, b)
	if _, err := s.ImportReset(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	got := storetest.Value(t, s.Path(), `SELECT (SELECT count(*) FROM sessions) || (SELECT count(*) FROM entries) || (SELECT count(*) FROM usage_records) ||
		(SELECT count(*) FROM import_requests) || (SELECT entries + messages + priced_requests + unpriced_requests FROM logs) ||
		(SELECT coalesce(input_tokens, 'N') FROM sessions)`)
	if got != "10000N" {
		t.Error(got)
	}
	isSound(t, s)
}

func TestOldSessions_AreThoseBeforeATimeOldestFirst(t *testing.T) {
	s := storetest.New(t, store.Options{})
	for i := range 5 {
		b := imported(fmt.Sprint("/", i), fmt.Sprint("s", i), "known", 0)
		b.Parts[0].Facts.Last = storetest.Epoch.Add(time.Duration(i/2) * time.Hour)
		importBatch(t, s, b)
	}
	v := store.NewView(s.Path(), "x", store.Options{})
	defer v.Close()
	var ids []string
	var last *store.OldSession
	for {
		old, err := v.OldSessions(t.Context(), storetest.Epoch.Add(2*time.Hour), last, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range old {
			ids, last = append(ids, o.ID), &o
		}
		if len(old) < 3 {
			break
		}
	}
	if diff := cmp.Diff([]string{"s0", "s1", "s2", "s3"}, ids); diff != "" {
		t.Error(diff)
	}
	empty := store.NewView(filepath.Join(t.TempDir(), "none.db"), "x", store.Options{})
	defer empty.Close()
	if old, err := empty.OldSessions(t.Context(), time.Now(), nil, 3); err != nil || old != nil {
		t.Error(old, err)
	}
}
