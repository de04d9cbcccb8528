package store_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"podium.local/listing"
)

func text(t *rapid.T, label string, words ...string) *string {
	i := rapid.IntRange(-1, len(words)-1).Draw(t, label)
	if i < 0 {
		return nil
	}
	return &words[i]
}

var metadata = map[string]bool{ // and whether it makes a mirror
	"": false, "{}": false, "null": false, `{"engine_parent_run_id":"r"}`: true, `{"engine_parent_run_id":null}`: false, "not json": false,
	`[{"engine_parent_run_id":"r"}]`: false, `{"engine_parent_run_id":""}`: true, `{"engine_parent_run_id":0}`: true, `{"engine_parent_run_id":"r"`: false,
	`"text"`: false, `{"a":{"engine_parent_run_id":"r"}}`: false, `{engine_parent_run_id:'r'}`: true,
}

var collections = map[string]int64{`["a","b","a"]`: 3, `[]`: 0, `not json`: 0, `{"a":1}`: 0, `["a"`: 0, `[1,2]`: 2}

func (m *model) drawRow(t *rapid.T, broken bool) modelRow {
	m.next++
	r := modelRow{key: m.next}
	for {
		id := rapid.SampledFrom([]string{"s%d", "S%d", "a/b %d", "%%%d", " %d", "é%d", "日本%d", "\xff%d", "\"%d\"", strings.Repeat("x", 1000) + "%d"}).Draw(t, "id")
		id = fmt.Sprintf(id, rapid.IntRange(0, 99).Draw(t, "number"))
		if !m.used[id] {
			m.used[id] = true
			r.id = id
			break
		}
	}
	number := func(label string) any {
		switch rapid.IntRange(0, 4).Draw(t, label) {
		case 0:
			return nil
		case 1:
			return rapid.SampledFrom([]float64{0.1 + 0.2, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, -0.5}).Draw(t, label)
		default:
			return float64(rapid.IntRange(-1, 2).Draw(t, label))
		}
	}
	r.cost, r.time = number("cost"), number("time")
	if broken {
		bad := rapid.SampledFrom([]any{"text", []byte("bytes"), math.Inf(1), math.Inf(-1)}).Draw(t, "bad value")
		switch rapid.IntRange(0, 3).Draw(t, "bad column") {
		case 0:
			r.cost = bad
		case 1:
			r.time = bad
		case 2:
			r.id = []byte(r.id.(string))
		case 3:
			r.id = nil
		}
	}
	r.status = text(t, "status", "completed", "failed", "running", "", "finished")
	r.kind = text(t, "kind", "agent", "play", "show-play", "engine")
	r.project = text(t, "project", "a", "A", "")
	r.name = text(t, "name", "Fix 50% of it", "job_1", `back\slash`, "Äpfel", "äpfel", "", "FIX")
	r.agent = text(t, "agent", "Fixer", "job-1")
	r.playbook = text(t, "playbook", "Release", "re_lease")
	r.metadata = text(t, "metadata", slices.Sorted(mapsKeys(metadata))...)
	r.mirror = r.metadata != nil && metadata[*r.metadata]
	r.collection = rapid.SampledFrom(slices.Sorted(mapsKeys(collections))).Draw(t, "collection")
	r.messages = collections[r.collection]
	if _, ok := r.id.(string); ok {
		for _, tag := range []string{"t0", "t1", "", "ä"} {
			if rapid.Bool().Draw(t, "tag") {
				r.tags = append(r.tags, tag)
			}
		}
		slices.Sort(r.tags)
	}
	return r
}

func mapsKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func drawFilter(t *rapid.T) listing.Filter {
	var s listing.Selection
	some := func(label string, words ...string) []string {
		if rapid.IntRange(0, 2).Draw(t, label) > 0 {
			return nil
		}
		return rapid.SliceOfN(rapid.SampledFrom(words), 0, 3).Draw(t, label)
	}
	one := func(label string, words ...string) string {
		if rapid.IntRange(0, 2).Draw(t, label) > 0 {
			return ""
		}
		return rapid.SampledFrom(words).Draw(t, label)
	}
	s.Statuses = some("statuses", "completed", "failed", "done", "", "nonsense")
	s.Kinds = some("kinds", "agent", "play", "show")
	s.Tags = some("tags", "t0", "t1", "", "none")
	s.Search = one("search", "fix", "50%", "_", `\`, "ä", "Ä", "job")
	s.Playbook = one("playbook", "RE", "e_l")
	s.Project = one("project", "a", "A")
	s.ProjectNull = rapid.IntRange(0, 5).Draw(t, "no project") == 0
	f, err := s.Filter()
	if err != nil {
		t.Fatal(err)
	}
	return f
}
