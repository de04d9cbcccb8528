package studio

import (
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"podium.local/protocol"
	"podium.local/session"
)

// Bounds of windows over a log.
const (
	defaultEntries = 200
	maxEntries     = 500
	searchRows     = 100
	// searchCandidates is how many entries one search request examines.
	searchCandidates = 10_000
	maxSearchText    = 1024 // bytes
)

// entry is one record of a log.
type entry struct {
	ID        string   `json:"id"`
	Ordinal   int64    `json:"ordinal" doc:"Position in the log, from 0."`
	Kind      string   `json:"kind" enum:"input,system,text,reasoning,tool_call,tool_result,turn_end,run_end,rolled_back,compaction,foreign"`
	CreatedAt number   `json:"created_at"`
	PodID     *string  `json:"pod_id" doc:"The pod whose event this is; null for copies and imports."`
	Seq       *uint64  `json:"seq" doc:"The number of that event."`
	Payload   document `json:"payload" doc:"What was recorded; its members depend on kind."`
}

// entriesBody is a window over a log, oldest first.
type entriesBody struct {
	SessionID string   `json:"session_id"`
	Entries   []entry  `json:"entries" nullable:"false"`
	Before    *string  `json:"before" doc:"Pass as before for the window in front; null where the log begins."`
	After     *string  `json:"after" doc:"Pass as after for the window behind; null where the log ends."`
	Total     int64    `json:"total"`
	Usage     logUsage `json:"usage"`
	Pod       *string  `json:"pod" doc:"The pod that holds the session; null for none."`
}

// logUsage is what the session used so far.
type logUsage struct {
	InputTokens      *int64  `json:"input_tokens" doc:"Whole prompts, cached parts included; null is unknown."`
	CacheReadTokens  *int64  `json:"cache_read_tokens" doc:"What of it the vendor had in its cache; null is unknown."`
	CacheWriteTokens *int64  `json:"cache_write_tokens"`
	OutputTokens     *int64  `json:"output_tokens"`
	ReasoningTokens  *int64  `json:"reasoning_tokens"`
	CostUSD          *number `json:"cost_usd" nullable:"true" doc:"Of the requests that have a price; null is unknown."`
	Priced           *int64  `json:"priced" doc:"Requests in the cost; null where only a sum is known."`
	Unpriced         *int64  `json:"unpriced" doc:"Requests without a price: with any, the cost is a lower bound."`
}

// usageOf is what a log's counters say; all unknown without them.
func usageOf(c *session.Counters) logUsage {
	if c == nil {
		return logUsage{}
	}
	return logUsage{
		InputTokens: c.InputTokens, OutputTokens: c.OutputTokens, CacheReadTokens: &c.CacheReadTokens, CacheWriteTokens: &c.CacheWriteTokens,
		ReasoningTokens: &c.ReasoningTokens, CostUSD: numberOf(c.CostUSD), Priced: &c.Priced, Unpriced: &c.Unpriced,
	}
}

var entriesParams = params{strict: true, list: []param{
	{name: "around", kind: stringParam, doc: "Entry in the middle of the window."},
	{name: "before", kind: stringParam, doc: "Entry behind the window."},
	{name: "after", kind: stringParam, doc: "Entry in front of the window."},
	{name: "from", kind: intParam, def: -1, max: -1, doc: "Place of the window's first entry, from 0."},
	{name: "limit", kind: intParam, def: defaultEntries, min: 1, max: maxEntries, doc: "Most entries of the window."},
}}

// getEntries answers GET /api/sessions/{id}/entries: the newest window, the one
// around, before or after an entry, or the one from a place on.
func (s *Server) getEntries(r *request) (any, error) {
	q := session.EntryQuery{Limit: int(r.values.ints["limit"])}
	given := 0
	for name, to := range map[string]*string{"around": &q.Around, "before": &q.Before, "after": &q.After} {
		if text, ok := r.values.str(name); ok {
			*to = text
			given++
		}
	}
	if from := r.values.ints["from"]; from >= 0 {
		q.From = &from
		given++
	}
	if given > 1 {
		return nil, failf(http.StatusUnprocessableEntity, "give one of around, before, after and from, not several")
	}
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	w, err := s.cfg.Sources.Logs.EntryWindow(r.Context(), r.id(), q)
	if err != nil {
		return nil, logProblem(r, err)
	}
	body := entriesBody{SessionID: r.id(), Entries: make([]entry, 0, len(w.Entries)), Before: optional(w.Before), After: optional(w.After), Total: w.Total,
		Usage: usageOf(w.Counters), Pod: optional(w.Pod)}
	for i := range w.Entries {
		body.Entries = append(body.Entries, entryOf(&w.Entries[i]))
	}
	return body, nil
}

