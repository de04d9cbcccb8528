package pod_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/tool"
)

var (
	soon      = pod.Retry{Base: time.Millisecond, Max: 2 * time.Millisecond}
	overload  = &llm.Error{Kind: llm.ErrorOverloaded, Status: 529, Message: "busy"}
	wrongKey  = &llm.Error{Kind: llm.ErrorAuth, Status: 401, Message: "bad key"}
	someLater = []podtest.Step{podtest.Text("at last"), podtest.End()}
)

func TestRetry_WaitsAndTriesAgainBeforeTheFirstDelta(t *testing.T) {
	provider := podtest.NewProvider([]podtest.Step{podtest.Fail(overload)}, []podtest.Step{podtest.Fail(overload)}, someLater)
	a := newAudience(t, pod.Options{Provider: provider, Retry: soon})
	a.extended.Send(protocol.Run{Input: "hi"})
	var retries []uint64
	var notices, starts int
	for _, ev := range a.extended.UntilName(protocol.EventRunEnd) {
		switch d := ev.Data.(type) {
		case protocol.Status:
			if d.Retry != nil {
				retries = append(retries, d.Retry.Attempt)
				if d.Retry.AtMS == 0 {
					t.Error("the status does not say when")
				}
			}
		case protocol.Notification:
			if !strings.Contains(d.Message, "busy") || !strings.Contains(d.Message, "of 6 in") {
				t.Errorf("people are told %q", d.Message)
			}
			notices++
		case protocol.TurnStart:
			starts++
		}
	}
	same(t, "repetitions", []uint64{1, 2}, retries)
	if notices != 2 || starts != 1 || len(provider.Requests()) != 3 {
		t.Errorf("%d notifications, %d turn starts, %d requests", notices, starts, len(provider.Requests()))
	}
	same(t, "history", []string{"user: hi", "assistant: at last"}, history(t, a.base))
}

