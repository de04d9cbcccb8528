package studio

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// access says which requests a route serves.
type access int

const (
	// readAccess is open on this machine unless a token is configured.
	readAccess access = iota
	// tokenAccess needs a bearer always: the route changes something or reads a
	// file.
	tokenAccess
	// openAccess never needs one.
	openAccess
)

// route is one line of the route table.
type route struct {
	method string
	// path is the documented path; rest marks its last variable as taking the
	// rest of the path, slashes too.
	path   string
	rest   bool
	id     string
	area   string
	doc    string
	access access
	params params
	// status is the success status, 200 when zero.
	status int
	// body and response are zero values of the types in the document; media is
	// the response's media type, JSON when empty.
	body, response any
	media          string
	// errors are the statuses with the plain error body; list adds the 422 with
	// its list of problems, store the 501 of an unsupported store.
	errors []int
	list   bool
	store  bool
	// conflict is the body of the 409, where it is not the plain one.
	conflict any
	// handle answers with JSON; stream writes the answer itself. bounded answers a
	// listing's requests of version 2.
	handle  func(*request) (any, error)
	stream  func(*request)
	bounded func(*request) (any, error)
}

// routes is the whole list; nothing else is served but the page.
func (s *Server) routes() []route {
	return slices.Concat(s.shellRoutes(), s.sessionRoutes(), s.runRoutes(), s.projectRoutes(), s.podRoutes(), s.adminRoutes())
}

// shellRoutes are those that need no store.
func (s *Server) shellRoutes() []route {
	return []route{
		{
			method: http.MethodGet, path: "/health", id: "health", area: "shell", access: openAccess,
			doc: "Says that the daemon answers. Does not look at the store.", response: healthBody{},
			handle: func(*request) (any, error) { return healthBody{Status: "ok"}, nil },
		},
		{
			method: http.MethodGet, path: "/openapi.json", id: "openapi", area: "shell", access: readAccess,
			doc: "This document.", response: document(""),
			handle: func(*request) (any, error) { return json.RawMessage(s.openapi), nil },
		},
		{
			method: http.MethodGet, path: listingDocumentPath, id: "openapiListingV2", area: "shell", access: readAccess,
			doc: "The document of the listings' version 2.", response: document(""),
			handle: func(*request) (any, error) { return json.RawMessage(s.openapiV2), nil },
		},
		{
			method: http.MethodGet, path: "/metrics", id: "metrics", area: "shell", access: readAccess,
			doc: "Counters in the Prometheus text format.", media: "text/plain",
			stream: func(r *request) { s.metrics.handler().ServeHTTP(r.w, r.Request) },
		},
		{
			method: http.MethodPost, path: tokenPath, id: "exchangeCode", area: "shell", access: openAccess,
			doc:  "Trades a one-time code for the bearer token, once, within 60 seconds.",
			body: tokenRequest{}, response: tokenResponse{}, errors: []int{http.StatusUnauthorized}, list: true,
			handle: s.exchangeCode,
		},
	}
}

// healthBody is the answer of /health.
type healthBody struct {
	Status string `json:"status"`
}

// mount builds the handler of the routes: exact paths, a JSON answer for
// everything below /api that is not one of them, and the page elsewhere.
func (s *Server) mount(routes []route) http.Handler {
	mux := http.NewServeMux()
	byPath := make(map[string][]*route)
	var order []string
	for i := range routes {
		rt := &routes[i]
		if byPath[rt.path] == nil {
			order = append(order, rt.path)
		}
		byPath[rt.path] = append(byPath[rt.path], rt)
	}
	for _, path := range order {
		group := byPath[path]
		mux.Handle(group[0].pattern(), s.dispatch(group))
		if bare := strings.TrimSuffix(path, "/"); bare != path && path != "/" {
			mux.HandleFunc(bare, addSlash)
		}
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.writeProblem(w, r, failf(http.StatusNotFound, "Not Found"))
	})
	mux.Handle("/", newPage(s.cfg.Page))
	return s.recovering(s.refuseUnclean(mux))
}

