package llmtest

import (
	"io"
	"net/http"
	"sync"
)

// Tape is a server in memory that answers with fixed bytes, for the answers
// that the rehearsal server would never give. It keeps what was sent to it.
type Tape struct {
	body io.Reader

	mu   sync.Mutex
	sent []Sent
}

// Sent is one request as it left the adapter.
type Sent struct {
	URL    string
	Header http.Header
	Body   []byte
}

// NewTape makes a Tape whose first answer is an event stream of these bytes;
// further ones are empty. A body that is an io.Closer is closed as the adapter
// closes it.
func NewTape(body io.Reader) *Tape { return &Tape{body: body} }

// Client sends every request to the tape.
func (t *Tape) Client() *http.Client { return &http.Client{Transport: t} }

// Sent are the requests so far.
func (t *Tape) Sent() []Sent {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent
}

// RoundTrip keeps the request and plays the tape.
func (t *Tape) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	answer, ok := t.body.(io.ReadCloser)
	if !ok {
		answer = io.NopCloser(t.body)
	}
	t.mu.Lock()
	t.sent = append(t.sent, Sent{URL: req.URL.String(), Header: req.Header.Clone(), Body: body})
	t.mu.Unlock()
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   answer, ContentLength: -1, Request: req,
	}, nil
}
