package studio

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// maxBody bounds the body of a mutation, in bytes.
const maxBody = 1 << 20

// request is what a handler gets: the HTTP request with its parameters read.
type request struct {
	*http.Request
	w      http.ResponseWriter
	query  query
	values *values
	route  *route
}

// header is the header of the answer.
func (r *request) header() http.Header { return r.w.Header() }

// id is the path's {id}: any text.
func (r *request) id() string { return r.PathValue("id") }

// body is a request body that is a JSON object.
type body struct{ doc document }

// bodyObject reads the request body, which must be one JSON object.
func (r *request) bodyObject() (*body, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(r.w, r.Body, maxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, failf(http.StatusRequestEntityTooLarge, "The request body is larger than 1 MiB.")
		}
		return nil, &problem{status: http.StatusBadRequest, detail: "The request body could not be read.", cause: err}
	}
	settleBody(r.w)
	if len(raw) == 0 {
		return nil, bodyProblem("missing", nil, "Field required", "null", "")
	}
	doc, err := parseDocument(string(raw))
	if err != nil {
		return nil, bodyProblem("json_invalid", nil, "JSON decode error", "{}", `{"error":"the text is not one JSON value"}`)
	}
	if !doc.object() {
		return nil, bodyProblem("model_attributes_type", nil, "Input should be a valid dictionary or object to extract fields from", doc, "")
	}
	return &body{doc}, nil
}

// limitBody bounds how long the request's body may take, and lets the
// connection end with its answer: net/http reads what a handler left of a body, in
// front of the answer unless the connection closes, and always behind it. So
// the limit stays until the whole body is there. Requests without a body,
// event streams among them, have none.
func limitBody(w http.ResponseWriter, r *http.Request, limit time.Duration) {
	if r.ContentLength == 0 {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit))
	w.Header().Set("Connection", "close")
}

// settleBody lifts what limitBody set, for a body that was read to its end: the
// server keeps reading to notice that a client left.
func settleBody(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	w.Header().Del("Connection")
}

// requiredText is a member that must be there and be a string.
func (b *body) requiredText(name string) (string, error) {
	value, ok := b.doc.member(name)
	if !ok {
		return "", bodyProblem("missing", []string{name}, "Field required", b.doc, "")
	}
	text, ok := value.text()
	if !ok {
		return "", bodyProblem("string_type", []string{name}, "Input should be a valid string", value, "")
	}
	return text, nil
}

func bodyProblem(kind string, loc []string, msg string, input, ctx document) *problem {
	return &problem{status: http.StatusUnprocessableEntity, detail: []fieldProblem{{
		Type: kind, Loc: append([]string{"body"}, loc...), Msg: msg, Input: input, Ctx: ctx,
	}}}
}

// handleJSON answers with the value of a route's handler.
func (s *Server) handleJSON(r *request) {
	out, err := r.route.handle(r)
	if err != nil {
		s.writeProblem(r.w, r.Request, problemOf(err))
		return
	}
	if r.route.status == http.StatusNoContent {
		r.w.WriteHeader(http.StatusNoContent)
		return
	}
	raw, ok := out.(json.RawMessage)
	if !ok {
		raw, err = encode(out)
	}
	if err != nil {
		s.writeProblem(r.w, r.Request, &problem{status: http.StatusInternalServerError, cause: err})
		return
	}
	sendJSON(r.w, max(r.route.status, http.StatusOK), raw)
}
