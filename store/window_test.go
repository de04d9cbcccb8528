package store_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// branchOf makes a store of lionagi's whose session s has the one branch b with
// these members, and messages for those of them that have is true for.
func branchOf(t testing.TB, members []string, have func(string) bool) *store.View {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, `INSERT INTO progressions VALUES ('p', 1, '[]');
		INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('s', 1, 1, 'p');
		INSERT INTO branches (id, created_at, session_id, progression_id) VALUES ('b', 1, 's', 'p')`)
	setMembers(t, path, members)
	for i, id := range slices.Compact(slices.Sorted(slices.Values(members))) {
		if have(id) {
			c := storetest.Dial(t, path)
			raw, err := json.Marshal([]any{id, i})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Exec("INSERT INTO messages (id, created_at, content, role, lion_class) SELECT v ->> 0, v ->> 1, '\"x\"', 'user', 2 FROM (SELECT '" + string(raw) + "' AS v)"); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return newView(t, path)
}

func setMembers(t testing.TB, path string, members []string) {
	t.Helper()
	raw, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	storetest.SQL(t, path, "UPDATE progressions SET collection = '"+string(raw)+"'")
}

// walkBack reads all windows of the branch and returns its messages in order.
func walkBack(t testing.TB, v *store.View, members, limit int) (ids []string, windows int) {
	t.Helper()
	w := session.Window{Limit: limit}
	for windows = 1; ; windows++ {
		d, err := v.SessionDetail(t.Context(), "s", w)
		if err != nil {
			t.Fatal(err)
		}
		var part []string
		for _, m := range d.Branches[0].Messages {
			part = append(part, m.ID)
		}
		ids = append(part, ids...)
		if d.Branches[0].HasOlder != (len(d.NextAnchors) > 0) {
			t.Fatalf("older %t, anchors %v", d.Branches[0].HasOlder, d.NextAnchors)
		}
		if len(d.NextAnchors) == 0 {
			return ids, windows
		}
		if windows > members {
			t.Fatalf("no end after %d windows of %d members: %v", windows, members, d.NextAnchors)
		}
		w.Anchors = d.NextAnchors
	}
}

func TestWindow_PrunedMembersAreNoOlderMessages(t *testing.T) {
	for _, tt := range []struct {
		name    string
		members []string
		limit   int
		windows int
	}{
		{"inside the window", []string{"m000", "m001", "gone", "m002"}, 5, 1},
		{"a window as large as the branch", []string{"m000", "m001", "gone", "m002"}, 4, 1},
		{"in front of the window", []string{"gone", "gone2", "m000", "m001"}, 2, 1},
		{"behind one older message", []string{"m000", "gone", "m001"}, 2, 2},
		{"nothing else", []string{"gone", "gone2"}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			there := func(id string) bool { return id[0] == 'm' }
			v := branchOf(t, tt.members, there)
			ids, windows := walkBack(t, v, len(tt.members), tt.limit)
			want := slices.DeleteFunc(slices.Clone(tt.members), func(id string) bool { return !there(id) })
			if !slices.Equal(ids, want) || windows != tt.windows {
				t.Errorf("%v in %d windows, want %v in %d", ids, windows, want, tt.windows)
			}
		})
	}
}

func TestWindow_EveryMemberIsReachedWhereIdsComeTwice(t *testing.T) {
	for _, members := range [][]string{
		{"x", "a", "b", "c", "a", "d"}, {"x", "a", "b", "c", "a"}, {"a", "a", "a"}, {"", "a", "", "b"}, {"@newest", "a", "@1@a", "b", "a"},
	} {
		v := branchOf(t, members, func(string) bool { return true })
		for limit := 1; limit <= len(members); limit++ {
			if ids, _ := walkBack(t, v, len(members), limit); !slices.Equal(ids, members) {
				t.Errorf("by %d: %q, want %q", limit, ids, members)
			}
		}
	}
}

func TestWindow_AWalkBackSeesWhatIsThereOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, `INSERT INTO progressions VALUES ('p', 1, '[]');
		INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('s', 1, 1, 'p');
		INSERT INTO branches (id, created_at, session_id, progression_id) VALUES ('b', 1, 's', 'p');
		INSERT INTO messages (id, created_at, content, role, lion_class) VALUES ('a', 1, '"x"', 'user', 2), ('b', 2, '"x"', 'user', 2), ('@0@a', 3, '"x"', 'user', 2)`)
	v := newView(t, path)
	store.SetRowBudget(v, 3)
	rapid.Check(t, func(r *rapid.T) {
		members := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "@0@a", "gone", "lost"}), 1, 9).Draw(r, "members")
		setMembers(t, path, members)
		ids, _ := walkBack(t, v, len(members), rapid.IntRange(1, 5).Draw(r, "limit"))
		want := slices.DeleteFunc(slices.Clone(members), func(id string) bool { return id == "gone" || id == "lost" })
		if !slices.Equal(ids, want) {
			r.Fatalf("%q, want %q", ids, want)
		}
	})
}