// pattern is the path in the router's own notation, matched exactly.
func (rt *route) pattern() string {
	p := rt.path
	if rt.rest {
		p = strings.TrimSuffix(p, "}") + "...}"
	}
	if strings.HasSuffix(p, "/") {
		p += "{$}"
	}
	return p
}

// refuseUnclean answers for the addresses below /api that the router would
// redirect with a page: those with an empty step, or with . or .. for one.
func (s *Server) refuseUnclean(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked := r.URL.EscapedPath(); strings.HasPrefix(asked, "/api/") {
			if clean := path.Clean(asked); clean != asked && clean+"/" != asked {
				s.writeProblem(w, r, failf(http.StatusNotFound, "Not Found"))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// addSlash sends a listing asked for without its slash to the address with
// it. Clients avoid this: it turns a simple request into two.
func addSlash(w http.ResponseWriter, r *http.Request) {
	target := "http://" + r.Host + r.URL.EscapedPath() + "/"
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", target)
	w.WriteHeader(http.StatusTemporaryRedirect)
}

// dispatch picks the route of a path by method, checks its token rule, reads
// its parameters and calls it.
func (s *Server) dispatch(group []*route) http.Handler {
	var allow []string
	for _, rt := range group {
		allow = append(allow, rt.method)
	}
	slices.Sort(allow)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := slices.IndexFunc(group, func(rt *route) bool { return rt.method == r.Method })
		if i < 0 {
			w.Header().Set("Allow", strings.Join(allow, ", "))
			s.writeProblem(w, r, failf(http.StatusMethodNotAllowed, "Method Not Allowed"))
			return
		}
		rt := group[i]
		start := time.Now()
		sw := &statusWriter{ResponseWriter: w}
		defer func() { s.metrics.observe(rt, r.Method, max(sw.status, http.StatusOK), time.Since(start)) }()
		if rt.access == tokenAccess && !s.authorized(r) {
			s.metrics.refused.WithLabelValues("bearer").Inc()
			s.writeProblem(sw, r, unauthorized)
			return
		}
		req := &request{Request: r, w: sw, query: parseQuery(r.URL.RawQuery), route: rt}
		if rt.bounded != nil && s.versioned(req) {
			return
		}
		var problems []fieldProblem
		if req.values, problems = rt.params.parse(req.query); problems != nil {
			s.writeProblem(sw, r, &problem{status: http.StatusUnprocessableEntity, detail: problems})
			return
		}
		if rt.stream != nil {
			rt.stream(req)
			return
		}
		s.handleJSON(req)
	})
}

// recovering turns a panic of a handler into an opaque 500 and a log line.
func (s *Server) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause == http.ErrAbortHandler {
				panic(cause)
			}
			s.log.LogAttrs(r.Context(), slog.LevelError, "handler panicked",
				slog.String("method", r.Method), slog.String("route", r.Pattern), slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
			s.writeProblem(w, r, &problem{status: http.StatusInternalServerError})
		}()
		next.ServeHTTP(w, r)
	})
}

// requireFile refuses a route whose store is configured as something that is
// not a local file: 501 and not 503, because waiting cannot help.
func (s *Server) requireFile(r *request) error {
	if s.cfg.Backend == "" {
		return nil
	}
	path := r.URL.Path
	return &problem{status: http.StatusNotImplemented, detail: unsupportedBody{
		Detail:  path + " cannot answer: the configured store is " + s.cfg.Backend + "-backed, and this route can only read from a local SQLite file.",
		Route:   path,
		Backend: s.cfg.Backend,
	}}
}

// methodsOf lists the methods in use, those of the page and of preflights
// included, sorted, each once.
func methodsOf(routes []route) []string {
	methods := []string{http.MethodOptions, http.MethodHead}
	for _, rt := range routes {
		methods = append(methods, rt.method)
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}
