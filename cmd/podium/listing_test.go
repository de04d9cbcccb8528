package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"podium.local/store"
	"podium.local/store/storetest"
)

// listed makes a home with a store of n sessions and a keyring.
func listed(t *testing.T, n int) (home string) {
	t.Helper()
	home = t.TempDir()
	path := filepath.Join(home, "state.db")
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, path, storetest.Rows{Sessions: n, Tags: 1})
	if code, _, errs := runIn(t.Context(), home, "keyring", "rotate"); code != exitOK {
		t.Fatal(errs)
	}
	return home
}

// runIn runs a command line in a home.
func runIn(ctx context.Context, home string, args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	a := &app{in: strings.NewReader(""), out: &o, err: &e, environ: []string{"PODIUM_HOME=" + home, "HOME=" + home}}
	code = a.run(ctx, args)
	return code, o.String(), e.String()
}

func TestSessionsList_CursorsWorkOverHTTPAndBack(t *testing.T) {
	home := listed(t, 20)
	p := startStudio(t, home)
	type window struct {
		Runs, Sessions []struct{ ID string }
		Pagination     struct {
			NextCursor string `json:"next_cursor"`
		}
	}
	over := func(cursor string) (w window) {
		t.Helper()
		address := p.base + "/api/runs/?listing_version=2&per_page=3&tag=t0"
		if cursor != "" {
			address += "&cursor=" + url.QueryEscape(cursor)
		}
		status, _, body := request(t, http.MethodGet, address, "")
		if err := json.Unmarshal([]byte(body), &w); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		return w
	}
	shell := func(cursor string) (w window) {
		t.Helper()
		code, out, errs := runIn(t.Context(), home, "sessions", "list", "--json", "--limit", "4", "--tag", "t0", "--cursor", cursor)
		if err := json.Unmarshal([]byte(out), &w); err != nil || code != exitOK {
			t.Fatalf("%d %s %s", code, out, errs)
		}
		return w
	}
	a := over("")
	b := shell(a.Pagination.NextCursor)
	c := over(b.Pagination.NextCursor)
	var ids []string
	for _, w := range []window{a, b, c} {
		for _, r := range append(w.Runs, w.Sessions...) {
			ids = append(ids, r.ID)
		}
	}
	for i, id := range ids {
		if id != fmt.Sprintf("s%07d", 19-i) {
			t.Fatalf("listed %v", ids)
		}
	}
	if len(ids) != 10 {
		t.Errorf("%d rows", len(ids))
	}
}

// writerThen calls then after the first write.
type writerThen struct {
	io.Writer
	once sync.Once
	then func()
}

func (w *writerThen) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.once.Do(w.then)
	return n, err
}

