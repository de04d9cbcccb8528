package studio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"podium.local/listing"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/studio"
)

// lane is a daemon over a store of a test's own, with a small window and a
// clock that the test turns.
type lane struct {
	testing.TB
	path   string
	view   *store.View
	lister *listing.Lister[session.Row]
	server *studio.Server
	now    time.Time
}

// emptyStore is the content of an adopted store without rows whose times may
// be NULL.
var emptyStore = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "podium-studio-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "state.db")
	t := &outside{}
	storetest.LegacyLionagi(t, path)
	if _, err := store.Migrate(context.Background(), path, store.MigrateOptions{}); err != nil {
		return nil, err
	}
	storetest.SQL(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
	return os.ReadFile(path)
})

// outside is a test for helpers that run outside of one.
type outside struct{ testing.TB }

func (*outside) Helper()                      {}
func (*outside) Fatal(args ...any)            { panic(fmt.Sprint(args...)) }
func (*outside) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

// smallWindow is the candidate limit of a lane.
const smallWindow = 10

// newLane makes a store with the rows that the statements make.
func newLane(t testing.TB, statements string) *lane {
	t.Helper()
	content, err := emptyStore()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if statements != "" {
		storetest.SQL(t, path, "BEGIN;"+statements+"; COMMIT")
	}
	return laneOver(t, path)
}

// laneOver makes the daemon over a store that may be there or not.
func laneOver(t testing.TB, path string) *lane {
	t.Helper()
	policy := listing.DefaultPolicy()
	policy.CandidateLimit = smallWindow
	k := listing.NewKeyring(filepath.Join(t.TempDir(), "local.json"), policy)
	if _, err := k.Ensure(clock); err != nil {
		t.Fatal(err)
	}
	l := &lane{TB: t, path: path, now: clock}
	l.lister = &listing.Lister[session.Row]{Keyring: k, StoreID: "local", Policy: policy, Now: func() time.Time { return l.now }}
	l.server = open(t, path, func(c *studio.Config) {
		l.view = c.Sources.Presence.(*store.View)
		l.lister.Store = l.view
		c.Sources.Windows = l.lister
	})
	return l
}

// numbered makes n sessions: the first is the newest, costs are 0, 1 and 2.
func numbered(n int) string {
	return fmt.Sprintf(`INSERT INTO progressions (id, created_at, collection) VALUES ('p', 1, '["a","b","a"]');
		WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < %d - 1)
		INSERT INTO sessions (id, created_at, updated_at, total_cost_usd, progression_id, name, status)
		SELECT printf('s%%04d', n), 1, 9000 - n, n %% 3, 'p', 'number ' || n, 'completed' FROM n;
		INSERT INTO branches (id, created_at, session_id, progression_id) SELECT 'b' || id, 1, id, 'p' FROM sessions`, n)
}

// stored are sessions as SQL values: id, time, cost.
func stored(rows ...[3]string) string {
	var b strings.Builder
	b.WriteString("INSERT INTO progressions (id, created_at) VALUES ('p', 1)")
	for _, r := range rows {
		fmt.Fprintf(&b, "; INSERT INTO sessions (id, created_at, updated_at, total_cost_usd, progression_id) VALUES (%s, 1, %s, %s, 'p')", r[0], r[1], r[2])
	}
	return b.String()
}

// window is a parsed answer of version 2.
type window struct {
	rows  []map[string]any
	raw   map[string]any
	page  listing.Pagination
	total listing.Total
	work  listing.Work
}

func (w window) ids() string { return ids(w.rows) }

// position is what a continuation replaces.
var position = regexp.MustCompile(`&(cursor|page|offset)=[^&]*`)

// next is the target that continues w, wherever target began.
func (w window) next(target string) string {
	return position.ReplaceAllString(target, "") + "&cursor=" + url.QueryEscape(*w.page.NextCursor)
}

const (
	runsV2     = "/api/runs/?listing_version=2"
	sessionsV2 = "/api/sessions/?listing_version=2"
)

func (l *lane) call(target string, headers ...string) *httptest.ResponseRecorder {
	l.Helper()
	return call(l, l.server.Handler(), http.MethodGet, target, "", headers...)
}

// window wants a good answer.
func (l *lane) window(target string) (w window) {
	l.Helper()
	rec := l.call(target, "Podium-Debug", "work")
	if rec.Code != http.StatusOK {
		l.Fatalf("%.200s: %d %s", target, rec.Code, rec.Body)
	}
	var body struct {
		Runs, Sessions []map[string]any
		Pagination     listing.Pagination
		Total          listing.Total
	}
	for _, into := range []any{&body, &w.raw} {
		if err := json.Unmarshal(rec.Body.Bytes(), into); err != nil {
			l.Fatal(err)
		}
	}
	if err := json.Unmarshal([]byte(rec.Header().Get("Podium-Listing-Work")), &w.work); err != nil {
		l.Fatal(err)
	}
	w.rows, w.page, w.total = append(body.Runs, body.Sessions...), body.Pagination, body.Total
	return w
}

// all follows a listing to its end.
func (l *lane) all(target string) (rows []map[string]any, windows []window) {
	l.Helper()
	w := l.window(target)
	for {
		rows, windows = append(rows, w.rows...), append(windows, w)
		if w.page.NextCursor == nil {
			return rows, windows
		}
		if len(windows) > 1000 {
			l.Fatal("the listing does not end")
		}
		w = l.window(w.next(target))
	}
}

func (l *lane) sql(statements string) {
	l.Helper()
	storetest.SQL(l, l.path, statements)
}

func (l *lane) value(query string) string {
	l.Helper()
	return storetest.Value(l, l.path, query)
}

// detail is the body of an error of version 2.
func detail(code listing.Code, message string, restart bool) string {
	return fmt.Sprintf(`{"detail":{"code":%q,"message":%q,"restart_required":%t}}`, string(code), message, restart)
}

// The seven bodies, word for word.
var (
	invalidRequest = detail("listing_request_invalid", "Invalid listing request.", false)
	cursorRequired = detail("listing_cursor_required", "Use a cursor beyond the compatibility offset limit.", false)
	filteredOffset = detail("listing_filtered_offset_unsupported", "Filtered listing must start at the beginning or use a cursor.", false)
	cursorInvalid  = detail("listing_cursor_invalid", "Invalid listing cursor.", true)
	cursorRestart  = detail("listing_cursor_restart_required", "Restart the listing from the beginning.", true)
	notReady       = detail("listing_not_ready", "Listing v2 is unavailable for this store.", false)
	storeOrder     = detail("listing_store_order_invalid", "Stored ordering values are unsupported.", false)
)

// refused wants an error with its exact body, and no cache to keep it.
func (l *lane) refused(target string, status int, body string) {
	l.Helper()
	rec := l.call(target)
	if rec.Code != status || rec.Body.String() != body {
		l.Errorf("%.120s: got %d %s\nwant %d %s", target, rec.Code, rec.Body, status, body)
	}
}

// refusedAll does that for many targets.
func (l *lane) refusedAll(status int, body string, targets ...string) {
	l.Helper()
	for _, target := range targets {
		l.refused(target, status, body)
	}
}

// count is how many ids of rows are there, and how often the most frequent.
func count(rows []map[string]any) (distinct, most int) {
	seen := map[string]int{}
	for _, r := range rows {
		id := r["id"].(string)
		seen[id]++
		most = max(most, seen[id])
	}
	return len(seen), most
}

func keysOf(m map[string]any) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}