// logProblem names what a log read did not find.
func logProblem(r *request, err error) error {
	switch {
	case errors.Is(err, session.ErrStaleAnchor):
		return failf(http.StatusNotFound, "The entry is not in session '%s'", r.id())
	case errors.Is(err, session.ErrNotFound):
		return failf(http.StatusNotFound, "Session '%s' not found", r.id())
	}
	return err
}

func entryOf(e *session.Entry) entry {
	out := entry{
		ID: e.ID, Ordinal: e.Ordinal, Kind: string(e.Kind), CreatedAt: number(session.UnixSeconds(e.CreatedAt)),
	}
	text := string(e.Payload)
	out.Payload = storedDocument(&text)
	if e.PodID != (protocol.PodID{}) {
		id := e.PodID.String()
		out.PodID = &id
	}
	if e.Seq != 0 {
		out.Seq = &e.Seq
	}
	return out
}

// searchMatch is one entry that holds the text.
type searchMatch struct {
	EntryID   string `json:"entry_id"`
	Ordinal   int64  `json:"ordinal"`
	Kind      string `json:"kind"`
	CreatedAt number `json:"created_at"`
	Snippet   string `json:"snippet" doc:"The text around the first match, on one line."`
}

// searchBody is one bounded search, in the words of the bounded listing.
type searchBody struct {
	SessionID  string           `json:"session_id"`
	Matches    []searchMatch    `json:"matches" nullable:"false"`
	Pagination searchPagination `json:"pagination"`
	Total      unknownTotal     `json:"total"`
}

// searchPagination says how far a search looked.
type searchPagination struct {
	NextCursor         *string `json:"next_cursor" doc:"Pass as after to go on; null at the end of the log."`
	HasMoreCandidates  bool    `json:"has_more_candidates"`
	Returned           int     `json:"returned"`
	ExaminedCandidates int     `json:"examined_candidates"`
	CandidateLimit     int     `json:"candidate_limit"`
	StopReason         string  `json:"stop_reason" enum:"exhausted,row_limit,candidate_limit"`
	OffsetBasis        string  `json:"offset_basis" enum:"candidates"`
	SearchMode         string  `json:"search_mode" enum:"bounded_contains"`
}

// unknownTotal says that nothing was counted; it is never a zero.
type unknownTotal struct{}

// MarshalJSONTo writes the fixed form.
func (unknownTotal) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(jsontext.Value(`{"kind":"unknown","value":null}`))
}

// Schema documents the fixed form.
func (unknownTotal) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"kind", "value"},
		Properties: map[string]*huma.Schema{
			"kind":  {Type: huma.TypeString, Enum: []any{"unknown"}},
			"value": {Type: "null"},
		},
	}
}

var searchParams = params{strict: true, list: []param{
	{name: "q", kind: stringParam, required: true, doc: "Text to look for, ignoring case; at most 1,024 bytes."},
	{name: "after", kind: stringParam, doc: "Entry after which to look; the beginning without it."},
}}

