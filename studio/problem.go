package studio

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"podium.local/session"
)

// clientGone is the status that is noted, never sent, for a client that did not
// wait for its answer.
const clientGone = 499

// problem is an error that a client sees: a status and the value of "detail".
type problem struct {
	status int
	// detail is a string, or a list of fieldProblem.
	detail any
	// retryAfter is in seconds; 0 sends no Retry-After.
	retryAfter int
	// header has what the answer says beside its body; nil is nothing.
	header http.Header
	cause  error
}

func (p *problem) Error() string {
	if p.cause != nil {
		return fmt.Sprintf("%d: %v", p.status, p.cause)
	}
	return fmt.Sprintf("%d: %v", p.status, p.detail)
}

func (p *problem) Unwrap() error { return p.cause }

// errorBody is the body of most errors.
type errorBody struct {
	Detail string `json:"detail" doc:"What is wrong, in words."`
}

// validationBody is the body of a 422 for parameters: every problem of the
// request, in the order of the parameters.
type validationBody struct {
	Detail []fieldProblem `json:"detail" nullable:"false"`
}

// fieldProblem is one unusable parameter or body member.
type fieldProblem struct {
	Type  string   `json:"type" doc:"Machine word for the kind of problem."`
	Loc   []string `json:"loc" nullable:"false" doc:"Where: query or body, then the name."`
	Msg   string   `json:"msg"`
	Input document `json:"input"`
	Ctx   document `json:"ctx,omitzero" doc:"The bound that was passed, for ge and le."`
}

// unsupportedBody is the 501 of a store that is not a local file.
type unsupportedBody struct {
	Detail  string `json:"detail"`
	Route   string `json:"route"`
	Backend string `json:"backend"`
}

// failf is a problem with a plain text.
func failf(status int, format string, args ...any) *problem {
	return &problem{status: status, detail: fmt.Sprintf(format, args...)}
}

// problemOf turns what a source answered into what a client sees. An error
// that is nobody's mistake is an opaque 500 and goes to the log.
func problemOf(err error) *problem {
	var p *problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, session.ErrSlow):
		return &problem{status: http.StatusServiceUnavailable, detail: "The read took longer than 5 seconds and was stopped; narrow the request.", cause: err}
	case errors.Is(err, context.Canceled):
		// The client has gone; nothing can be said to it.
		return &problem{status: clientGone, cause: err}
	case errors.Is(err, session.ErrOverloaded):
		// 503 and not 429: the daemon is full, the client did nothing wrong.
		return &problem{status: http.StatusServiceUnavailable, detail: "Too many large reads at once; try again in a moment.", retryAfter: 1, cause: err}
	case errors.Is(err, session.ErrBusy):
		return &problem{status: http.StatusServiceUnavailable, detail: "The store is locked by another program; try again in a moment.", retryAfter: 1, cause: err}
	case errors.Is(err, session.ErrHeld):
		// 409: the state can change when the pod leaves.
		return &problem{status: http.StatusConflict, detail: "A live pod holds this session; stop it first.", cause: err}
	case errors.Is(err, session.ErrAdopted):
		return &problem{status: http.StatusConflict, detail: "This store was adopted and is for reading; sessions in it are renamed and deleted by the program that owns it.", cause: err}
	case errors.Is(err, session.ErrReadOnly):
		return &problem{status: http.StatusConflict, detail: "The store cannot be written; check the file's permissions.", cause: err}
	case errors.Is(err, session.ErrFull):
		return &problem{status: http.StatusInsufficientStorage, detail: "The disk that holds the store is full; nothing was changed.", cause: err}
	case errors.Is(err, session.ErrNotReady):
		return &problem{status: http.StatusServiceUnavailable, detail: err.Error(), cause: err}
	default:
		return &problem{status: http.StatusInternalServerError, cause: err}
	}
}

// writeProblem sends p. A 500 says nothing but that it happened.
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, p *problem) {
	if p.cause != nil && p.status != clientGone {
		s.log.LogAttrs(r.Context(), slog.LevelWarn, "request failed",
			slog.String("method", r.Method), slog.String("route", r.Pattern), slog.Int("status", p.status), slog.Any("error", p.cause))
	}
	maps.Copy(w.Header(), p.header)
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	switch {
	case p.detail == nil:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(p.status)
		if p.status == http.StatusInternalServerError {
			_, _ = w.Write([]byte("Internal Server Error"))
		}
	default:
		body, err := encode(p.body())
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		sendJSON(w, p.status, body)
	}
}

// body is the JSON value of the answer.
func (p *problem) body() any {
	switch d := p.detail.(type) {
	case []fieldProblem:
		return validationBody{Detail: d}
	case unsupportedBody:
		return d
	case podRefusal:
		return podRefusalBody{Detail: d}
	case listingProblem:
		return listingProblemBody{Detail: d}
	default:
		return errorBody{Detail: fmt.Sprint(d)}
	}
}

// quoteNames renders names as v1 does: a bracketed list in single quotes.
func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = pythonQuote(n)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// pythonQuote is a text in the quotes that v1's messages use: single ones,
// double ones when the text holds only single ones.
func pythonQuote(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteByte(quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0x7f && !strconv.IsPrint(r) && r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xff && !strconv.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r > 0xffff && !strconv.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte(quote)
	return b.String()
}
