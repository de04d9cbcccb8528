package llmtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
	"podium.local/llm/llmtest"
)

func TestScript_AnswersInOrderAndKeepsTheRequests(t *testing.T) {
	n := int64(7)
	broken := &llm.Error{Kind: llm.ErrorStream, Message: "cut"}
	p := llmtest.Script(
		llmtest.Text("Hello.").Counted(llm.Usage{Input: &n}),
		llmtest.Calls(llm.ToolCall{ID: "c1", Name: "Read", Arguments: json.RawMessage(`{"path":"a"}`)}, llm.ToolCall{ID: "c2", Name: "List"}),
		llmtest.Answer{llm.BlockStart{Kind: llm.BlockText}, broken},
	)
	p.Add(llmtest.Text("Added."))
	ask := func(model string) llmtest.Reading {
		return llmtest.Read(p.Stream(t.Context(), llm.Request{Model: model}))
	}

	first := ask("a")
	if first.Broken != nil || first.Text(llm.BlockText) != "Hello." || first.Usage.Input == nil || first.Reason != llm.StopEnd {
		t.Errorf("got %+v", first)
	}
	second := ask("b")
	want := llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{
		llm.ToolCall{ID: "c1", Name: "Read", Arguments: json.RawMessage(`{"path":"a"}`)}, llm.ToolCall{ID: "c2", Name: "List", Arguments: json.RawMessage{}},
	}}
	if d := cmp.Diff(want, second.Message()); d != "" || second.Broken != nil || second.Reason != llm.StopToolCalls {
		t.Errorf("%v\n%s", second.Broken, d)
	}
	if third := ask("c"); third.Err != broken || len(third.Blocks) != 1 || !third.Blocks[0].Open {
		t.Errorf("got %+v", third)
	}
	if fourth := ask("d"); fourth.Text(llm.BlockText) != "Added." {
		t.Errorf("got %+v", fourth)
	}
	var e *llm.Error
	if fifth := ask("e"); !errors.As(fifth.Err, &e) || e.Kind != llm.ErrorInvalid {
		t.Errorf("beyond the script: got %+v", fifth)
	}
	var models string
	for _, r := range p.Requests() {
		models += r.Model
	}
	if models != "abcde" {
		t.Errorf("kept the requests %q", models)
	}
}

func TestScript_AWaitEndsWithTheContext(t *testing.T) {
	gate := make(chan struct{})
	p := llmtest.Script(append(llmtest.Answer{llmtest.Wait(gate)}, llmtest.Text("x")...), append(llmtest.Answer{llmtest.Wait(gate)}, llmtest.Text("x")...))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := llmtest.Read(p.Stream(ctx, llm.Request{})); !errors.Is(r.Err, context.Canceled) {
		t.Errorf("got %v", r.Err)
	}
	close(gate)
	if r := llmtest.Read(p.Stream(t.Context(), llm.Request{})); r.Err != nil || r.Text(llm.BlockText) != "x" {
		t.Errorf("got %+v", r)
	}
}

func TestRead_FindsEveryBrokenPromise(t *testing.T) {
	text, stop, end := llm.BlockStart{Kind: llm.BlockText}, llm.BlockStop{}, llm.Finish{Reason: llm.StopEnd}
	for name, answer := range map[string]llmtest.Answer{
		"no end":                 {text, stop},
		"overlapping blocks":     {text, text, stop, end},
		"a piece outside":        {llm.BlockDelta{Text: "x"}, end},
		"an empty piece":         {text, llm.BlockDelta{}, stop, end},
		"a stop outside":         {stop, end},
		"an open block":          {text, end},
		"two ends":               {end, end},
		"a delta behind the end": {end, text},
		"a call without an id":   {llm.BlockStart{Kind: llm.BlockToolCall, Name: "n"}, stop, end},
		"a text with a name":     {llm.BlockStart{Kind: llm.BlockText, Name: "n"}, stop, end},
		"an opaque text":         {text, llm.BlockStop{Opaque: json.RawMessage(`{}`)}, end},
	} {
		if r := llmtest.Read(llmtest.Script(answer).Stream(t.Context(), llm.Request{})); r.Broken == nil {
			t.Errorf("%s: not found", name)
		}
	}
	if r := llmtest.Read(func(yield func(llm.Delta, error) bool) { yield(nil, errors.New("a")); yield(text, nil) }); r.Broken == nil {
		t.Error("a delta behind an error: not found")
	}
}
