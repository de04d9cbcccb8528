package listing_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"podium.local/listing"
)

func filterOf(t testing.TB, s listing.Selection) listing.Filter {
	t.Helper()
	f, err := s.Filter()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFilter_EquivalentSelectionsShareAFingerprint(t *testing.T) {
	for name, pair := range map[string][2]listing.Selection{
		"order":                       {{Statuses: []string{"a", "b"}}, {Statuses: []string{"b", "a"}}},
		"repetition":                  {{Tags: []string{"x", "x"}}, {Tags: []string{"x"}}},
		"alias":                       {{Statuses: []string{"done"}}, {Statuses: []string{"finished", "success", "completed", "done"}}},
		"both spellings":              {{Statuses: []string{"canceled"}}, {Statuses: []string{"cancelled"}}},
		"no project wins":             {{ProjectNull: true, Project: "x"}, {ProjectNull: true}},
		"empty is nothing":            {{}, {Search: "", Project: "", Playbook: ""}},
		"kind twice":                  {{Kinds: []string{"show", "agent", "show"}}, {Kinds: []string{"agent", "show"}}},
		"timeout in either spelling":  {{Statuses: []string{"timeout"}}, {Statuses: []string{"timed_out"}}},
		"alias beside its expansion":  {{Statuses: []string{"pending", "prepared"}}, {Statuses: []string{"pending"}}},
		"aborted and what it expands": {{Statuses: []string{"aborted"}}, {Statuses: []string{"aborted", "aborted_after_finish"}}},
	} {
		a, b := filterOf(t, pair[0]).Fingerprint(), filterOf(t, pair[1]).Fingerprint()
		if a != b || len(a) != 43 {
			t.Errorf("%s: %s and %s", name, a, b)
		}
	}
}

func TestFilter_DifferentSelectionsDoNot(t *testing.T) {
	all := []listing.Selection{
		{}, {Search: "x"}, {Search: "X"}, {Search: "x "}, {Playbook: "x"}, {Project: "x"}, {ProjectNull: true},
		{Statuses: []string{"completed"}}, {Statuses: []string{"done"}}, {Statuses: []string{""}}, {Tags: []string{""}}, {Tags: []string{"x"}},
		{Tags: []string{"x", "y"}}, {Kinds: []string{"play"}}, {Kinds: []string{"play", "flow"}}, {Statuses: []string{"x"}}, {Tags: []string{"x,y"}},
	}
	seen := map[string]int{}
	for i, s := range all {
		print := filterOf(t, s).Fingerprint()
		if j, taken := seen[print]; taken {
			t.Errorf("%+v and %+v share a fingerprint", all[j], s)
		}
		seen[print] = i
	}
}

func TestFilter_ShufflingAndRepeatingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"done", "running", "canceled", "timeout", "", "x", "ä", "a\"b"})
		s := listing.Selection{Statuses: rapid.SliceOfN(word, 0, 6).Draw(t, "statuses"), Tags: rapid.SliceOfN(word, 0, 6).Draw(t, "tags")}
		a, err := s.Filter()
		if err != nil {
			t.Fatal(err)
		}
		s.Statuses = append(rapid.Permutation(s.Statuses).Draw(t, "shuffled"), s.Statuses...)
		s.Tags = append(rapid.Permutation(s.Tags).Draw(t, "shuffled"), s.Tags...)
		b, err := s.Filter()
		if err != nil || a.Fingerprint() != b.Fingerprint() || !slices.IsSorted(a.Statuses) || !slices.IsSorted(a.Tags) {
			t.Fatalf("%+v and %+v, %v", a, b, err)
		}
	})
}

func TestFilter_BoundsAndVocabularyAreChecked(t *testing.T) {
	many := slices.Repeat([]string{"x"}, 65)
	long := strings.Repeat("x", 1025)
	for name, s := range map[string]listing.Selection{
		"65 statuses":      {Statuses: many},
		"65 tags":          {Tags: many},
		"65 kinds":         {Kinds: slices.Repeat([]string{"play"}, 65)},
		"long search":      {Search: long},
		"long playbook":    {Playbook: long},
		"long project":     {Project: long},
		"long tag":         {Tags: []string{long}},
		"unknown kind":     {Kinds: []string{"play", "bogus"}},
		"engine":           {Kinds: []string{"engine"}},
		"empty kind":       {Kinds: []string{""}},
		"stored kind":      {Kinds: []string{"show-play"}},
		"search not UTF-8": {Search: "\xff"},
		"tag not UTF-8":    {Tags: []string{"\xff"}},
	} {
		if _, err := s.Filter(); listing.CodeOf(err) != listing.RequestInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	fits := listing.Selection{Statuses: many[:64], Search: long[:1024], Kinds: []string{"agent", "fanout", "flow", "play", "show"}}
	if f := filterOf(t, fits); !slices.Contains(f.Kinds, "show-play") {
		t.Errorf("show does not select show-play: %v", f.Kinds)
	}
}

func TestFilter_EffectiveMeansThatItCanReject(t *testing.T) {
	for _, s := range []listing.Selection{
		{Search: "x"}, {Playbook: "x"}, {Project: "x"}, {ProjectNull: true}, {Statuses: []string{""}}, {Tags: []string{""}}, {Kinds: []string{"play"}},
	} {
		f := filterOf(t, s)
		mode := listing.NoSearch
		if s.Search != "" || s.Playbook != "" {
			mode = listing.BoundedContains
		}
		if !f.Effective() || f.SearchMode() != mode {
			t.Errorf("%+v: effective %t, mode %s", s, f.Effective(), f.SearchMode())
		}
	}
	if f := filterOf(t, listing.Selection{}); f.Effective() || f.SearchMode() != listing.NoSearch {
		t.Error("nothing is effective")
	}
}
