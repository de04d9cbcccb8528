package studio

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"podium.local/listing"
)

// listingDocumentPath is where the document of version 2 is. It stands apart
// from the other one because the two versions share their paths, which one
// document can describe only once.
const listingDocumentPath = "/openapi-listing-v2.json"

// windowParams are the parameters that both listings have in version 2. They
// are for the document; params_v2.go reads them.
var windowParams = []param{
	{name: "listing_version", kind: stringParam, required: true, words: []string{"2"}, doc: "Selects version 2."},
	{name: "cursor", kind: stringParam, doc: "The next_cursor of an answer to the same request. Not with an offset or a page."},
	{name: "exact_total", kind: boolParam, doc: "Count all matching rows too; reads the whole store."},
	{name: "sort", kind: stringParam, defText: "recent", words: []string{"recent", "cost"}, doc: "recent is by last update, unknown times last; cost puts the highest reported cost first and unreported cost last. Both end in the id, descending."},
}

// windowRoutes describe the two listings in version 2.
func windowRoutes() []route {
	runs := []param{
		{name: "page", kind: intParam, def: 1, min: 1, max: 0, doc: "Skips (page-1)*per_page candidates, at most 10,000; only without filters."},
		{name: "per_page", kind: intParam, def: defaultRuns, min: 1, max: maxPage, doc: "Most rows to return."},
	}
	for _, p := range runsParams.list {
		switch p.name {
		case "status", "kind", "tag", "search", "playbook", "project", "project_null":
			runs = append(runs, p)
		}
	}
	sessions := []param{
		{name: "limit", kind: intParam, def: maxPage, min: 1, max: maxPage, doc: "Most rows to return."},
		{name: "offset", kind: intParam, def: 0, min: 0, max: listing.MaxOffset, doc: "Candidates to skip."},
	}
	return []route{
		{
			method: http.MethodGet, path: "/api/runs/", id: "listRunsV2", area: "runs", store: true,
			doc:    "Lists runs in bounded work: each request examines at most candidate_limit sessions and says how far it came.",
			params: params{list: append(append([]param{}, windowParams...), runs...)}, response: runsWindow{},
		},
		{
			method: http.MethodGet, path: "/api/sessions/", id: "listSessionsV2", area: "sessions", store: true,
			doc:    "Lists sessions in bounded work: each request examines at most candidate_limit sessions and says how far it came.",
			params: params{list: append(append([]param{}, windowParams...), sessions...)}, response: sessionsWindow{},
		},
	}
}

// listingDocument makes the document of version 2.
func listingDocument(version string) ([]byte, error) {
	doc := newDocument("Podium Studio: listings, version 2", version,
		"The two listings with listing_version=2. A cursor is opaque, belongs to one request and store, and lasts 24 hours from the first one of its chain.")
	for _, rt := range windowRoutes() {
		op := rt.operation(doc.Components.Schemas)
		for status, text := range map[int]string{
			http.StatusBadRequest:          listing.CursorInvalid.Message(),
			http.StatusConflict:            listing.CursorRestart.Message() + " Or: " + listing.StoreOrder.Message(),
			http.StatusUnprocessableEntity: listing.RequestInvalid.Message(),
		} {
			op.Responses[strconv.Itoa(status)] = jsonResponse(doc.Components.Schemas, text, listingProblemBody{})
		}
		op.Responses["401"] = jsonResponse(doc.Components.Schemas, "A token is configured and the request has another or none.", errorBody{})
		op.Responses["503"] = &huma.Response{
			Description: listing.NotReady.Message() + " Or the store cannot answer now; see the detail.",
			Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{OneOf: []*huma.Schema{
				schemaOf(doc.Components.Schemas, listingProblemBody{}), schemaOf(doc.Components.Schemas, errorBody{}),
			}}}},
		}
		doc.AddOperation(op)
	}
	return writeDocument(doc)
}
