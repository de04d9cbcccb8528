package vendor

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"podium.local/llm"
)

// Config describes an endpoint to New.
type Config struct {
	// Name is what error messages call the provider.
	Name string
	// BaseURL is the address requests are sent below; empty means DefaultURL.
	BaseURL, DefaultURL string
	// APIKey is the secret; empty means none.
	APIKey string
	// KeyEnv is the environment variable users keep the key in, for messages.
	// Empty says that this endpoint never needs a key. The variable is not read.
	KeyEnv string
	// HTTPClient sends the requests; nil means a client of the endpoint's own.
	HTTPClient *http.Client
	// Classify may change the kind of an error by the vendor's words. Kind is
	// already set by the status, or empty for an error inside a stream.
	Classify func(*llm.Error)
}

// Endpoint is where one provider's requests go. It is safe for concurrent use.
type Endpoint struct {
	name, keyEnv, key string
	base              *url.URL
	client            *http.Client
	classify          func(*llm.Error)
}

// New checks c. Errors are *llm.Error and say what to set.
//
// A vendor's own address needs a key; any other address may do without, since
// a local server has none.
func New(c Config) (*Endpoint, error) {
	e := &Endpoint{name: c.Name, keyEnv: c.KeyEnv, key: strings.TrimSpace(c.APIKey), classify: c.Classify}
	address := c.BaseURL
	if address == "" {
		address = c.DefaultURL
		if e.key == "" && c.KeyEnv != "" {
			return nil, &llm.Error{
				Kind:    llm.ErrorAuth,
				Message: c.Name + ": no API key: set " + c.KeyEnv + ", name a key file in the configuration, or give the base URL of a server that needs none",
			}
		}
	}
	if strings.ContainsFunc(e.key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &llm.Error{
			Kind:    llm.ErrorAuth,
			Message: c.Name + ": the API key holds a space or a character that cannot be sent in a header: copy it again",
		}
	}
	base, err := parseBase(address)
	if err != "" {
		return nil, &llm.Error{Kind: llm.ErrorInvalid, Message: c.Name + ": cannot use the base URL: " + err}
	}
	e.base = base
	e.client = newClient(c.HTTPClient)
	return e, nil
}

// parseBase returns the address, or what is wrong with it. The text of an
// address is not repeated where it may hold a secret.
func parseBase(address string) (*url.URL, string) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, "it is not a URL; write it like http://localhost:11434/v1"
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, "it must begin with http:// or https://"
	case u.Hostname() == "":
		return nil, "it names no host; write it like http://localhost:11434/v1"
	case u.User != nil:
		return nil, "it holds a user name or password; give the secret as the API key"
	case u.RawQuery != "" || u.Fragment != "":
		return nil, "it holds a query or a fragment, which requests cannot keep; end it at the path"
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	return u, ""
}

// newClient never follows redirects: a key must not travel to a host that
// nobody configured. It sets no limit on the length of an answer.
func newClient(given *http.Client) *http.Client {
	c := &http.Client{}
	if given != nil {
		*c = *given
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t = t.Clone()
		t.DialContext = (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext
		c.Transport = t
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

const (
	// connectTimeout bounds the making of a TCP connection.
	connectTimeout = 10 * time.Second
	// releaseWait and releaseBytes bound what is spent on keeping a connection
	// after the end mark: less than a TLS handshake is worth.
	releaseWait  = 250 * time.Millisecond
	releaseBytes = 64 << 10
)

// BaseURL is the checked address, without a slash at its end.
func (e *Endpoint) BaseURL() *url.URL { u := *e.base; return &u }

// Key is the secret; empty for none.
func (e *Endpoint) Key() string { return e.key }

// Client sends the requests.
func (e *Endpoint) Client() *http.Client { return e.client }

// Release ends an answer whose end mark was read. It reads what little is left,
// so that the connection can serve the next request, and closes the body;
// cancel is called when the server keeps the answer open.
func Release(body io.ReadCloser, cancel context.CancelFunc) {
	timer := time.AfterFunc(releaseWait, cancel)
	_, _ = io.CopyN(io.Discard, body, releaseBytes)
	timer.Stop()
	_ = body.Close()
}
