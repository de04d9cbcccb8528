package studio_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"podium.local/store/storetest"
)

// ordered are rows of every kind that an order tells apart.
var ordered = stored(
	[3]string{"'t-late'", "50", "0"}, [3]string{"'t-tie-a'", "40", "2"}, [3]string{"'t-tie-b'", "40", "2"}, [3]string{"'t-tie-c'", "40", "NULL"},
	[3]string{"'t-zero'", "0", "9"}, [3]string{"'t-below'", "-3", "-1"}, [3]string{"'n-a'", "NULL", "2"}, [3]string{"'n-b'", "NULL", "NULL"}, [3]string{"'n-c'", "NULL", "NULL"},
)

const (
	inRecent = "t-late t-tie-c t-tie-b t-tie-a t-zero t-below n-c n-b n-a"
	inCost   = "t-zero t-tie-b t-tie-a n-a t-late t-below t-tie-c n-c n-b"
)

func recentIsTotal(t *testing.T) {
	l := newLane(t, ordered)
	for _, path := range []string{runsV2, sessionsV2} {
		if got := l.window(path).ids(); got != inRecent {
			t.Errorf("%s", got)
		}
	}
}

func costIsTotal(t *testing.T) {
	l := newLane(t, ordered)
	for _, path := range []string{runsV2, sessionsV2} {
		if got := l.window(path + "&sort=cost").ids(); got != inCost {
			t.Errorf("%s", got)
		}
	}
}

func storedValuesOrder(t *testing.T) {
	l := newLane(t, ordered+"; UPDATE sessions SET provider = 'codex' WHERE id = 't-zero'")
	first := l.window(runsV2 + "&sort=cost").rows[0]
	if first["id"] != "t-zero" || first["total_cost_usd"] != nil {
		t.Errorf("%v costs %v", first["id"], first["total_cost_usd"])
	}
	// NULL is shown as 0.0 and is behind a time that is 0, and behind negative ones.
	rows := l.window(runsV2).rows
	if last := rows[len(rows)-1]; last["id"] != "n-a" || last["updated_at"] != 0.0 {
		t.Errorf("%v at %v", last["id"], last["updated_at"])
	}
}

// continues walks in pages of every size, so that every row is a frontier once.
func continues(t *testing.T, rows, target, want string) {
	t.Helper()
	l := newLane(t, rows)
	for size := 1; size <= 5; size++ {
		for _, path := range []string{runsV2 + fmt.Sprintf("&per_page=%d", size), sessionsV2 + fmt.Sprintf("&limit=%d", size)} {
			got, windows := l.all(path + target)
			if ids(got) != want {
				t.Errorf("in pages of %d: %s\nwant %s", size, ids(got), want)
			}
			if n := len(strings.Fields(want)); len(windows) != (n+size-1)/size {
				t.Errorf("%d windows of %d for %d rows", len(windows), size, n)
			}
		}
	}
}

func recentBoundaries(t *testing.T) { continues(t, ordered, "", inRecent) }

func costBoundaries(t *testing.T) {
	continues(t, ordered, "&sort=cost", inCost)
	continues(t, stored([3]string{"'a'", "1", "NULL"}, [3]string{"'b'", "1", "NULL"}, [3]string{"'c'", "NULL", "NULL"}), "&sort=cost", "b a c")
}

func deletedFrontier(t *testing.T) {
	for _, sort := range []string{"recent", "cost"} {
		l := newLane(t, numbered(12))
		target := runsV2 + "&per_page=3&sort=" + sort
		all, _ := l.all(target)
		w := l.window(target)
		l.sql("DELETE FROM branches WHERE session_id = '" + w.rows[2]["id"].(string) + "'; DELETE FROM sessions WHERE id = '" + w.rows[2]["id"].(string) + "'")
		rest, _ := l.all(w.next(target))
		if got := ids(append(w.rows, rest...)); got != ids(all) {
			t.Errorf("%s: %s\nwant %s", sort, got, ids(all))
		}
	}
}