func TestSessionsList_AllGoesToTheEndAndSaysWhereItWasInterrupted(t *testing.T) {
	home := listed(t, 30)
	code, out, errs := runIn(t.Context(), home, "sessions", "list", "--all", "--json", "--limit", "7")
	if lines := strings.Count(out, "\n"); code != exitOK || lines != 30 || errs != "" {
		t.Errorf("%d, %d lines, %s", code, lines, errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var first, notes strings.Builder
	a := &app{in: strings.NewReader(""), out: &writerThen{Writer: &first, then: cancel}, err: &notes, environ: []string{"PODIUM_HOME=" + home, "HOME=" + home}}
	if code := a.run(ctx, []string{"sessions", "list", "--all", "--limit", "7"}); code != exitCancelled {
		t.Errorf("interrupted, it exits with %d", code)
	}
	_, cursor, found := strings.Cut(strings.TrimSpace(notes.String()), "go on with --cursor ")
	if !found || strings.Count(first.String(), "\n") != 8 {
		t.Fatalf("%s\n%s", first.String(), notes.String())
	}
	code, out, _ = runIn(t.Context(), home, "sessions", "list", "--all", "--json", "--cursor", cursor)
	if code != exitOK || strings.Count(out, "\n") != 23 || !strings.HasPrefix(out, `{"id":"s0000022"`) {
		t.Errorf("the rest: %d, %d lines, %.60s", code, strings.Count(out, "\n"), out)
	}
}

func TestKeyring_IsMadeByWhatServesAndOnlyByThat(t *testing.T) {
	home := t.TempDir()
	ring := filepath.Join(home, "keyrings", "local.json")
	runIn(t.Context(), home, "sessions", "list")
	runIn(t.Context(), home, "store", "status")
	if matches, _ := filepath.Glob(filepath.Join(home, "keyrings", "*")); matches != nil {
		t.Fatalf("reading made %v", matches)
	}
	p := startStudio(t, home)
	if status, _, body := request(t, http.MethodGet, p.base+"/api/runs/?listing_version=2", ""); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	if matches, _ := filepath.Glob(ring); matches == nil {
		t.Error("the daemon made no keyring")
	}
}

// TestKeyring_TheCommandThatAnErrorNamesMendsIt follows the advice as it is
// printed.
func TestKeyring_TheCommandThatAnErrorNamesMendsIt(t *testing.T) {
	for _, tt := range []struct {
		name    string
		damaged string
		mode    os.FileMode
	}{
		{name: "missing"},
		{"cut", `{"version":1`, 0o600},
		{"readable by all", "", 0o644},
	} {
		for _, file := range []string{"", "other store's.db"} {
			t.Run(tt.name+" "+file, func(t *testing.T) {
				home := t.TempDir()
				path, flags := filepath.Join(home, "state.db"), []string{}
				if file != "" {
					path = filepath.Join(home, file)
					flags = []string{"--store", path}
				}
				if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
					t.Fatal(err)
				}
				list := append([]string{"sessions", "list"}, flags...)
				if tt.mode != 0 {
					if code, _, errs := runIn(t.Context(), home, append([]string{"keyring", "rotate"}, flags...)...); code != exitOK {
						t.Fatal(errs)
					}
					rings, _ := filepath.Glob(filepath.Join(home, "keyrings", "*.json"))
					if len(rings) != 1 {
						t.Fatal(rings)
					}
					if tt.damaged != "" {
						if err := os.WriteFile(rings[0], []byte(tt.damaged), tt.mode); err != nil {
							t.Fatal(err)
						}
					}
					if err := os.Chmod(rings[0], tt.mode); err != nil {
						t.Fatal(err)
					}
				}
				code, _, errs := runIn(t.Context(), home, list...)
				advice, want := "podium keyring rotate", []string{"keyring", "rotate"}
				if file != "" {
					advice += " --store '" + strings.ReplaceAll(path, "'", `'\''`) + "'"
					want = append(want, flags...)
				}
				if code != exitFailure || !strings.Contains(errs, advice+" m") || strings.Contains(errs, "adhoc.json") {
					t.Fatalf("%d %s, want %s", code, errs, advice)
				}
				for _, other := range [][]string{{"keyring", "status"}, {"keyring", "revoke", "abc"}} {
					if code, _, errs := runIn(t.Context(), home, append(other, flags...)...); code != exitFailure || !strings.Contains(errs, advice+" m") {
						t.Errorf("%s: %d %s", other, code, errs)
					}
				}
				code, _, errs = runIn(t.Context(), home, want...)
				if aside := strings.Contains(errs, ".json.damaged-"); code != exitOK || aside != (tt.mode != 0) {
					t.Fatalf("%d %s", code, errs)
				}
				if code, _, errs := runIn(t.Context(), home, list...); code != exitOK {
					t.Errorf("after the advice: %s", errs)
				}
			})
		}
	}
}

// TestSessionsList_JSONHasTheMembersThatAreDocumented compares both ways: what
// is printed, and what the table of the guide names.
func TestSessionsList_JSONHasTheMembersThatAreDocumented(t *testing.T) {
	code, out, errs := runIn(t.Context(), listed(t, 1), "sessions", "list", "--json")
	var window struct {
		Sessions          []map[string]any
		Pagination, Total map[string]any
	}
	if err := json.Unmarshal([]byte(out), &window); code != exitOK || err != nil || len(window.Sessions) != 1 || window.Pagination == nil || window.Total == nil {
		t.Fatalf("%v %s%s", err, out, errs)
	}
	guide, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(guide), "| `podium sessions list --json` | over HTTP | |\n|---|---|---|\n")
	if !found {
		t.Fatal("the guide has no table of the members")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var named []string
	for line := range strings.Lines(table) {
		for word := range strings.SplitSeq(strings.Split(line, "|")[1], ",") {
			named = append(named, strings.Trim(word, " `"))
		}
	}
	slices.Sort(named)
	if printed := slices.Sorted(maps.Keys(window.Sessions[0])); !slices.Equal(printed, named) {
		t.Errorf("printed %v\nnamed   %v", printed, named)
	}
	if _, help, _ := runIn(t.Context(), t.TempDir(), "sessions", "list", "--help"); strings.Contains(help, "with the words of the HTTP API") {
		t.Errorf("--help claims other members:\n%s", help)
	}
}

func TestSessionsList_ATimeInTheFutureIsShownAndIsNoUnknownOne(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	future := now.Add(48 * time.Hour)
	for _, tt := range []struct {
		at   time.Time
		want string
	}{{time.Time{}, "—"}, {now, "0s"}, {now.Add(-time.Minute), "1m 0s"}, {future, future.Local().Format(time.DateTime)}} {
		var out strings.Builder
		line := sessionLine{ID: "a", Name: "n", Status: "completed"}
		if !tt.at.IsZero() {
			at := float64(tt.at.Unix())
			line.UpdatedAt = &at
		}
		if err := printLines(&out, now, []sessionLine{line}, false); err != nil || !strings.HasPrefix(out.String(), tt.want+" ") {
			t.Errorf("%s: %q %v", tt.at, out.String(), err)
		}
	}
}
