package vendor

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"podium.local/llm"
)

const (
	// errorBody bounds how much of an error answer is read, in bytes.
	errorBody = 64 << 10
	// messageBytes bounds a message that is shown to people.
	messageBytes = 2 << 10
)

// RoundTrip is a middleware of both SDKs. It lets through only an event stream
// that has begun; everything else becomes an *llm.Error.
func (e *Endpoint) RoundTrip(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return nil, e.unreachable(req, err)
	}
	if res.StatusCode == http.StatusOK && isEventStream(res.Header) {
		return res, nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, errorBody))
	if ctxErr := req.Context().Err(); ctxErr != nil {
		return nil, ctxErr
	}
	if err != nil && len(body) == 0 && res.StatusCode == http.StatusOK {
		return nil, e.stream("the answer broke off", err)
	}
	return nil, e.refused(res, body)
}

// isEventStream also accepts an answer that does not say what it is.
func isEventStream(h http.Header) bool {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t == "text/event-stream" || t == "application/octet-stream" || h.Get("Content-Type") == ""
}

// refused reads an answer that is not an event stream.
func (e *Endpoint) refused(res *http.Response, body []byte) *llm.Error {
	said := ParseComplaint(body)
	switch status := res.StatusCode; {
	case status >= 300 && status < 400:
		return e.finish(&llm.Error{
			Kind:    llm.ErrorInvalid,
			Status:  status,
			Message: "the server redirects to " + location(res) + "; set the base URL to the final address",
		})
	case status < 300 && said.Message == "" && said.Code == "":
		return e.finish(&llm.Error{
			Kind:    llm.ErrorInvalid,
			Message: "the server at " + e.base.Host + " did not stream: it answered with " + contentType(res.Header) + "; check the base URL and that the server supports streaming",
		})
	case status < 300:
		return e.Complain(said)
	}
	err := &llm.Error{
		Kind:       KindOfStatus(res.StatusCode),
		Status:     res.StatusCode,
		Code:       said.Code,
		Message:    said.Message,
		RetryAfter: RetryAfter(res.Header, time.Now()),
	}
	return e.finish(err)
}

// Complain turns a vendor's complaint inside an answer into an error. A
// complaint without a code, or with one that nobody knows, is ErrorStream.
func (e *Endpoint) Complain(said Complaint) *llm.Error {
	err := &llm.Error{Code: said.Code, Message: said.Message}
	if said.Status >= 400 {
		err.Kind = KindOfStatus(said.Status)
	}
	return e.finish(err)
}

// finish lets the vendor's words decide, adds the next step and takes out the
// key.
func (e *Endpoint) finish(err *llm.Error) *llm.Error {
	if e.classify != nil {
		e.classify(err)
	}
	if err.Kind == "" {
		err.Kind = llm.ErrorStream
	}
	err.Message = e.clean(err.Message)
	err.Code = e.clean(err.Code)
	if err.Message == "" {
		err.Message = strings.ToLower(http.StatusText(err.Status))
	}
	if err.Message == "" {
		err.Message = "the server reported an error and did not say why"
	}
	switch {
	case err.Kind == llm.ErrorAuth && e.keyEnv != "":
		err.Message += " (check the API key: " + e.keyEnv + " or the configured key file)"
	case err.Kind == llm.ErrorAuth:
		err.Message += " (the server wants an API key)"
	case err.Status == http.StatusNotFound:
		err.Message += " (check the model's name and the base URL)"
	}
	return err
}

// Fail turns whatever ended a call into the error a Provider yields: the
// context's own when ctx ended, an *llm.Error as it is, and ErrorStream for a
// stream that could not be read on.
func (e *Endpoint) Fail(ctx context.Context, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	var known *llm.Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return e.stream("the answer broke off", err)
	}
	return e.stream("cannot read the answer", err)
}

// Unfinished is the error for a stream that ended without the vendor's end
// mark.
func (e *Endpoint) Unfinished(mark string) *llm.Error {
	return &llm.Error{Kind: llm.ErrorStream, Message: "the answer ended early: the stream closed before " + mark, Err: io.ErrUnexpectedEOF}
}