func TestRetry_GivesUpAfterItsAttempts(t *testing.T) {
	fail := []podtest.Step{podtest.Fail(overload)}
	provider := podtest.NewProvider(fail, fail, fail, fail)
	r := soon
	r.Attempts = 3
	a := newAudience(t, pod.Options{Provider: provider, Retry: r})
	a.base.Send(protocol.Run{Input: "hi"})
	a.base.UntilName(protocol.EventError)
	if n := len(provider.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestRetry_NotOnceSomethingWasShown(t *testing.T) {
	provider := podtest.NewProvider([]podtest.Step{podtest.Open("x"), podtest.Fail(overload)})
	a := newAudience(t, pod.Options{Provider: provider, Retry: soon})
	a.base.Send(protocol.Run{Input: "hi"})
	a.base.UntilName(protocol.EventError)
	if n := len(provider.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestRetry_NotWhereItCannotHelp(t *testing.T) {
	long := &llm.Error{Kind: llm.ErrorRateLimited, Status: 429, Message: "later", RetryAfter: time.Hour}
	for _, err := range []error{wrongKey, long} {
		provider := podtest.NewProvider([]podtest.Step{podtest.Fail(err)})
		a := newAudience(t, pod.Options{Provider: provider, Retry: soon})
		a.base.Send(protocol.Run{Input: "hi"})
		e := podtest.Await[protocol.Error](a.base)
		if e.Code != protocol.CodeProviderError || e.Message != err.Error() {
			t.Errorf("%+v", e)
		}
		if n := len(provider.Requests()); n != 1 {
			t.Errorf("%d requests after %v, want 1", n, err)
		}
	}
}

func TestRetry_EndsWithACancel(t *testing.T) {
	provider := podtest.NewProvider([]podtest.Step{podtest.Fail(overload)})
	a := newAudience(t, pod.Options{Provider: provider, Retry: pod.Retry{Base: time.Hour, Max: time.Hour}})
	a.base.Send(protocol.Run{Input: "hi"})
	podtest.Await[protocol.Notification](a.base)
	a.base.Send(protocol.Cancel{})
	_, extended := a.await("status idle queued=0")
	same(t, "the end", "run_end rolled_back", extended[len(extended)-2])
}

func TestTimeouts_EndARequestThatSaysNothing(t *testing.T) {
	limits := pod.Timeouts{FirstEvent: 30 * time.Millisecond, Idle: 30 * time.Millisecond}
	for name, c := range map[string]struct {
		steps []podtest.Step
		want  string
	}{
		"no first event": {[]podtest.Step{podtest.Hang(nil)}, "the model sent nothing within 30ms"},
		"no next event":  {[]podtest.Step{podtest.Open("x"), podtest.Hang(nil)}, "the model sent nothing more for 30ms"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAudience(t, pod.Options{
				Provider: podtest.NewProvider(c.steps), Timeouts: limits, Retry: pod.Retry{Attempts: 1},
			})
			a.base.Send(protocol.Run{Input: "hi"})
			if e := podtest.Await[protocol.Error](a.base); e.Code != protocol.CodeProviderError || e.Message != c.want {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestTimeouts_CommittingABlockIsNotTheModelsSilence(t *testing.T) {
	st := podtest.NewStore()
	a := attend(t, podtest.Start(t, pod.Options{
		Store: st, Timeouts: pod.Timeouts{FirstEvent: 200 * time.Millisecond, Idle: 200 * time.Millisecond},
		Retry:    pod.Retry{Attempts: 1},
		Provider: podtest.NewProvider([]podtest.Step{podtest.Text("slow to save"), podtest.End()}),
	}))
	st.FailWith(func(operation string) error {
		if operation == "commit" {
			time.Sleep(300 * time.Millisecond)
		}
		return nil
	})
	a.base.Send(protocol.Run{Input: "hi"})
	base, _ := a.await("status idle queued=0")
	same(t, "the end", "run_end finished", base[len(base)-1])
}

// connecting is a provider that asks for a connection nobody accepts.
func connecting(t *testing.T, url string) podtest.Step {
	// The transport's own goroutine dials on after the request has gone.
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return func(ctx context.Context, _ func(llm.Delta)) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
		if err != nil {
			return err
		}
		client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			<-over
			return nil, net.ErrClosed
		}}}
		_, err = client.Do(req)
		return err
	}
}

func TestTimeouts_EndAConnectionThatIsNotMade(t *testing.T) {
	a := newAudience(t, pod.Options{
		Provider: podtest.NewProvider([]podtest.Step{connecting(t, "http://localhost:1/")}),
		Timeouts: pod.Timeouts{Connect: 30 * time.Millisecond}, Retry: pod.Retry{Attempts: 1},
	})
	a.base.Send(protocol.Run{Input: "hi"})
	if e := podtest.Await[protocol.Error](a.base); e.Message != "no connection to the model within 30ms" {
		t.Errorf("%+v", e)
	}
}

func TestProvider_PanicFailsTheRunAndNotThePod(t *testing.T) {
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider([]podtest.Step{
		func(context.Context, func(llm.Delta)) error { panic("odd stream") },
	})})
	a.base.Send(protocol.Run{Input: "hi"})
	if e := podtest.Await[protocol.Error](a.base); e.Code != protocol.CodeProviderError || !strings.Contains(e.Message, "odd stream") {
		t.Errorf("%+v", e)
	}
	a.await("status idle queued=0")
	a.base.Send(protocol.Run{Input: "again"})
	a.base.UntilName(protocol.EventRunEnd)
}

func TestTool_PanicFailsItsCallAndNotThePod(t *testing.T) {
	broken := echo
	broken.run = nil
	a := newAudience(t, pod.Options{
		Provider: podtest.NewProvider([]podtest.Step{podtest.Call("c1", "Echo", "{}"), podtest.Calls()}),
		Tools:    tool.NewRegistry(broken),
	})
	a.base.Send(protocol.Run{Input: "hi"})
	if r := podtest.Await[protocol.ToolResult](a.base); !r.IsError || !strings.Contains(r.Output, "the tool panicked") {
		t.Errorf("%+v", r)
	}
	a.base.UntilName(protocol.EventRunEnd)
}

func TestTool_UnknownOneIsAResultNotAFailure(t *testing.T) {
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider([]podtest.Step{podtest.Call("c1", "Nope", "{}"), podtest.Calls()})})
	a.base.Send(protocol.Run{Input: "hi"})
	base, _ := a.await("status idle queued=0")
	if r := base[5]; r != `tool_result c1 "Tool 'Nope' not found" error=true` || base[len(base)-1] != "run_end finished" {
		t.Errorf("%q", base)
	}
}

