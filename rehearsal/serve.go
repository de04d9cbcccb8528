package rehearsal

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// writeRefusal answers with the vendor's error body.
func writeRefusal(w http.ResponseWriter, wire Wire, r refusal, requestID string) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if r.retryAfter != nil {
		retryHeaders(h, *r.retryAfter)
	}
	w.WriteHeader(r.status)
	// The client may be gone; there is nobody left to tell.
	_, _ = w.Write(encode(wire.body(r, requestID)))
}

// requestIDHeader is where each vendor names the request.
func requestIDHeader(wire Wire) string {
	if wire == WireAnthropic {
		return "Request-Id"
	}
	return "X-Request-Id"
}

// checkKey compares the key a script asks for. Neither key is ever repeated.
func (s *Server) checkKey(wire Wire, h http.Header) *refusal {
	want := s.cast.script.Key
	if want == "" {
		return nil
	}
	have := strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
	if wire == WireAnthropic && h.Get("X-Api-Key") != "" {
		have = h.Get("X-Api-Key")
	}
	r := &refusal{status: http.StatusUnauthorized}
	switch {
	case have == "" && wire == WireAnthropic:
		r.message = "x-api-key header is required"
	case have == "":
		r.message = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
	case want == "*" || subtle.ConstantTimeCompare([]byte(have), []byte(want)) == 1:
		return nil
	}
	return r
}

// serveAnswer plays one request of a wire.
func (s *Server) serveAnswer(w http.ResponseWriter, r *http.Request, wire Wire, decode func(http.Header, []byte) (*prompt, *refusal)) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	body, refused := readBody(r)
	req := &Request{At: s.opts.Now(), Wire: wire, Path: r.URL.Path, Header: publicHeaders(r.Header), Body: body}
	var p *prompt
	if refused == nil {
		refused = s.checkKey(wire, r.Header)
	}
	if refused == nil {
		p, refused = decode(r.Header, body)
	}
	if p != nil {
		req.Model, req.System, req.Messages, req.Tools = p.model, p.system, p.messages, p.tools
		req.MaxTokens, req.Stream, req.Turn, req.Step = p.maxTokens, p.stream, p.turn(), p.step()
	}
	s.record.arrive(req)
	requestID := fmt.Sprintf("req_%024d", req.Number)
	w.Header().Set(requestIDHeader(wire), requestID)

	watched := &watchedWriter{ResponseWriter: w}
	var err error
	defer func() {
		s.record.amend(func() { req.Status, req.Done, req.Left = watched.status, true, err != nil })
		s.log(req)
		if err != nil {
			// Whatever stopped the answer, it must not look like one that ended well.
			panic(http.ErrAbortHandler)
		}
	}()
	if refused != nil {
		s.refuse(watched, req, *refused, requestID)
		return
	}
	actor := s.cast.actor(p)
	q, chosen := s.cast.take(p, actor)
	var a *answer
	if chosen == nil {
		a, chosen = s.cast.perform(q, p, actor, idsOf(body), s.opts.Now())
	}
	if chosen != nil {
		s.record.amend(func() { req.Actor = actor })
		s.refuse(watched, req, *invalid("rehearsal: %v", chosen), requestID)
		return
	}
	s.record.amend(func() {
		req.Actor, req.Reply = actor, q.reply.label
		if q.fault != nil {
			req.Fault = q.fault.kind()
		}
	})
	pace := q.reply.Pace.over(s.cast.script.Pace)
	if s.opts.Rush {
		pace.First, pace.Delay = 0, 0
	}
	pl := &player{
		ctx: ctx, w: watched, flush: http.NewResponseController(w), patience: s.opts.Patience,
		answer: a, enc: a.encoder(), pace: pace, fault: q.fault, hold: q.reply.Hold,
		limit: s.cast.script.Context, requestID: requestID,
	}
	err = pl.play()
	if pl.ended {
		s.record.amend(func() { req.Usage = a.usage })
	}
}

func (s *Server) refuse(w http.ResponseWriter, req *Request, r refusal, requestID string) {
	s.record.amend(func() { req.Refused = req.Wire.usual(r).message })
	writeRefusal(w, req.Wire, r, requestID)
}

// log writes the one line of a request.
func (s *Server) log(req *Request) {
	attrs := []any{"n", req.Number, "wire", string(req.Wire), "model", req.Model}
	for _, a := range []struct{ key, value string }{
		{"actor", req.Actor}, {"reply", req.Reply}, {"fault", string(req.Fault)}, {"refused", req.Refused},
	} {
		if a.value != "" {
			attrs = append(attrs, a.key, a.value)
		}
	}
	attrs = append(attrs, "turn", req.Turn, "status", req.Status)
	if req.Usage != (Usage{}) {
		attrs = append(attrs, "in", req.Usage.Input, "out", req.Usage.Output)
	}
	if req.Left {
		attrs = append(attrs, "left", true)
	}
	s.opts.Log.Info("request", attrs...)
}

// watchedWriter remembers the status.
type watchedWriter struct {
	http.ResponseWriter
	status int
}

func (w *watchedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// modelNames are the models a client may see, in the order of the script.
func (s *Server) modelNames() []string {
	names := slices.Clone(s.cast.script.Models)
	for _, a := range s.cast.script.Actors {
		if a.Model != "" && !strings.HasPrefix(a.Model, "/") {
			names = append(names, a.Model)
		}
	}
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// serveModels answers GET …/models and …/models/ID, and refuses the rest.
func (s *Server) serveModels(w http.ResponseWriter, r *http.Request, path string) {
	wire := WireChat
	if r.Header.Get("Anthropic-Version") != "" {
		wire = WireAnthropic
	}
	head, id, one := strings.Cut(path+"/", "/models/")
	id = strings.TrimSuffix(id, "/")
	if !one || strings.HasSuffix(head, "/models") {
		writeRefusal(w, wire, refusal{
			status: http.StatusNotFound, message: fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path),
		}, "")
		return
	}
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		writeRefusal(w, wire, refusal{
			status: http.StatusMethodNotAllowed, message: fmt.Sprintf("Not allowed to %s on %s.", r.Method, r.URL.Path),
		}, "")
		return
	}
	if refused := s.checkKey(wire, r.Header); refused != nil {
		writeRefusal(w, wire, *refused, "")
		return
	}
	names := s.modelNames()
	var doc object
	switch {
	case id == "":
		doc = modelList(wire, names)
	case slices.Contains(names, id):
		doc = modelEntry(wire, id)
	default:
		refused := refusal{status: http.StatusNotFound, message: fmt.Sprintf("The model '%s' does not exist", id), code: "model_not_found"}
		if wire == WireAnthropic {
			refused.message = "model: " + id
		}
		writeRefusal(w, wire, refused, "")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(doc))
}

func modelEntry(wire Wire, name string) object {
	if wire == WireAnthropic {
		return object{{"type", "model"}, {"id", name}, {"display_name", name}, {"created_at", "2026-01-01T00:00:00Z"}}
	}
	return object{{"id", name}, {"object", "model"}, {"created", 1767225600}, {"owned_by", "rehearsal"}}
}

func modelList(wire Wire, names []string) object {
	data := []object{}
	for _, n := range names {
		data = append(data, modelEntry(wire, n))
	}
	if wire == WireAnthropic {
		var first, last any
		if len(names) > 0 {
			first, last = names[0], names[len(names)-1]
		}
		return object{{"data", data}, {"has_more", false}, {"first_id", first}, {"last_id", last}}
	}
	return object{{"object", "list"}, {"data", data}}
}