func branchesShareAllowance(t *testing.T) {
	// Rows in every branch behind the frontier, more than the window in each.
	var b strings.Builder
	b.WriteString("INSERT INTO progressions (id, created_at) VALUES ('p', 1)")
	for i, part := range []string{"40, 2", "40, NULL", "NULL, 2", "NULL, NULL", "20, 1", "20, NULL"} {
		fmt.Fprintf(&b, "; WITH RECURSIVE n(n) AS (VALUES (10) UNION ALL SELECT n + 1 FROM n WHERE n < 24) INSERT INTO sessions (id, created_at, updated_at, total_cost_usd, progression_id) SELECT '%c' || n, 1, %s, 'p' FROM n", 'a'+i, part)
	}
	l := newLane(t, b.String())
	for _, sort := range []string{"recent", "cost"} {
		rows, windows := l.all(runsV2 + "&per_page=500&sort=" + sort)
		if distinct, most := count(rows); distinct != 90 || most != 1 {
			t.Errorf("%s: %d rows, one of them %d times", sort, distinct, most)
		}
		for i, w := range windows {
			if w.page.ExaminedCandidates != smallWindow || w.work.KeysVisited > smallWindow+1 {
				t.Errorf("%s, window %d: %+v", sort, i, w.work)
			}
		}
	}
}

func insertsBefore(t *testing.T) {
	l := newLane(t, numbered(9))
	target := runsV2 + "&per_page=3"
	w := l.window(target)
	l.sql("INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('new', 1, 99999, 'p'), ('s0000z', 1, 9000, 'p')")
	rest, _ := l.all(w.next(target))
	if got := ids(rest); got != "s0003 s0004 s0005 s0006 s0007 s0008" {
		t.Errorf("%s", got)
	}
}

func insertsAfter(t *testing.T) {
	l := newLane(t, numbered(9))
	target := runsV2 + "&per_page=3"
	w := l.window(target)
	l.sql("INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('new', 1, 8996.5, 'p'), ('last', 1, NULL, 'p')")
	rest, _ := l.all(w.next(target))
	if got := ids(rest); got != "s0003 new s0004 s0005 s0006 s0007 s0008 last" {
		t.Errorf("%s", got)
	}
}

func movedRows(t *testing.T) {
	l := newLane(t, numbered(9))
	target := runsV2 + "&per_page=3"
	w := l.window(target)
	l.sql("UPDATE sessions SET updated_at = 99999 WHERE id = 's0005'; UPDATE sessions SET updated_at = 8994.5 WHERE id = 's0001'")
	rest, _ := l.all(w.next(target))
	if got := ids(append(w.rows, rest...)); got != "s0000 s0001 s0002 s0003 s0004 s0001 s0006 s0007 s0008" {
		t.Errorf("%s", got)
	}
}

func refreshShowsNewer(t *testing.T) {
	l := newLane(t, numbered(9))
	w := l.window(runsV2 + "&per_page=3")
	l.sql("INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('new', 1, 99999, 'p')")
	if got := l.window(w.next(runsV2 + "&per_page=3")).ids(); strings.Contains(got, "new") {
		t.Errorf("the old chain shows %s", got)
	}
	if got := l.window(runsV2 + "&per_page=3").ids(); got != "new s0000 s0001" {
		t.Errorf("a new chain shows %s", got)
	}
}

func exactNumbers(t *testing.T) {
	values := []string{"1.7976931348623157e308", "9007199254740993", "9007199254740992", "0.30000000000000004", "0.3", "5e-324", "-0.0", "-5e-324", "-1.7976931348623157e308"}
	// Without an affinity integers stay integers, beside the floats they are not
	// equal to.
	for name, affinity := range map[string]string{"real": "", "none": `PRAGMA writable_schema = ON;
		UPDATE sqlite_schema SET sql = replace(replace(sql, 'updated_at                 REAL', 'updated_at'), 'total_cost_usd             REAL', 'total_cost_usd') WHERE name = 'sessions'; PRAGMA writable_schema = RESET;`} {
		l := newLane(t, "")
		if affinity != "" {
			l.sql(affinity)
			if got := l.value("SELECT type FROM pragma_table_info('sessions') WHERE name = 'updated_at'"); got != "" {
				t.Fatalf("the column still is %s", got)
			}
		}
		var rows [][3]string
		for i, v := range values {
			for _, half := range []string{"a", "b"} {
				rows = append(rows, [3]string{fmt.Sprintf("'%d%s'", i, half), v, v})
			}
		}
		l.sql(stored(rows...))
		for _, sort := range []string{"recent", "cost"} {
			// In pages of one every value goes through a cursor.
			got, _ := l.all(runsV2 + "&per_page=1&sort=" + sort)
			by := "updated_at DESC, id DESC"
			if sort == "cost" {
				by = "total_cost_usd DESC, " + by
			}
			want := l.value("SELECT group_concat(id, ' ') FROM (SELECT id FROM sessions ORDER BY " + by + ")")
			if ids(got) != want {
				t.Errorf("%s, %s: %s\nwant %s", name, sort, ids(got), want)
			}
		}
		if name == "none" {
			w := l.window(runsV2 + "&per_page=3")
			text, err := base64.RawURLEncoding.DecodeString(strings.Split(*w.page.NextCursor, ".")[2])
			if err != nil || !strings.Contains(string(text), `["i","9007199254740993"]`) {
				t.Errorf("%s %v", text, err)
			}
		}
	}
}

