package anthropic

import (
	"context"
	"iter"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

// KeyEnv is the environment variable that users keep the key in. This package
// does not read it.
const KeyEnv = "ANTHROPIC_API_KEY"

// DefaultMaxTokens caps an answer when the request does not: the wire wants a
// number, and every model that is still served accepts this one.
const DefaultMaxTokens = 8192

const defaultURL = "https://api.anthropic.com"

// Options says where requests go and how.
type Options struct {
	// BaseURL is the server's address without /v1; empty is the vendor's own.
	BaseURL string
	// APIKey is needed for the vendor's own address.
	APIKey string
	// HTTPClient sends the requests; nil is a client without a time limit. It is
	// copied, and the copy follows no redirects.
	HTTPClient *http.Client
}

type provider struct {
	endpoint *vendor.Endpoint
	messages sdk.MessageService
}

// New makes a provider; safe for concurrent use. Errors are *llm.Error: no key,
// or an address that cannot be used.
func New(o Options) (llm.Provider, error) {
	endpoint, err := vendor.New(vendor.Config{
		Name:       "anthropic",
		BaseURL:    strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/v1"),
		DefaultURL: defaultURL,
		APIKey:     o.APIKey,
		KeyEnv:     KeyEnv,
		HTTPClient: o.HTTPClient,
		Classify:   classify,
	})
	if err != nil {
		return nil, err
	}
	// The service is made without a client, so nothing comes from the
	// environment behind the configuration's back.
	options := []option.RequestOption{
		option.WithBaseURL(endpoint.BaseURL().String()),
		option.WithHTTPClient(endpoint.Client()),
		option.WithMaxRetries(0),
		option.WithMiddleware(endpoint.RoundTrip),
		option.WithoutOpenTelemetry(),
	}
	if key := endpoint.Key(); key != "" {
		options = append(options, option.WithAPIKey(key))
		if o.BaseURL != "" {
			// Servers that only resemble the vendor's look for the older header.
			options = append(options, option.WithHeader("X-Api-Key", key))
		}
	}
	return &provider{endpoint: endpoint, messages: sdk.NewMessageService(options...)}, nil
}

// Stream sends one request when the sequence is ranged over.
func (p *provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		params, options, err := buildRequest(req)
		if err != nil {
			yield(nil, err)
			return
		}
		callCtx, cancel := context.WithCancel(ctx)
		defer cancel()
		var res *http.Response
		opened := p.messages.NewStreaming(callCtx, params, append(options, option.WithResponseInto(&res))...)
		if err := opened.Err(); err != nil {
			yield(nil, p.endpoint.Fail(ctx, err))
			return
		}
		defer res.Body.Close()

		answer := answer{endpoint: p.endpoint}
		// pass yields and reports whether to go on.
		pass := func(deltas []llm.Delta, err error) bool {
			for _, d := range deltas {
				if !yield(d, nil) {
					return false
				}
			}
			if err != nil {
				yield(nil, p.endpoint.Fail(ctx, err))
			}
			return err == nil
		}
		events := ssestream.NewDecoder(res)
		for events.Next() {
			more := pass(answer.read(events.Event().Data))
			if answer.finished { // also for a caller who breaks out at the Finish
				vendor.Release(res.Body, cancel)
				return
			}
			if !more {
				return
			}
		}
		err = events.Err()
		if err == nil {
			err = p.endpoint.Unfinished("message_stop")
		}
		pass(nil, err)
	}
}

// classify reads the vendor's words where they say more than the status: for
// errors inside a stream, which have none, and for the conditions that share a
// status with others.
func classify(e *llm.Error) {
	switch e.Code {
	case "overloaded_error":
		e.Kind = llm.ErrorOverloaded
	case "request_too_large", "request_body_too_large_after_decoding":
		e.Kind = llm.ErrorContextOverflow
	case "contract_spend_limit_reached", "enforced_spend_limit_reached":
		e.Kind = llm.ErrorInvalid // 429, but waiting does not help
	}
	if e.Status == http.StatusRequestEntityTooLarge {
		e.Kind = llm.ErrorContextOverflow
	}
	if e.Kind == "" {
		e.Kind = kinds[e.Code]
	}
	if e.Kind == llm.ErrorInvalid && saysTooLong(e.Message) {
		e.Kind = llm.ErrorContextOverflow
	}
}

// kinds are the error types as they come inside a stream.
var kinds = map[string]llm.ErrorKind{
	"rate_limit_error":      llm.ErrorRateLimited,
	"authentication_error":  llm.ErrorAuth,
	"permission_error":      llm.ErrorAuth,
	"api_error":             llm.ErrorUnavailable,
	"timeout_error":         llm.ErrorUnavailable,
	"invalid_request_error": llm.ErrorInvalid,
	"not_found_error":       llm.ErrorInvalid,
	"billing_error":         llm.ErrorInvalid,
	"conflict_error":        llm.ErrorInvalid,
}

// saysTooLong knows the vendor's two sentences for a prompt that does not fit.
func saysTooLong(message string) bool {
	m := strings.ToLower(message)
	return strings.Contains(m, "prompt is too long") ||
		strings.Contains(m, "exceed context limit")
}
