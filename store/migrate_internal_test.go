package store

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podium.local/session"
)

// withMigration adds a step to those of this build for one test, as a newer
// build would have it.
func withMigration(t *testing.T, step migration) {
	t.Helper()
	before := migrations
	step.version = len(before()) + 1
	all := append(append([]migration(nil), before()...), step)
	migrations = func() []migration { return all }
	t.Cleanup(func() { migrations = before })
}

func TestMigrate_WaitsWithAnExclusiveStepUntilOlderPodsAreGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	alive := map[int]bool{1: true}
	opts := Options{Alive: func(p session.Process) bool { return alive[p.PID] }}
	s, err := Create(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for pid, name := range map[int]string{1: "atlas", 2: "killed"} {
		if _, err := s.StartPod(t.Context(), session.PodStart{Name: name, Process: session.Process{PID: pid}}); err != nil {
			t.Fatal(err)
		}
	}

	newest := newestSchema()
	withMigration(t, migration{name: "9999_change.sql", sql: "ALTER TABLE pods ADD COLUMN later TEXT", exclusive: true})
	_, err = Migrate(t.Context(), path, MigrateOptions{Options: opts})
	if !errors.Is(err, session.ErrBusy) || !strings.Contains(err.Error(), "atlas") || strings.Contains(err.Error(), "killed") {
		t.Errorf("while a pod is alive: %v", err)
	}
	if _, err := Open(t.Context(), path, opts); !errors.Is(err, ErrOutdated) {
		t.Errorf("it was changed all the same: %v", err)
	}
	alive[1] = false
	m, err := Migrate(t.Context(), path, MigrateOptions{Options: opts})
	if err != nil || m.From != newest || m.To != newest+1 || len(m.Steps) != 1 {
		t.Errorf("afterwards: %+v, %v", m, err)
	}
}

func TestMigrate_AppliesAnAdditiveStepWhileOlderPodsGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	opts := Options{Alive: func(session.Process) bool { return true }}
	s, err := Create(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := s.StartPod(t.Context(), session.PodStart{Name: "a", Process: session.Process{PID: 1}})
	if err != nil {
		t.Fatal(err)
	}
	withMigration(t, migration{name: "9999_more.sql", sql: "CREATE TABLE more (x); CREATE INDEX idx_more ON more (x)"})
	if _, err := Migrate(t.Context(), path, MigrateOptions{Options: opts}); err != nil {
		t.Fatal(err)
	}
	entry := session.NewEntry{ID: "e", Kind: session.KindText, Payload: session.Text{Text: "x"}}
	if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{entry}}); err != nil {
		t.Errorf("the older pod: %v", err)
	}
}

func TestMigrate_TakesBackAStepThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Create(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	newest := newestSchema()
	withMigration(t, migration{name: "9999_broken.sql", sql: "CREATE TABLE half (x); CREATE TABLE sessions (y)"})
	if _, err := Migrate(t.Context(), path, MigrateOptions{}); err == nil || !strings.Contains(err.Error(), "9999_broken.sql") {
		t.Errorf("%v", err)
	}
	st, err := Examine(t.Context(), path)
	if err != nil || st.Schema != newest || st.Ready() {
		t.Errorf("%+v, %v", st, err)
	}
	migrations = func() []migration { return nil }
	c, sh, _, err := dialChecked(t.Context(), st.Path)
	if err != nil {
		t.Fatal(err)
	}
	if sh.objects["half"] != "" {
		t.Error("half of the step stayed")
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
}

func TestListing_ObjectsAreThoseOfTheMigration(t *testing.T) {
	text := squeeze(migrations()[listingMigration-1].sql)
	for _, object := range append([]listingObject{{"listing_store_identity", identityTable}}, listingIndexes...) {
		if !strings.Contains(text, squeeze(object.sql)+";") {
			t.Errorf("an adopted store gets another %s than ours", object.name)
		}
	}
	if !strings.Contains(squeeze(migrations()[0].sql), squeeze(metaTable)) {
		t.Error("an adopted store gets another podium_meta than ours")
	}
}

func TestSqueeze_KeepsWhatMakesADefinition(t *testing.T) {
	const plain = "create index i on t (a desc, b desc) where c is not null"
	for _, same := range []string{
		`CREATE INDEX i ON t(a DESC,b DESC) WHERE c IS NOT NULL`, "CREATE INDEX \"i\"\n\tON [t] (`a` DESC, b DESC)\r\nWHERE c IS NOT NULL",
	} {
		if squeeze(same) != squeeze(plain) {
			t.Errorf("%q is not the same as %q", same, plain)
		}
	}
	for _, other := range []string{
		"create index i on t (a, b desc) where c is not null", "create index i on t (a desc, b desc)",
		"create index i on t (a desc, b desc) where c is null", "create unique index i on t (a desc, b desc) where c is not null",
	} {
		if squeeze(other) == squeeze(plain) {
			t.Errorf("%q is the same as %q", other, plain)
		}
	}
}

func TestRead_IsOneSnapshotAndStopsWithItsContext(t *testing.T) {
	s, err := Create(t.Context(), filepath.Join(t.TempDir(), "state.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	count := func(c *conn) int64 {
		n, err := c.integer("SELECT count(*) FROM pods")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	err = s.read(t.Context(), func(c *conn) error {
		before := count(c)
		if _, err := s.StartPod(t.Context(), session.PodStart{Name: "a"}); err != nil {
			return err
		}
		if after := count(c); after != before {
			t.Errorf("%d pods became %d within one read", before, after)
		}
		return c.run("DELETE FROM pods")
	})
	if !errors.Is(classify(err), session.ErrReadOnly) {
		t.Errorf("a write on a reading connection: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	err = s.read(ctx, func(c *conn) error {
		cancel()
		_, err := c.integer("WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT count(*) FROM n")
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an endless query whose context ended: %v", err)
	}
	if err := s.read(t.Context(), func(c *conn) error { count(c); return nil }); err != nil {
		t.Errorf("the next read: %v", err)
	}
}

func TestMoment_IsTheInverseOfSeconds(t *testing.T) {
	for _, at := range []time.Time{
		time.Unix(0, 0), time.Unix(1764536400, 123456000), time.Unix(1764536400, 999999000), time.Unix(-5, 250000000), time.Unix(4102444800, 1000),
	} {
		if got := moment(seconds(at)); !got.Equal(at) {
			t.Errorf("%v became %v", at, got)
		}
	}
}
