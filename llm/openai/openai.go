package openai

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

// The environment variables that users keep keys in. This package does not read
// them.
const (
	KeyEnv       = "OPENAI_API_KEY"
	GeminiKeyEnv = "GEMINI_API_KEY"
)

// Addresses used when Options name none.
const (
	defaultURL = "https://api.openai.com/v1"
	ollamaURL  = "http://localhost:11434/v1"
	geminiURL  = "https://generativelanguage.googleapis.com/v1beta/openai"
)

// Options says where requests go and how.
type Options struct {
	// BaseURL is the server's address, with the /v1 or whatever its paths begin
	// with; empty is the vendor's own.
	BaseURL string
	// APIKey is needed for a vendor's own address.
	APIKey string
	// HTTPClient sends the requests; nil is a client without a time limit. It is
	// copied, and the copy follows no redirects.
	HTTPClient *http.Client
}

func (o Options) endpoint(name, address, keyEnv string) (*vendor.Endpoint, []option.RequestOption, error) {
	endpoint, err := vendor.New(vendor.Config{
		Name:       name,
		BaseURL:    o.BaseURL,
		DefaultURL: address,
		APIKey:     o.APIKey,
		KeyEnv:     keyEnv,
		HTTPClient: o.HTTPClient,
		Classify:   classify,
	})
	if err != nil {
		return nil, nil, err
	}
	// The services are made without a client, so nothing comes from the
	// environment behind the configuration's back.
	options := []option.RequestOption{
		option.WithBaseURL(endpoint.BaseURL().String()),
		option.WithHTTPClient(endpoint.Client()),
		option.WithMaxRetries(0),
		option.WithMiddleware(endpoint.RoundTrip),
	}
	if key := endpoint.Key(); key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	return endpoint, options, nil
}

// reader turns the data of one answer's events into deltas.
type reader interface {
	// read takes one event. An error ends the answer; the deltas before it still
	// count.
	read(data []byte) ([]llm.Delta, error)
	// finished reports whether the end mark was read.
	finished() bool
	// closed is asked when the stream ended without an end mark.
	closed() ([]llm.Delta, error)
}

// stream opens an answer and yields what r reads from it.
func stream(ctx context.Context, endpoint *vendor.Endpoint, r reader, open func(context.Context, ...option.RequestOption) error) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		callCtx, cancel := context.WithCancel(ctx)
		defer cancel()
		var res *http.Response
		if err := open(callCtx, option.WithResponseInto(&res)); err != nil {
			yield(nil, endpoint.Fail(ctx, err))
			return
		}
		defer res.Body.Close()
		// pass yields and reports whether to go on.
		pass := func(deltas []llm.Delta, err error) bool {
			for _, d := range deltas {
				if !yield(d, nil) {
					return false
				}
			}
			if err != nil {
				yield(nil, endpoint.Fail(ctx, err))
			}
			return err == nil
		}
		events := ssestream.NewDecoder(res)
		for events.Next() {
			more := pass(r.read(events.Event().Data))
			if r.finished() { // also for a caller who breaks out at the Finish
				vendor.Release(res.Body, cancel)
				return
			}
			if !more {
				return
			}
		}
		deltas, err := r.closed()
		if broken := events.Err(); broken != nil && err != nil {
			err = broken
		}
		pass(deltas, err)
	}
}

// classify reads codes where they say more than the status: for errors inside
// a stream, which have none, and for the conditions that share a status with
// others.
func classify(e *llm.Error) {
	code := strings.ToLower(e.Code)
	switch code {
	case "context_length_exceeded", "exceed_context_size_error", "string_above_max_length":
		e.Kind = llm.ErrorContextOverflow
		return
	case "insufficient_quota", "billing_hard_limit_reached", "billing_not_active":
		e.Kind = llm.ErrorInvalid // 429, but waiting does not help
		return
	}
	if e.Status == http.StatusRequestEntityTooLarge || (e.Kind != llm.ErrorRateLimited && saysTooLong(e.Message)) {
		e.Kind = llm.ErrorContextOverflow
		return
	}
	if e.Kind != "" || code == "" {
		return
	}
	if kind, known := kinds[code]; known {
		e.Kind = kind
	} else {
		e.Kind = llm.ErrorInvalid
	}
}

// kinds are the codes and types that come inside a stream and mean more than
// that the request is wrong.
var kinds = map[string]llm.ErrorKind{
	"rate_limit_exceeded":  llm.ErrorRateLimited,
	"rate_limit_error":     llm.ErrorRateLimited,
	"requests":             llm.ErrorRateLimited, // the vendor's type for too many of them
	"tokens":               llm.ErrorRateLimited,
	"resource_exhausted":   llm.ErrorRateLimited,
	"overloaded":           llm.ErrorOverloaded,
	"overloaded_error":     llm.ErrorOverloaded,
	"slow_down":            llm.ErrorOverloaded,
	"server_is_overloaded": llm.ErrorOverloaded,
	"server_error":         llm.ErrorUnavailable,
	"internal_error":       llm.ErrorUnavailable,
	"internal":             llm.ErrorUnavailable,
	"unavailable":          llm.ErrorUnavailable,
	"api_error":            llm.ErrorUnavailable,
	"vector_store_timeout": llm.ErrorUnavailable,
	"deadline_exceeded":    llm.ErrorUnavailable,
	"invalid_api_key":      llm.ErrorAuth,
	"authentication_error": llm.ErrorAuth,
	"permission_error":     llm.ErrorAuth,
	"permission_denied":    llm.ErrorAuth,
	"unauthenticated":      llm.ErrorAuth,
}

// saysTooLong knows the sentences of servers that have no code for a prompt
// that does not fit.
func saysTooLong(message string) bool {
	m := strings.ToLower(message)
	for _, sentence := range []string{
		"maximum context length",           // OpenAI, vLLM, OpenRouter, DeepSeek
		"exceeds the context window",       // OpenAI Responses
		"exceeds the available context",    // llama.cpp
		"exceed context limit",             // Anthropic behind a compatible server
		"prompt is too long",               // the same
		"exceeds the maximum number of to", // Gemini
		"prompt too long; exceeded",        // Ollama
		"context length exceeded",
	} {
		if strings.Contains(m, sentence) {
			return true
		}
	}
	return false
}
