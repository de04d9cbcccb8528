package studio

import (
	"math"
	"net/url"
	"strconv"

	"podium.local/listing"
)

// strictQuery is a query string read to the letter: no unknown name, no scalar
// twice, one spelling of each value. What cannot be read is a mistake of the
// whole request, and the reason stays here: the answer names none.
type strictQuery struct {
	values url.Values
	bad    bool
}

// readStrict decodes raw and refuses names that are not listed.
func readStrict(raw string, names ...string) *strictQuery {
	values, err := url.ParseQuery(raw)
	q := &strictQuery{values: values, bad: err != nil}
	known := make(map[string]bool, len(names))
	for _, n := range names {
		known[n] = true
	}
	for name := range values {
		q.bad = q.bad || !known[name]
	}
	return q
}

// one is a scalar, and whether it was given.
func (q *strictQuery) one(name string) (string, bool) {
	all := q.values[name]
	if len(all) == 0 {
		return "", false
	}
	q.bad = q.bad || len(all) > 1
	return all[0], true
}

// text is a scalar of any form.
func (q *strictQuery) text(name string) string {
	text, _ := q.one(name)
	return text
}

// flag is true, false, 1 or 0.
func (q *strictQuery) flag(name string) bool {
	text, given := q.one(name)
	switch {
	case !given, text == "false", text == "0":
		return false
	case text == "true", text == "1":
		return true
	}
	q.bad = true
	return false
}

// whole is a plain decimal number of at least low. One that is too large for
// the type is the largest: what bounds it is said elsewhere.
func (q *strictQuery) whole(name string, def, low int64) int64 {
	text, given := q.one(name)
	if !given {
		return def
	}
	if text == "" || text[0] == '0' && text != "0" {
		q.bad = true
		return def
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			q.bad = true
			return def
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	q.bad = q.bad || n < low
	return n
}

// rows is a row limit.
func (q *strictQuery) rows(name string, def int64) int {
	n := q.whole(name, def, 1)
	if n > maxPage {
		q.bad = true
		return maxPage
	}
	return int(n)
}

// common reads what both listings have.
func (q *strictQuery) common(endpoint listing.Endpoint) listing.Request {
	r := listing.Request{Endpoint: endpoint, Order: listing.Recent, ExactTotal: q.flag("exact_total")}
	q.one("listing_version") // the selector has been read; here it only must not repeat
	if word, given := q.one("sort"); given {
		r.Order = listing.Order(word)
	}
	if text, given := q.one("cursor"); given {
		r.Cursor = &text
	}
	return r
}

// finish gives the request unless something of it could not be read.
func (q *strictQuery) finish(r listing.Request) (listing.Request, error) {
	if q.bad {
		return r, errInvalidListing
	}
	return r, r.Check()
}

// sessionsRequest reads a request of the sessions listing, which has no
// filters.
func sessionsRequest(raw string) (listing.Request, error) {
	q := readStrict(raw, "listing_version", "cursor", "exact_total", "sort", "limit", "offset")
	r := q.common(listing.Sessions)
	r.Rows, r.Skip = q.rows("limit", maxPage), q.whole("offset", 0, 0)
	return q.finish(r)
}

// defaultRuns is how many runs a page has unless it says otherwise.
const defaultRuns = 20

// runsRequest reads a request of the runs listing.
func runsRequest(raw string) (listing.Request, error) {
	q := readStrict(raw, "listing_version", "cursor", "exact_total", "sort", "page", "per_page",
		"status", "kind", "tag", "search", "playbook", "project", "project_null")
	r := q.common(listing.Runs)
	r.Rows = q.rows("per_page", defaultRuns)
	page := q.whole("page", 1, 1)
	// A page number that no candidate has is beyond the offset limit, not small.
	r.Skip = math.MaxInt64
	if skipped := page - 1; skipped <= listing.MaxOffset {
		r.Skip = skipped * int64(r.Rows)
	}
	filter, err := listing.Selection{
		Statuses: q.values["status"], Kinds: q.values["kind"], Tags: q.values["tag"],
		Search: q.text("search"), Playbook: q.text("playbook"), Project: q.text("project"), ProjectNull: q.flag("project_null"),
	}.Filter()
	if err != nil {
		return r, err
	}
	r.Filter = filter
	return q.finish(r)
}
