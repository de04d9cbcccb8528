package rehearsal

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// refusal is an error answer before it takes a vendor's form.
type refusal struct {
	status int
	// kind is the vendor's error type; code and param are OpenAI's. Empty ones
	// become the vendor's usual kind for the status, and null.
	kind, code, param string
	message           string
	retryAfter        *time.Duration
}

func invalid(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
}

func (r *refusal) at(param, code string) *refusal {
	r.param, r.code = param, code
	return r
}

// vendorError is what a vendor says with a status unless the script says
// otherwise.
type vendorError struct{ kind, code, message string }

var anthropicErrors = map[int]vendorError{
	400: {"invalid_request_error", "", "Your request was malformed."},
	401: {"authentication_error", "", "invalid x-api-key"},
	402: {"billing_error", "", "Your credit balance is too low to access the Anthropic API."},
	403: {"permission_error", "", "Your API key does not have permission to use the specified resource."},
	404: {"not_found_error", "", "model: not found"},
	413: {"request_too_large", "", "Request exceeds the maximum size"},
	429: {"rate_limit_error", "", "This request would exceed your account's rate limit. Please try again later."},
	504: {"timeout_error", "", "The request timed out while processing."},
	529: {"overloaded_error", "", "Overloaded"},
}

var openAIErrors = map[int]vendorError{
	400: {"invalid_request_error", "", "Your request was malformed."},
	401: {"invalid_request_error", "invalid_api_key", "Incorrect API key provided."},
	403: {"invalid_request_error", "permission_denied", "You do not have access to this resource."},
	404: {"invalid_request_error", "model_not_found", "The model does not exist or you do not have access to it."},
	408: {"invalid_request_error", "request_timeout", "The request timed out."},
	413: {"invalid_request_error", "request_too_large", "The request body is too large."},
	429: {"requests", "rate_limit_exceeded", "Rate limit reached. Please try again later."},
	503: {"server_error", "", "The engine is currently overloaded, please try again later."},
}

// usual completes a refusal with the vendor's usual words.
func (w Wire) usual(r refusal) refusal {
	table, fallback := openAIErrors, vendorError{"server_error", "", "The server had an error while processing your request. Sorry about that!"}
	if w == WireAnthropic {
		table, fallback = anthropicErrors, vendorError{"api_error", "", "Internal server error"}
	}
	usual, ok := table[r.status]
	if !ok {
		usual = fallback
		if r.status < 500 {
			usual = vendorError{"invalid_request_error", "", http.StatusText(r.status)}
		}
	}
	if r.kind == "" {
		r.kind = usual.kind
	}
	if r.message == "" {
		r.message = usual.message
		if r.code == "" {
			r.code = usual.code
		}
	}
	return r
}

// body is the error as the vendor writes it into the answer's body.
func (w Wire) body(r refusal, requestID string) object {
	r = w.usual(r)
	if w == WireAnthropic {
		return object{
			{"type", "error"},
			{"error", object{{"type", r.kind}, {"message", r.message}}},
			{"request_id", requestID},
		}
	}
	return object{{"error", object{
		{"message", r.message}, {"type", r.kind}, {"param", orNull(r.param)}, {"code", orNull(r.code)},
	}}}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// overflow is the refusal of a prompt that is too long.
func (w Wire) overflow(have, limit int) refusal {
	r := refusal{status: http.StatusBadRequest, kind: "invalid_request_error"}
	switch w {
	case WireAnthropic:
		r.message = fmt.Sprintf("prompt is too long: %d tokens > %d maximum", have, limit)
	case WireResponses:
		r.message = "Your input exceeds the context window of this model. Please adjust your input and try again."
		r.param, r.code = "input", "context_length_exceeded"
	default:
		r.message = fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", limit, have)
		r.param, r.code = "messages", "context_length_exceeded"
	}
	return r
}

// retryHeaders announces how long to wait. Retry-After has whole seconds, so a
// shorter wait also goes into retry-after-ms, which both vendors' clients read.
func retryHeaders(h http.Header, after time.Duration) {
	h.Set("Retry-After", strconv.FormatInt(int64(math.Ceil(after.Seconds())), 10))
	if after%time.Second != 0 {
		h.Set("Retry-After-Ms", strconv.FormatInt(after.Milliseconds(), 10))
	}
}
