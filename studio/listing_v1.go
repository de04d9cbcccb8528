package studio

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"podium.local/listing"
	"podium.local/session"
)

// maxPage is the most rows of one page.
const maxPage = 500

// sessionsBody is the envelope of GET /api/sessions/.
type sessionsBody struct {
	Sessions  []sessionRow `json:"sessions" nullable:"false"`
	Total     int64        `json:"total"`
	Limit     int64        `json:"limit"`
	Offset    int64        `json:"offset"`
	Truncated bool         `json:"truncated" doc:"More rows follow this page."`
}

// runsBody is the envelope of GET /api/runs/.
type runsBody struct {
	Runs                    []runRow `json:"runs" nullable:"false"`
	Page                    int64    `json:"page"`
	PerPage                 int64    `json:"per_page"`
	Total                   int64    `json:"total" doc:"Rows that match in the whole store."`
	TotalPages              int64    `json:"total_pages"`
	HasNext                 bool     `json:"has_next"`
	HasPrev                 bool     `json:"has_prev"`
	StatusEndedAtMismatches int64    `json:"status_ended_at_mismatches" doc:"Rows of this page that run and have an end."`
}

// sortParam is the order of both listings.
var sortParam = param{
	name: "sort", kind: stringParam, defText: "recent", words: []string{"recent", "cost"},
	doc: "recent is by last update; cost puts the highest reported cost first and unreported cost last.",
}

// sessionsParams ignores unknown names, as it always did.
var sessionsParams = params{list: []param{
	{name: "limit", kind: intParam, def: maxPage, min: 1, max: maxPage, doc: "Rows to return."},
	{name: "offset", kind: intParam, def: 0, min: 0, max: -1, doc: "Matching rows to skip."},
	sortParam,
}}

// runsParams refuses unknown names, so that a stale client does not take the
// whole list for a filtered one.
var runsParams = params{strict: true, list: []param{
	{name: "page", kind: intParam, def: 1, min: 1, max: 0, doc: "Page number, from 1."},
	{name: "per_page", kind: intParam, def: 20, min: 1, max: maxPage, doc: "Rows a page."},
	{name: "status", kind: listParam, doc: "Any of these statuses; aliases are expanded."},
	{name: "playbook", kind: stringParam, doc: "Contained in the playbook name, ignoring ASCII case."},
	{name: "project", kind: stringParam, doc: "Exact project."},
	{name: "project_null", kind: boolParam, doc: "Only runs without a project; wins over project."},
	{name: "tag", kind: listParam, doc: "All of these tags."},
	{name: "search", kind: stringParam, doc: "Contained in the stored name or the agent name, ignoring ASCII case."},
	{name: "kind", kind: listParam, doc: "Any of: agent, play, flow, fanout, show."},
	sortParam,
}}

// listSessions answers GET /api/sessions/.
func (s *Server) listSessions(r *request) (any, error) {
	order, err := orderOf(r)
	if err != nil {
		return nil, err
	}
	limit, offset := r.values.ints["limit"], r.values.ints["offset"]
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	if r.values.huge["offset"] && s.cfg.Sources.Presence.Present() {
		return nil, errHugeOffset
	}
	page, err := s.cfg.Sources.Listings.ListPage(r.Context(), session.PageQuery{Order: order, Limit: int(limit), Offset: offset})
	if err != nil {
		return nil, err
	}
	body := sessionsBody{Sessions: make([]sessionRow, 0, len(page.Rows)), Total: page.Total, Limit: limit, Offset: offset}
	for i := range page.Rows {
		body.Sessions = append(body.Sessions, sessionRowOf(&page.Rows[i]))
	}
	body.Truncated = offset < page.Total-int64(len(page.Rows))
	return body, nil
}

// listRuns answers GET /api/runs/.
func (s *Server) listRuns(r *request) (any, error) {
	order, err := orderOf(r)
	if err != nil {
		return nil, err
	}
	filter, err := filterOf(r.values)
	if err != nil {
		return nil, err
	}
	page, perPage := r.values.ints["page"], r.values.ints["per_page"]
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	if page-1 > (1<<63-1)/perPage && s.cfg.Sources.Presence.Present() {
		return nil, errHugeOffset
	}
	found, err := s.cfg.Sources.Listings.ListPage(r.Context(), session.PageQuery{
		Filter: filter, Order: order, Limit: int(perPage), Offset: (page - 1) * perPage, WithTags: true,
	})
	if err != nil {
		return nil, err
	}
	body := runsBody{
		Page: page, PerPage: perPage, Total: found.Total,
		TotalPages: (found.Total + perPage - 1) / perPage, HasPrev: page > 1,
	}
	body.HasNext = page < body.TotalPages
	body.Runs, body.StatusEndedAtMismatches = s.runRows(r.Context(), found.Rows)
	return body, nil
}

// runRows shows stored rows in the runs listing and counts those that run and
// have an end. Whether a process lives is looked up now, outside of every
// transaction.
func (s *Server) runRows(ctx context.Context, stored []session.Row) (runs []runRow, mismatches int64) {
	rows := pointers(stored)
	runs = make([]runRow, 0, len(rows))
	live := s.prober.probe(ctx, rows, true)
	now := session.UnixSeconds(s.now())
	for i, row := range rows {
		runs = append(runs, runRowOf(row, now, live[i]))
		if running(row) && row.EndedAt != nil {
			mismatches++
		}
	}
	return runs, mismatches
}

// errHugeOffset is an offset that no row number reaches. v1 failed on it with
// an opaque 500, and clients are promised what v1 did.
var errHugeOffset = &problem{status: http.StatusInternalServerError, cause: errors.New("the offset does not fit in 64 bits")}

// orderOf reads the sort parameter.
func orderOf(r *request) (session.Order, error) {
	word, given := r.values.str("sort")
	if !given {
		return session.OrderRecent, nil
	}
	switch order := session.Order(word); order {
	case session.OrderRecent, session.OrderCost:
		return order, nil
	}
	return "", failf(http.StatusUnprocessableEntity, "sort must be one of: recent, cost")
}

// filterOf reads the filters of the runs listing. Empty text filters have no
// effect; an empty status or tag does, and matches nothing.
func filterOf(v *values) (session.Filter, error) {
	playbook, _ := v.str("playbook")
	project, _ := v.str("project")
	search, _ := v.str("search")
	f, err := expand(session.Filter{
		Statuses: v.lists["status"], Kinds: v.lists["kind"], Playbook: playbook, Search: search,
		Project: project, ProjectNull: v.bools["project_null"], Tags: v.lists["tag"],
	})
	if err != nil {
		return f, failf(http.StatusUnprocessableEntity, "%s", err)
	}
	return f, nil
}

// expand turns a filter in the words of a person or client into one that
// matches stored words: aliases of statuses and the facets of kinds are widened,
// repeated values dropped. A kind that is no facet is an error.
func expand(f session.Filter) (session.Filter, error) {
	kinds, unknown := listing.WidenKinds(f.Kinds)
	if unknown != nil {
		return session.Filter{}, fmt.Errorf("unknown kind filter: %s; valid: %s", quoteNames(unknown), quoteNames(listing.KindFacets()))
	}
	f.Kinds, f.Statuses, f.Tags = kinds, listing.WidenStatuses(f.Statuses), distinct(f.Tags)
	if f.ProjectNull {
		f.Project = ""
	}
	return f, nil
}

// distinct drops repeated values and keeps the order.
func distinct(list []string) []string {
	var out []string
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func pointers(rows []session.Row) []*session.Row {
	out := make([]*session.Row, len(rows))
	for i := range rows {
		out[i] = &rows[i]
	}
	return out
}
