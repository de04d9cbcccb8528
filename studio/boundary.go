package studio

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Forms of a Host header: a name or an address with an optional port.
var (
	hostName = regexp.MustCompile(`^([A-Za-z0-9.-]+)(?::[0-9]{1,5})?$`)
	hostIPv6 = regexp.MustCompile(`^\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?$`)
)

// contentPolicy allows the page its own script, style and data and nothing
// else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; " +
	"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// corsMaxAge is how long, in seconds, a browser may keep a preflight.
const corsMaxAge = "600"

// unauthorized never says why.
var unauthorized = &problem{status: http.StatusUnauthorized, detail: "Unauthorized"}

// boundary is everything a request passes before its route, outermost first:
// security headers, Host, CORS, origin, JSON content type, bearer.
//
// The Host check is the defence against DNS rebinding: a foreign page that
// makes its own name resolve to this machine still sends its own name.
type boundary struct {
	server  *Server
	hosts   map[string]bool
	origins []string
	anyone  bool   // the origin list holds *
	methods string // of the mounted routes, for preflights
	inner   http.Handler
}

func newBoundary(s *Server, methods []string, inner http.Handler) *boundary {
	b := &boundary{server: s, inner: inner, hosts: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}}
	if host := strings.ToLower(s.cfg.BindHost); host != "" && !wildcardHost(host) && !loopbackHost(host) {
		b.hosts[host] = true
	}
	for _, o := range s.cfg.Origins {
		if o == "*" {
			b.anyone = true
			continue
		}
		b.origins = append(b.origins, o)
	}
	b.methods = strings.Join(methods, ", ")
	return b
}

// ServeHTTP runs the checks in their order.
func (b *boundary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setSecurityHeaders(w.Header())
	limitBody(w, r, b.server.cfg.BodyTimeout)
	if !b.hostAllowed(r.Host) {
		b.refuse(w, r, "host", failf(http.StatusBadRequest, "Invalid Host header: '%s'", r.Host))
		return
	}
	if b.cors(w, r) {
		return
	}
	if p := b.foreign(r); p != nil {
		b.refuse(w, r, "origin", p)
		return
	}
	if apiPath(r.URL.Path) && mutating(r.Method) && !jsonRequest(r) {
		b.refuse(w, r, "content_type", failf(http.StatusUnsupportedMediaType, "Content-Type must be application/json"))
		return
	}
	if r.Method != http.MethodOptions && b.server.cfg.Token != "" && guarded(r.URL.Path) && !b.server.authorized(r) {
		b.refuse(w, r, "bearer", unauthorized)
		return
	}
	b.inner.ServeHTTP(w, r)
}

func (b *boundary) refuse(w http.ResponseWriter, r *http.Request, rule string, p *problem) {
	b.server.metrics.refused.WithLabelValues(rule).Inc()
	b.server.writeProblem(w, r, p)
}

func setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// hostAllowed checks form and name; any port is fine.
func (b *boundary) hostAllowed(raw string) bool {
	if m := hostName.FindStringSubmatch(raw); m != nil {
		return b.hosts[strings.ToLower(m[1])]
	}
	if m := hostIPv6.FindStringSubmatch(raw); m != nil {
		addr, err := netip.ParseAddr(m[1])
		return err == nil && (b.hosts[addr.String()] || b.hosts[strings.ToLower(m[1])])
	}
	return false
}

// cors adds the headers for a listed origin and answers preflights; done
// means that the request has its answer.
func (b *boundary) cors(w http.ResponseWriter, r *http.Request) (done bool) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	allowed := b.listed(origin) && !podPath(r.URL.Path)
	if allowed {
		b.allowOrigin(w.Header(), origin)
	}
	wanted := r.Header.Get("Access-Control-Request-Method")
	if r.Method != http.MethodOptions || wanted == "" {
		return false
	}
	if !allowed || !slices.Contains(strings.Split(b.methods, ", "), wanted) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("Disallowed CORS request"))
		return true
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", b.methods)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	if headers := r.Header.Get("Access-Control-Request-Headers"); headers != "" {
		h.Set("Access-Control-Allow-Headers", headers)
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte("OK"))
	return true
}

func (b *boundary) listed(origin string) bool {
	return b.anyone || slices.Contains(b.origins, origin)
}

func (b *boundary) allowOrigin(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	if b.anyone {
		origin = "*"
	}
	h.Set("Access-Control-Allow-Origin", origin)
}

// foreign refuses what another site's page may have caused: a mutation with
// an origin that is neither ours nor listed, and any API request that the
// browser says comes from another site.
func (b *boundary) foreign(r *http.Request) *problem {
	origin := r.Header.Get("Origin")
	listed := origin != "" && b.listed(origin) && !podPath(r.URL.Path)
	ok := origin == "" || b.own(origin, r.Host) || listed
	if mutating(r.Method) && !ok {
		return failf(http.StatusForbidden, "Requests from %s may not change anything here; list it in CORS_ORIGINS if it should.", originText(origin))
	}
	if !apiPath(r.URL.Path) {
		return nil
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		if !listed {
			return failf(http.StatusForbidden, "Requests from other sites are refused; list the origin in CORS_ORIGINS if it should be served.")
		}
	}
	return nil
}

// own reports whether an origin is the one this request was sent to.
func (b *boundary) own(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host) && u.Path == "" && u.RawQuery == ""
}

// originText is an origin for an error text, cut to what an origin can be.
func originText(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return "that origin"
	}
	return u.Scheme + "://" + u.Host
}

func mutating(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

func apiPath(p string) bool { return p == "/api" || strings.HasPrefix(p, "/api/") }

// guarded are the paths that a configured token protects. The code exchange
// is the one exception below /api: it is how a page gets its token.
func guarded(p string) bool {
	return apiPath(p) && p != tokenPath || p == "/metrics" || p == "/openapi.json" || p == listingDocumentPath
}

func jsonRequest(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		// The parameters may be odd; the type in front of them decides.
		media = strings.ToLower(strings.TrimSpace(strings.SplitN(r.Header.Get("Content-Type"), ";", 2)[0]))
	}
	return media == "application/json"
}

// authorized compares the bearer with the token in force, in constant time.
func (s *Server) authorized(r *http.Request) bool {
	token := s.cfg.Token
	if token == "" {
		token = s.cfg.LocalToken
	}
	given := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	want := sha256.Sum256([]byte("Bearer " + token))
	return subtle.ConstantTimeCompare(given[:], want[:]) == 1 && token != ""
}

// loopbackHost reports whether a bind host only serves this machine.
func loopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func wildcardHost(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsUnspecified()
}
