package transcript_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

// drawn is a generated vendor's folder: the text of every file.
type drawn struct {
	tool  transcript.Tool
	files map[string]string
}

func (d drawn) names() []string {
	var names []string
	for name := range d.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func vendorUUID(n int) string { return fmt.Sprintf("%08d-1111-4111-8111-111111111111", n) }

// drawClaude draws a few sessions with repeated requests, damage, odd line
// ends, unknown kinds, subagents, forks, and copies that went their own way.
func drawClaude(t *rapid.T) drawn {
	d := drawn{transcript.ClaudeCode, map[string]string{}}
	chains := map[int][]string{}
	for k := range rapid.IntRange(1, 4).Draw(t, "sessions") {
		id := vendorUUID(k)
		var lines []string
		start := 1000 * k
		if k > 0 && rapid.Bool().Draw(t, "fork") {
			from := rapid.IntRange(0, k-1).Draw(t, "from")
			n := rapid.IntRange(0, len(chains[from])).Draw(t, "copied")
			for _, l := range chains[from][:n] {
				lines = append(lines, strings.ReplaceAll(l, vendorUUID(from), id))
			}
		}
		for i := range rapid.IntRange(1, 12).Draw(t, "lines") {
			lines = append(lines, drawLine(t, id, start+i*3))
		}
		chains[k] = lines
		d.files["projects/p/"+id+".jsonl"] = strings.Join(lines, "")
		if rapid.IntRange(0, 3).Draw(t, "copy") == 0 {
			n := rapid.IntRange(0, len(lines)).Draw(t, "shared")
			own := ""
			if rapid.Bool().Draw(t, "diverges") {
				own = drawLine(t, id, start+500)
			}
			d.files["projects/backup/"+id+".jsonl"] = strings.Join(lines[:n], "") + own
		}
	}
	return d
}

func drawLine(t *rapid.T, id string, n int) string {
	end := rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "end")
	var f fields
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"{broken", "[1]", "\x00\x00", "no json at all", "{\"type\":\"user\"garbage}", "\xff\xfe"}).Draw(t, "damage") + end
	case 1, 2:
		f = said(id, n, rapid.SampledFrom([]string{"fix it", "<command-name>/x</command-name>", "日本語", "a\xffb"}).Draw(t, "text"))
	case 3, 4, 5:
		f = answer(id, n, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "message")+id, rapid.IntRange(0, 50).Draw(t, "output"), textBlock("ok"))
		if rapid.IntRange(0, 4).Draw(t, "unpriced") == 0 {
			f["message"].(fields)["model"] = "unpriced"
		}
	case 6:
		f = result(id, n, "toolu", "out\nput")
	case 7:
		f = rapid.SampledFrom([]fields{
			{"type": "hologram", "sessionId": id, "timestamp": clockAt(n)}, {"a": 1, "timestamp": clockAt(n)},
			cxMessage(n, "user", "of another program"),
		}).Draw(t, "unknown")
	case 8:
		f = fields{"type": "custom-title", "customTitle": fmt.Sprint("title ", n), "sessionId": id}
	case 9:
		f = with(said(id, n, "inside"), fields{"isSidechain": true, "agentId": rapid.SampledFrom([]string{"x", ""}).Draw(t, "agent")})
	}
	return strings.TrimSuffix(line(f), "\n") + end
}

// drawCodex draws a few rollouts, some forked from one before: they begin with a
// copy of its lines, stamped anew.
func drawCodex(t *rapid.T) drawn {
	d := drawn{transcript.Codex, map[string]string{}}
	var all [][]fields
	for k := range rapid.IntRange(1, 4).Draw(t, "sessions") {
		id, start := vendorUUID(k), 1000*k
		meta := cxMeta(start, id, nil)
		var lines []fields
		if k > 0 && rapid.Bool().Draw(t, "fork") {
			from := rapid.IntRange(0, k-1).Draw(t, "from")
			meta = cxMeta(start, id, fields{"forked_from_id": vendorUUID(from)})
			for _, l := range append([]fields{cxMeta(start, vendorUUID(from), nil)}, all[from]...) {
				lines = append(lines, with(l, fields{"timestamp": clockAt(start)}))
			}
			if rapid.Bool().Draw(t, "went on") {
				lines = append(lines, cxTurn(start+1, fmt.Sprint("own", k)))
			}
		}
		for i := range rapid.IntRange(0, 12).Draw(t, "lines") {
			n := start + i + 2
			lines = append(lines, rapid.SampledFrom([]fields{
				cxTurn(n, fmt.Sprint("t", n)), cxMessage(n, "user", "fix it"), cxMessage(n, "assistant", "ok"),
				cxTokens(n, 10, 4, n%7, n/3), nil, cx(n, "novelty", fields{"x": 1}), cx(n, "compacted", fields{"message": "so far"}),
			}).Draw(t, "line"))
		}
		lines = slices.DeleteFunc(lines, func(l fields) bool {
			return l == nil && rapid.Bool().Draw(t, "whole")
		})
		text := line(meta)
		if rapid.IntRange(0, 3).Draw(t, "strange") == 0 { // what begins the file, or all of it
			text = line(fields{"a": 1, "timestamp": clockAt(start)}) + "{broken\n" + line(said(id, start, "of another program"))
			if rapid.Bool().Draw(t, "own") {
				text += line(meta)
			} else {
				lines = nil
			}
		}
		for _, l := range lines {
			if l == nil {
				text += "{broken\n"
				continue
			}
			text += line(l)
		}
		d.files[rollout+id+".jsonl"] = text
		all = append(all, slices.DeleteFunc(slices.Clone(lines), func(l fields) bool { return l == nil }))
	}
	return d
}

