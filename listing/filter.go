package listing

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// Bounds of a request's filters, before anything is expanded.
const (
	// MaxText is the longest value, in bytes.
	MaxText = 1024
	// MaxValues is how often one filter may be given.
	MaxValues = 64
)

// Selection is what a client asked for, word for word. Nil lists and empty
// texts ask for nothing; an empty status or tag is a value like any other.
type Selection struct {
	Statuses, Kinds, Tags []string
	Playbook, Search      string
	Project               string
	ProjectNull           bool
}

// Filter is what a selection means: aliases expanded, sets sorted and without
// repetitions, nothing that has no effect. Two selections of the same rows by
// the same words have equal Filters.
type Filter struct {
	// Statuses match literally; completed also matches a missing status.
	Statuses []string `json:"statuses"`
	// Kinds match literally; agent also matches a missing kind.
	Kinds []string `json:"kinds"`
	// Tags must all be on a row.
	Tags []string `json:"tags"`
	// Playbook and Search are contained, folding ASCII case only.
	Playbook string `json:"playbook"`
	Search   string `json:"search"`
	// Project matches exactly. ProjectNull selects rows without one.
	Project     string `json:"project"`
	ProjectNull bool   `json:"project_null"`
}

// statusAliases widen a status to the words that mean the same.
var statusAliases = map[string][]string{
	"done":      {"completed", "success", "finished"},
	"cancelled": {"canceled"},
	"canceled":  {"cancelled"},
	"aborted":   {"aborted_after_finish"},
	"timed_out": {"timeout"},
	"timeout":   {"timed_out"},
	"pending":   {"prepared"},
}

// statuses are the words that a row's status can be, without their aliases.
var statuses = []string{"running", "completed", "completed_empty", "failed", "timed_out", "aborted", "cancelled"}

// KnownStatuses are the statuses that select something, aliases included,
// sorted.
func KnownStatuses() []string {
	known := slices.Clone(statuses)
	for alias, words := range statusAliases {
		known = append(append(known, alias), words...)
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// kindFacets are the kinds a client may ask for, with what each one selects
// besides itself.
var kindFacets = map[string][]string{
	"agent": nil, "fanout": nil, "flow": nil, "play": nil, "show": {"show-play"},
}

// KindFacets are the kinds a client may ask for, sorted.
func KindFacets() []string { return slices.Sorted(maps.Keys(kindFacets)) }

// WidenStatuses expands the aliases among statuses, sorts, and drops
// repetitions; nil for none.
func WidenStatuses(given []string) []string { return widen(given, statusAliases) }

// WidenKinds does the same for kinds and reports those that are no facets,
// sorted.
func WidenKinds(given []string) (widened, unknown []string) {
	for _, kind := range given {
		if _, ok := kindFacets[kind]; !ok {
			unknown = append(unknown, kind)
		}
	}
	return widen(given, kindFacets), widen(unknown, nil)
}

// Filter gives the meaning of the selection. Unknown statuses and tags are
// legal and match nothing; an unknown kind is refused.
func (s Selection) Filter() (Filter, error) {
	for _, list := range [][]string{s.Statuses, s.Kinds, s.Tags} {
		if len(list) > MaxValues {
			return Filter{}, fail(RequestInvalid, "a filter has more than 64 values")
		}
		for _, v := range list {
			if err := checkText(v); err != nil {
				return Filter{}, err
			}
		}
	}
	for _, v := range []string{s.Playbook, s.Search, s.Project} {
		if err := checkText(v); err != nil {
			return Filter{}, err
		}
	}
	kinds, unknown := WidenKinds(s.Kinds)
	if unknown != nil {
		return Filter{}, fail(RequestInvalid, "the kind is none of "+strings.Join(KindFacets(), ", "))
	}
	f := Filter{
		Statuses: WidenStatuses(s.Statuses), Kinds: kinds, Tags: widen(s.Tags, nil),
		Playbook: s.Playbook, Search: s.Search, Project: s.Project, ProjectNull: s.ProjectNull,
	}
	if f.ProjectNull {
		f.Project = ""
	}
	return f, nil
}

func checkText(text string) error {
	switch {
	case len(text) > MaxText:
		return fail(RequestInvalid, "a filter is longer than 1,024 bytes")
	case !utf8.ValidString(text):
		return fail(RequestInvalid, "a filter is not UTF-8")
	}
	return nil
}

// widen adds what each value also stands for, sorts, and drops repetitions.
func widen(given []string, also map[string][]string) []string {
	if len(given) == 0 {
		return nil
	}
	all := slices.Clone(given)
	for _, v := range given {
		all = append(all, also[v]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Effective reports whether the filter can reject a row.
func (f Filter) Effective() bool {
	return len(f.Statuses) > 0 || len(f.Kinds) > 0 || len(f.Tags) > 0 || f.Playbook != "" || f.Search != "" || f.Project != "" || f.ProjectNull
}

// SearchMode says how texts are looked for.
func (f Filter) SearchMode() SearchMode {
	if f.Search != "" || f.Playbook != "" {
		return BoundedContains
	}
	return NoSearch
}

// fingerprintDomain keeps the digest apart from every other use of the hash.
const fingerprintDomain = "podium/listing-filter/v1\x00"

// Fingerprint is a digest of the filter, 43 characters.
func (f Filter) Fingerprint() string {
	text, err := json.Marshal(f, json.Deterministic(true))
	if err != nil {
		// Filter() has checked the only thing that can fail, UTF-8.
		panic("listing: a filter has no JSON form: " + err.Error())
	}
	sum := sha256.Sum256(append([]byte(fingerprintDomain), text...))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