func TestTool_OutputOverItsCapIsCutAndSaidSo(t *testing.T) {
	long := fakeTool{"Glob", func(context.Context, json.RawMessage) tool.Result {
		return tool.Result{Summary: "many", Content: strings.Repeat("x", 40000)}
	}}
	a := newAudience(t, pod.Options{
		Provider: podtest.NewProvider([]podtest.Step{podtest.Call("c1", "Glob", "{}"), podtest.Calls()}),
		Tools:    tool.NewRegistry(long),
	})
	a.extended.Send(protocol.Run{Input: "hi"})
	n := podtest.Await[protocol.Notification](a.extended)
	if n.Source != protocol.SourceWorker || n.Message != "tool `Glob` output truncated from 40000 to 16369 bytes (limit 16384)" {
		t.Errorf("%+v", n)
	}
	whole := podtest.Await[protocol.ToolResult](a.extended)
	if !strings.HasSuffix(whole.Output, "\n\n[truncated: 23684 bytes dropped, refine your query]") || *whole.Summary != "many" {
		t.Errorf("an extended client gets the whole: %d bytes", len(whole.Output))
	}
	if short := podtest.Await[protocol.ToolResult](a.base); len(short.Output) > 199 {
		t.Errorf("a base client gets %d bytes", len(short.Output))
	}
}

func TestTools_OfOneAnswerRunAtOnce(t *testing.T) {
	// Each of the two ends only when the other has begun.
	first, second := make(chan struct{}), make(chan struct{})
	meet := func(mine, other chan struct{}) func(context.Context, json.RawMessage) tool.Result {
		return func(ctx context.Context, _ json.RawMessage) tool.Result {
			close(mine)
			select {
			case <-other:
			case <-ctx.Done():
			}
			return tool.Result{Summary: "met"}
		}
	}
	a := newAudience(t, pod.Options{
		Provider: podtest.NewProvider([]podtest.Step{podtest.Call("c1", "A", "{}"), podtest.Call("c2", "B", "{}"), podtest.Calls()}),
		Tools:    tool.NewRegistry(fakeTool{"A", meet(first, second)}, fakeTool{"B", meet(second, first)}),
	})
	a.base.Send(protocol.Run{Input: "hi"})
	a.base.UntilName(protocol.EventRunEnd)
}

func TestTool_ResultIsShownAsItComes(t *testing.T) {
	began := make(chan struct{}, 1)
	a := newAudience(t, pod.Options{
		Provider: podtest.NewProvider([]podtest.Step{podtest.Call("c1", "Hang", "{}"), podtest.Call("c2", "Echo", "{}"), podtest.Calls()}),
		Tools:    tool.NewRegistry(echo, hanging(began)),
	})
	a.base.Send(protocol.Run{Input: "hi"})
	if r := podtest.Await[protocol.ToolResult](a.base); r.ID != "c2" {
		t.Errorf("%+v", r)
	}
	// What was done stays when the rest is cancelled.
	<-began
	a.base.Send(protocol.Cancel{})
	a.await("status idle queued=0")
	same(t, "history", []string{
		"user: hi", "call c1 Hang {}", "call c2 Echo {}", "result c2: {}", "result c1: [Interrupted by user]",
	}, history(t, a.base))
}

func TestRun_CutAtTheOutputLimitIsSaid(t *testing.T) {
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text("x"), podtest.Delta(llm.Finish{Reason: llm.StopMaxTokens})})})
	a.base.Send(protocol.Run{Input: "hi"})
	if n := podtest.Await[protocol.Notification](a.base); !strings.Contains(n.Message, "limit of output tokens") {
		t.Errorf("%+v", n)
	}
}