func draw(t *rapid.T) drawn {
	if rapid.Bool().Draw(t, "codex") {
		return drawCodex(t)
	}
	return drawClaude(t)
}

// scene is a drawn folder on disk and a store for it.
type scene struct {
	t    rapid.TB
	tree tree
	s    *store.Store
}

// empty is the text of a store that holds nothing.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "podium-empty-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "state.db")
	s, err := store.Create(context.Background(), path, store.Options{Now: options("", "").Now})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// newScene makes an empty folder at dir, always the same so that stores can be
// compared, and an empty store.
func newScene(t *testing.T, rt *rapid.T, dir string) *scene {
	text, err := empty()
	if err != nil {
		rt.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "vendor"), 0o700)); err != nil {
		rt.Fatal(err)
	}
	path := filepath.Join(dir, "state.db")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		rt.Fatal(err)
	}
	s, err := store.Open(t.Context(), path, store.Options{Bulk: true, Now: options("", "").Now})
	if err != nil {
		rt.Fatal(err)
	}
	return &scene{rt, tree{t, filepath.Join(dir, "vendor")}, s}
}

func (sc *scene) importAll(tool transcript.Tool) { sc.importAt(tool, sc.tree.dir) }

func (sc *scene) importAt(tool transcript.Tool, dir string) {
	if _, err := transcript.Import(context.Background(), sc.s, options(tool, dir)); err != nil {
		sc.t.Fatal(err)
	}
}

// end gives what the store holds and closes it.
func (sc *scene) end(t *testing.T) []string {
	r, err := sc.s.Check(t.Context(), store.CheckOptions{})
	if err != nil {
		sc.t.Fatal(err)
	}
	for _, p := range r.Problems {
		sc.t.Errorf("%s: %s: %s", p.Code, p.Subject, p.Text)
	}
	out := dump(t, sc.s)
	if err := sc.s.Close(); err != nil {
		sc.t.Fatal(err)
	}
	return out
}

// once imports the whole folder in one go.
func once(t *testing.T, rt *rapid.T, dir string, d drawn) []string {
	sc := newScene(t, rt, dir)
	for _, name := range d.names() {
		sc.tree.put(name, d.files[name])
		sc.tree.touch(name, 1000)
	}
	sc.importAll(d.tool)
	return sc.end(t)
}

func TestImport_AnySplitOfAppendsEqualsOneImport(t *testing.T) {
	dir := newTree(t).dir
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		want := once(t, rt, dir, d)
		sc := newScene(t, rt, dir)
		at := map[string]int{}
		for step := range rapid.IntRange(1, 4).Draw(rt, "steps") {
			for _, name := range d.names() {
				at[name] = rapid.IntRange(at[name], len(d.files[name])).Draw(rt, "cut")
				sc.tree.put(name, d.files[name][:at[name]])
				sc.tree.touch(name, step)
			}
			sc.importAll(d.tool)
		}
		for _, name := range d.names() {
			sc.tree.put(name, d.files[name])
			sc.tree.touch(name, 1000)
		}
		sc.importAll(d.tool)
		if diff := cmp.Diff(want, sc.end(t)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestImport_AnyOrderOfFilesGivesTheSameStore(t *testing.T) {
	dir := newTree(t).dir
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		want := once(t, rt, dir, d)
		sc := newScene(t, rt, dir)
		for _, name := range rapid.Permutation(d.names()).Draw(rt, "order") {
			path := sc.tree.put(name, d.files[name])
			sc.tree.touch(name, 1000)
			sc.importAt(d.tool, path)
		}
		if diff := cmp.Diff(want, sc.end(t)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestImport_TwiceChangesNothing(t *testing.T) {
	dir := newTree(t).dir
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		want := once(t, rt, dir, d)
		s, err := store.Open(t.Context(), filepath.Join(dir, "state.db"), store.Options{Now: options("", "").Now})
		if err != nil {
			rt.Fatal(err)
		}
		sc := &scene{rt, tree{t, filepath.Join(dir, "vendor")}, s}
		version := func() string { return storetest.Value(t, s.Path(), "PRAGMA data_version") }
		before := version()
		sc.importAll(d.tool)
		if after := version(); after != before {
			rt.Fatalf("the second import wrote: %s, then %s", before, after)
		}
		// With the ledger forgotten everything is read again and known.
		if _, err := s.ImportForget(t.Context(), sc.tree.dir); err != nil {
			rt.Fatal(err)
		}
		sc.importAll(d.tool)
		if diff := cmp.Diff(want, sc.end(t)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestImport_DaysSumToTheTotal(t *testing.T) {
	dir := newTree(t).dir
	rapid.Check(t, func(rt *rapid.T) {
		once(t, rt, dir, draw(rt))
		got := storetest.Value(t, filepath.Join(dir, "state.db"), `SELECT
			abs((SELECT coalesce(sum(priced_usd), 0) FROM usage_quarter) - (SELECT coalesce(sum(cost_usd), 0) FROM usage_records)) < 1e-9 AND
			abs((SELECT coalesce(sum(priced_usd), 0) FROM usage_quarter) - (SELECT coalesce(sum(total_cost_usd), 0) FROM sessions)) < 1e-9 AND
			(SELECT coalesce(sum(priced_n + unpriced_n), 0) FROM usage_quarter) = (SELECT count(*) FROM usage_records) AND
			(SELECT coalesce(sum(sessions_started), 0) FROM usage_quarter) = (SELECT count(*) FROM sessions)`)
		if got != "1" {
			rt.Fatal("the quarters do not sum to the total")
		}
	})
}