// searchSession answers GET /api/sessions/{id}/search.
func (s *Server) searchSession(r *request) (any, error) {
	text, _ := r.values.str("q")
	switch {
	case trimBlank(text) == "":
		return nil, failf(http.StatusUnprocessableEntity, "q must not be empty")
	case len(text) > maxSearchText:
		return nil, failf(http.StatusUnprocessableEntity, "q must have at most 1,024 bytes")
	}
	after, _ := r.values.str("after")
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	found, err := s.cfg.Sources.Logs.SearchEntries(r.Context(), r.id(), session.SearchQuery{
		Text: text, After: after, Rows: searchRows, Candidates: searchCandidates,
	})
	if err != nil {
		return nil, logProblem(r, err)
	}
	body := searchBody{SessionID: r.id(), Matches: make([]searchMatch, 0, len(found.Matches)), Pagination: searchPagination{
		HasMoreCandidates: found.More, Returned: len(found.Matches), ExaminedCandidates: found.Examined,
		CandidateLimit: searchCandidates, StopReason: "exhausted", OffsetBasis: "candidates", SearchMode: "bounded_contains",
	}}
	if found.More {
		body.Pagination.NextCursor = &found.Last
		body.Pagination.StopReason = "candidate_limit"
		if len(found.Matches) == searchRows {
			body.Pagination.StopReason = "row_limit"
		}
	}
	for _, m := range found.Matches {
		body.Matches = append(body.Matches, searchMatch{
			EntryID: m.EntryID, Ordinal: m.Ordinal, Kind: string(m.Kind), CreatedAt: number(session.UnixSeconds(m.At)), Snippet: m.Snippet,
		})
	}
	return body, nil
}

// lineageStep is one compaction.
type lineageStep struct {
	SessionID    string  `json:"session_id" doc:"The session at the other end."`
	Name         *string `json:"name"`
	CompactedAt  *number `json:"compacted_at" nullable:"true"`
	TokensBefore *int64  `json:"tokens_before"`
	TokensAfter  *int64  `json:"tokens_after"`
	CostUSD      *number `json:"cost_usd" nullable:"true" doc:"What the summary cost; null is unknown."`
}

// lineageBody is the chain of compactions through a session, oldest first.
type lineageBody struct {
	SessionID     string           `json:"session_id"`
	CompactedFrom []lineageStep    `json:"compacted_from" nullable:"false"`
	ContinuedIn   []lineageStep    `json:"continued_in" nullable:"false"`
	Imported      *importedLineage `json:"imported,omitempty" doc:"Only of a session that was imported."`
}

// sessionLink names another session.
type sessionLink struct {
	SessionID string  `json:"session_id"`
	Name      *string `json:"name" doc:"Null, as created_at, when that session is not in the store."`
	CreatedAt *number `json:"created_at" nullable:"true"`
}

// importedLineage is how an imported session hangs together with others.
type importedLineage struct {
	ForkedFrom *sessionLink  `json:"forked_from" doc:"The session that this one begins as a copy of; what both share is stored with that one."`
	Forks      []sessionLink `json:"forks" nullable:"false" doc:"Oldest first, at most 1,000."`
	Parent     *sessionLink  `json:"parent" doc:"The session that started this subagent."`
	Subagents  []sessionLink `json:"subagents" nullable:"false" doc:"Oldest first, at most 1,000."`
}

// getLineage answers GET /api/sessions/{id}/lineage.
func (s *Server) getLineage(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	l, err := s.cfg.Sources.Logs.Lineage(r.Context(), r.id())
	if err != nil {
		return nil, logProblem(r, err)
	}
	body := lineageBody{SessionID: r.id(), CompactedFrom: lineageSteps(l.CompactedFrom), ContinuedIn: lineageSteps(l.ContinuedIn)}
	if i := l.Imported; i != nil {
		body.Imported = &importedLineage{
			ForkedFrom: linkOf(i.ForkedFrom), Forks: linksOf(i.Forks), Parent: linkOf(i.Parent), Subagents: linksOf(i.Subagents),
		}
	}
	return body, nil
}

func linkOf(l *session.SessionLink) *sessionLink {
	if l == nil {
		return nil
	}
	return &sessionLink{SessionID: l.SessionID, Name: l.Name, CreatedAt: numberOf(l.At)}
}

func linksOf(links []session.SessionLink) []sessionLink {
	out := make([]sessionLink, 0, len(links))
	for _, l := range links {
		out = append(out, *linkOf(&l))
	}
	return out
}

func lineageSteps(steps []session.LineageStep) []lineageStep {
	out := make([]lineageStep, 0, len(steps))
	for _, st := range steps {
		out = append(out, lineageStep{
			SessionID: st.SessionID, Name: st.Name, CompactedAt: numberOf(st.At),
			TokensBefore: st.TokensBefore, TokensAfter: st.TokensAfter, CostUSD: numberOf(st.CostUSD),
		})
	}
	return out
}

// optional is nil for the empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
