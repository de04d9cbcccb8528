package llm_test

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
)

func TestError_SaysWhatIsKnown(t *testing.T) {
	for want, e := range map[string]*llm.Error{
		"API error (status 529, overloaded_error): Overloaded": {Status: 529, Code: "overloaded_error", Message: "Overloaded"},
		"API error (status 500): Oops":                         {Status: 500, Message: "Oops"},
		"API error (server_error): Oops":                       {Code: "server_error", Message: "Oops"},
		"cannot reach http://x":                                {Message: "cannot reach http://x"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !errors.Is(&llm.Error{Err: io.ErrUnexpectedEOF}, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
}

func TestError_OnlyPassingTroubleIsRetryable(t *testing.T) {
	for kind, want := range map[llm.ErrorKind]bool{
		llm.ErrorRateLimited: true, llm.ErrorOverloaded: true, llm.ErrorUnavailable: true,
		llm.ErrorNetwork: true, llm.ErrorStream: true, llm.ErrorTimeout: true,
		llm.ErrorAuth: false, llm.ErrorInvalid: false, llm.ErrorContextOverflow: false, "": false,
	} {
		if got := (&llm.Error{Kind: kind}).Retryable(); got != want {
			t.Errorf("%q: got %v", kind, got)
		}
	}
}

func TestUsage_TheLastReportOfAFieldWins(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	var u llm.Usage
	for _, later := range []llm.Usage{
		{Input: n(10), Output: n(1)},
		{Output: n(5), CacheRead: n(0)},
		{Reasoning: n(2), CacheWrite: n(3)},
		{},
	} {
		u.Merge(later)
	}
	want := llm.Usage{Input: n(10), Output: n(5), CacheRead: n(0), CacheWrite: n(3), Reasoning: n(2)}
	if d := cmp.Diff(want, u); d != "" {
		t.Error(d)
	}
}
