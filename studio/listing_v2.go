package studio

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"podium.local/listing"
	"podium.local/session"
)

// runsWindow is the envelope of GET /api/runs/ in version 2.
type runsWindow struct {
	ListingVersion          int                `json:"listing_version" enum:"2"`
	PerPage                 int                `json:"per_page" doc:"Most rows of this answer."`
	Runs                    []runRow           `json:"runs" nullable:"false"`
	StatusEndedAtMismatches int64              `json:"status_ended_at_mismatches" doc:"Rows of this answer that run and have an end."`
	Pagination              listing.Pagination `json:"pagination"`
	Total                   listing.Total      `json:"total"`
}

// sessionsWindow is the envelope of GET /api/sessions/ in version 2.
type sessionsWindow struct {
	ListingVersion int                `json:"listing_version" enum:"2"`
	Limit          int                `json:"limit" doc:"Most rows of this answer."`
	Sessions       []sessionRow       `json:"sessions" nullable:"false"`
	Pagination     listing.Pagination `json:"pagination"`
	Total          listing.Total      `json:"total"`
}

// listingProblem is the detail of an error of version 2. It has these three
// members and says nothing of the request.
type listingProblem struct {
	Code            listing.Code `json:"code"`
	Message         string       `json:"message"`
	RestartRequired bool         `json:"restart_required" doc:"The listing has to begin anew, without its cursor."`
}

type listingProblemBody struct {
	Detail listingProblem `json:"detail"`
}

// The headers of version 2 beside its fixed bodies: what a 503 misses (keyring,
// identity or structure), and how far back a window by recency came, in Unix
// seconds.
const (
	lacksHeader   = "Podium-Listing-Lacks"
	reachedHeader = "Podium-Listing-Reached"
)

// listingStatus are the statuses of the codes: what the client made is 4xx,
// what moved under it 409, what the installation lacks 503.
var listingStatus = map[listing.Code]int{
	listing.RequestInvalid: http.StatusUnprocessableEntity,
	listing.CursorRequired: http.StatusUnprocessableEntity,
	listing.FilteredOffset: http.StatusUnprocessableEntity,
	listing.CursorInvalid:  http.StatusBadRequest,
	listing.CursorRestart:  http.StatusConflict,
	listing.StoreOrder:     http.StatusConflict,
	listing.NotReady:       http.StatusServiceUnavailable,
}

// ofListing turns a listing's condition into its answer. Only those that
// somebody has to mend go to the log; no reason holds a cursor or an id.
func ofListing(err error) error {
	var e *listing.Error
	if !errors.As(err, &e) {
		return err
	}
	p := &problem{status: listingStatus[e.Code], detail: listingProblem{
		Code: e.Code, Message: e.Code.Message(), RestartRequired: e.Code.RestartRequired(),
	}}
	if e.Code == listing.NotReady || e.Code == listing.StoreOrder {
		p.cause = err
	}
	if e.Lacks != "" {
		p.header = http.Header{lacksHeader: {string(e.Lacks)}}
	}
	return p
}

// errInvalidListing refuses a request of the listings for its form.
var errInvalidListing = &listing.Error{Code: listing.RequestInvalid, Reason: "a parameter cannot be used"}

// versioned answers a listing request that is not one of version 1, and
// reports whether it did. For version 1 it takes the selector out of the
// query, so that what is left is the request as it always was.
func (s *Server) versioned(r *request) bool {
	selected := r.query.all("listing_version")
	switch {
	case len(selected) == 1 && selected[0] == "2":
		bounded := *r.route
		bounded.handle = bounded.bounded
		r.route = &bounded
		r.header().Set("Cache-Control", "no-store")
		s.handleJSON(r)
		return true
	case len(selected) > 1, len(selected) == 1 && selected[0] != "1",
		r.query.all("cursor") != nil, r.query.all("exact_total") != nil:
		s.writeProblem(r.w, r.Request, problemOf(ofListing(errInvalidListing)))
		return true
	}
	rest := query{}
	for _, p := range r.query {
		if p.name != "listing_version" {
			rest = append(rest, p)
		}
	}
	r.query = rest
	return false
}

// listSessionsV2 answers GET /api/sessions/?listing_version=2.
func (s *Server) listSessionsV2(r *request) (any, error) {
	req, err := sessionsRequest(r.URL.RawQuery)
	if err != nil {
		return nil, ofListing(err)
	}
	a, err := s.window(r, req)
	if err != nil {
		return nil, err
	}
	body := sessionsWindow{ListingVersion: 2, Limit: req.Rows, Sessions: make([]sessionRow, 0, len(a.Rows)), Pagination: a.Pagination, Total: a.Total}
	for i := range a.Rows {
		body.Sessions = append(body.Sessions, sessionRowOf(&a.Rows[i]))
	}
	return body, nil
}

// listRunsV2 answers GET /api/runs/?listing_version=2.
func (s *Server) listRunsV2(r *request) (any, error) {
	req, err := runsRequest(r.URL.RawQuery)
	if err != nil {
		return nil, ofListing(err)
	}
	a, err := s.window(r, req)
	if err != nil {
		return nil, err
	}
	body := runsWindow{ListingVersion: 2, PerPage: req.Rows, Pagination: a.Pagination, Total: a.Total}
	body.Runs, body.StatusEndedAtMismatches = s.runRows(r.Context(), a.Rows)
	return body, nil
}

// window gets the rows of a request, everything read in one transaction that
// has ended when it returns.
func (s *Server) window(r *request, req listing.Request) (a listing.Answer[session.Row], err error) {
	if err := s.requireFile(r); err != nil {
		return a, err
	}
	if a, err = s.cfg.Sources.Windows.List(r.Context(), req); err != nil {
		return a, ofListing(err)
	}
	if at, known := reached(req.Order, a.Reached); known {
		r.header().Set(reachedHeader, strconv.FormatFloat(at, 'f', -1, 64))
	}
	if r.Header.Get("Podium-Debug") == "work" {
		if text, err := json.Marshal(a.Work); err == nil {
			r.header().Set("Podium-Listing-Work", string(text))
		}
	}
	return a, nil
}

// reached is the time of the last examined row; by cost it would say nothing.
func reached(o listing.Order, k *listing.Key) (seconds float64, known bool) {
	if o != listing.Recent || k == nil {
		return 0, false
	}
	switch k.Time.Kind() {
	case listing.KindInt:
		return float64(k.Time.Int()), true
	case listing.KindFloat:
		return k.Time.Float(), true
	default:
		return 0, false
	}
}