// Malformed is the error for an event that cannot be read.
func (e *Endpoint) Malformed(err error) *llm.Error {
	return e.stream("the server sent an event that cannot be read", err)
}

// Invalid is the error for a request that cannot be put on the wire.
func Invalid(what string) *llm.Error {
	return &llm.Error{Kind: llm.ErrorInvalid, Message: what}
}

func (e *Endpoint) stream(what string, err error) *llm.Error {
	return &llm.Error{Kind: llm.ErrorStream, Message: what + ": " + e.clean(err.Error()), Err: e.hide(err)}
}

// unreachable reads an error of the network. The address goes into the message
// once, without the wrappers that net/http adds.
func (e *Endpoint) unreachable(req *http.Request, err error) error {
	if ctxErr := req.Context().Err(); ctxErr != nil {
		return ctxErr
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	hint := "check the base URL and that the server is running"
	proxied, bad := e.proxied(req)
	if bad {
		// The text of the address may hold a password.
		err = errors.New("the address of the proxy is not a URL")
	}
	if proxied {
		hint = "requests go through a proxy; check " + strings.ToUpper(e.base.Scheme) + "_PROXY, or name this host in NO_PROXY"
	}
	var (
		dns  *net.DNSError
		cert *tls.CertificateVerificationError
		wire tls.RecordHeaderError
	)
	switch {
	case proxied && atProxy(err):
	case errors.As(err, &dns):
		hint = "check the base URL's host name and the network"
	case errors.As(err, &cert):
		hint = "check the base URL and the system's certificates"
	case errors.As(err, &wire):
		hint = "the server does not speak TLS; use http:// in the base URL"
	}
	return &llm.Error{
		Kind:    llm.ErrorNetwork,
		Message: "cannot reach " + e.base.Scheme + "://" + e.base.Host + ": " + e.clean(err.Error()) + " (" + hint + ")",
		Err:     e.hide(err),
	}
}

// proxied reports that a request goes through a proxy, and whether the
// proxy's address is one that cannot be used.
func (e *Endpoint) proxied(req *http.Request) (proxied, bad bool) {
	t, ok := e.client.Transport.(*http.Transport)
	if !ok || t.Proxy == nil {
		return false, false
	}
	address, err := t.Proxy(req)
	return address != nil || err != nil, err != nil
}

// atProxy reports that the proxy itself could not be reached.
func atProxy(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "proxyconnect"
}

// hide drops a cause whose text holds the key.
func (e *Endpoint) hide(err error) error {
	if e.key != "" && strings.Contains(err.Error(), e.key) {
		return nil
	}
	return err
}

// clean makes foreign text fit to show: one line, bounded, without the key.
func (e *Endpoint) clean(s string) string {
	if e.key != "" {
		s = strings.ReplaceAll(s, e.key, "[redacted]")
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) > messageBytes {
		cut := messageBytes
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}

// KindOfStatus is what an HTTP status of 300 or more means to a caller.
func KindOfStatus(status int) llm.ErrorKind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return llm.ErrorAuth
	case status == http.StatusTooManyRequests:
		return llm.ErrorRateLimited
	case status == 529:
		return llm.ErrorOverloaded
	case status == http.StatusRequestTimeout, status >= 500:
		return llm.ErrorUnavailable
	default:
		return llm.ErrorInvalid
	}
}

// RetryAfter reads what a server asks to wait: retry-after-ms, then
// Retry-After in seconds or as a date. 0 when it does not say, or says a time
// that has passed.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return wait(ms, time.Millisecond)
	}
	after := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return wait(s, time.Second)
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// wait bounds a wish to a day, which also keeps it inside a time.Duration.
func wait(n float64, unit time.Duration) time.Duration {
	const most = 24 * time.Hour
	if !(n > 0) { // also false for NaN
		return 0
	}
	if n >= float64(most/unit) {
		return most
	}
	return time.Duration(n * float64(unit))
}

func location(res *http.Response) string {
	to, err := res.Location()
	if err != nil {
		return "an address it does not name"
	}
	return to.Scheme + "://" + to.Host + to.EscapedPath()
}

func contentType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return "an unknown content type"
	}
	return t
}