func orderIsStated(t *testing.T) {
	// The rows lie in the file in another order than in the listing.
	l := newLane(t, numbered(9))
	var order []string
	for _, i := range []int{4, 1, 7, 0, 8, 2, 5, 3, 6} {
		order = append(order, fmt.Sprintf("UPDATE sessions SET rowid = %d WHERE id = 's%04d'", 100+len(order), i))
	}
	l.sql(strings.Join(order, ";"))
	for path, want := range map[string]string{
		runsV2:                "s0000 s0001 s0002 s0003 s0004 s0005 s0006 s0007 s0008",
		runsV2 + "&sort=cost": "s0002 s0005 s0008 s0001 s0004 s0007 s0000 s0003 s0006",
	} {
		l.call(path) // learns the schema, which sorts too
		w := l.window(path)
		if w.ids() != want {
			t.Errorf("%s: %s", path, w.ids())
		}
		// The sort is one of the returned rows, of no more.
		if w.work.Sorts != 1 {
			t.Errorf("%s: %d sorts", path, w.work.Sorts)
		}
	}
}

func unsupportedKeys(t *testing.T) {
	for name, bad := range map[string]string{
		"text time": "UPDATE sessions SET updated_at = 'soon' WHERE id = 's0000'", "bytes as a time": "UPDATE sessions SET updated_at = x'00' WHERE id = 's0000'",
		"infinite time": "UPDATE sessions SET updated_at = 9e999 WHERE id = 's0000'", "empty id": "UPDATE sessions SET id = '' WHERE id = 's0000'",
		"bytes as an id": "UPDATE sessions SET id = x'ff' WHERE id = 's0000'", "no id": "UPDATE sessions SET id = NULL WHERE id = 's0000'",
		"a long id": "UPDATE sessions SET id = printf('%.*c', 5000, 'x') WHERE id = 's0000'",
	} {
		l := newLane(t, numbered(15)+"; DELETE FROM branches; "+bad)
		for _, target := range []string{runsV2, sessionsV2, sessionsV2 + "&offset=1", sessionsV2 + "&limit=1"} {
			l.refused(target, 409, storeOrder)
		}
		if rec := l.call("/api/runs/"); rec.Code != 200 && !strings.Contains(name, "time") {
			t.Errorf("%s: version 1 answers %d", name, rec.Code)
		}
	}
	// As lookahead, and not outside the window. Minus infinity is the last number.
	l := newLane(t, numbered(15)+"; UPDATE sessions SET updated_at = -9e999 WHERE id = 's0014'")
	w := l.window(runsV2 + "&per_page=13")
	if len(w.rows) != smallWindow {
		t.Fatalf("%d rows", len(w.rows))
	}
	l.window(w.next(runsV2 + "&per_page=3"))
	l.refused(w.next(runsV2+"&per_page=4"), 409, storeOrder)
	// A cost is looked at in its own order only.
	l = newLane(t, numbered(3)+"; UPDATE sessions SET total_cost_usd = 'dear' WHERE id = 's0001'")
	l.refused(runsV2+"&sort=cost", 409, storeOrder)
	if got := l.window(runsV2).ids(); got != "s0000 s0001 s0002" {
		t.Errorf("%s", got)
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(storetest.Value(t, l.path, "SELECT json_group_array(json_object('id', id)) FROM sessions")), &rows); err != nil || len(rows) != 3 || !slices.IsSorted(strings.Fields(ids(rows))) {
		t.Errorf("the rows are as they were: %v %v", rows, err)
	}
}
