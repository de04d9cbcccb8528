package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/llm"
	"podium.local/llm/llmtest"
	"podium.local/llm/openai"
)

// chunk is a chunk with a delta; ends is one with a finish_reason.
func chunk(delta string) string { return `{"choices":[{"index":0,"delta":` + delta + `}]}` }

func ends(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// piece is a piece of a call; empty members are left out.
func piece(index int, id, name, args string) string {
	call := map[string]any{"index": index, "function": map[string]any{"name": name, "arguments": args}}
	if id != "" {
		call["id"] = id
	}
	raw, err := json.Marshal(map[string]any{"tool_calls": []any{call}})
	if err != nil {
		panic(err)
	}
	return chunk(string(raw))
}

const done = "[DONE]"

func call(id, name, args string) llmtest.Block {
	return llmtest.Block{Kind: llm.BlockToolCall, ID: id, Name: name, Text: args}
}

func thought(field, s string) llmtest.Block {
	return llmtest.Block{Kind: llm.BlockReasoning, Text: s, Opaque: json.RawMessage(`{"openai_chat":{"field":"` + field + `"}}`)}
}

func said(s string) llmtest.Block { return llmtest.Block{Kind: llm.BlockText, Text: s} }

func TestChat_ReadsWhatServersSend(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		blocks []llmtest.Block
		reason llm.StopReason
	}{
		{"no end mark", []string{chunk(`{"content":"Hi"}`), ends("stop")}, []llmtest.Block{said("Hi")}, llm.StopEnd},
		{"null errors and null content", []string{`{"error":null,"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":null}}]}`, chunk(`{"content":"Hi"}`), ends("stop"), done},
			[]llmtest.Block{said("Hi")}, llm.StopEnd},
		{"reasoning_content", []string{chunk(`{"reasoning_content":"Hm"}`), chunk(`{"reasoning_content":"m."}`), chunk(`{"reasoning_content":null,"content":"Hi"}`), ends("stop"), done},
			[]llmtest.Block{thought("reasoning_content", "Hmm."), said("Hi")}, llm.StopEnd},
		{"reasoning", []string{chunk(`{"reasoning":"Hm."}`), chunk(`{"content":"Hi"}`), ends("stop"), done},
			[]llmtest.Block{thought("reasoning", "Hm."), said("Hi")}, llm.StopEnd},
		{"both at once", []string{chunk(`{"reasoning":"Hm.","reasoning_content":"Hm."}`), ends("stop"), done},
			[]llmtest.Block{thought("reasoning_content", "Hm.")}, llm.StopEnd},
		{"reasoning that comes again", []string{chunk(`{"reasoning":"A"}`), chunk(`{"content":"B"}`), chunk(`{"reasoning":"C"}`), chunk(`{"content":"D"}`), ends("stop"), done},
			[]llmtest.Block{thought("reasoning", "A"), said("B"), thought("reasoning", "C"), said("D")}, llm.StopEnd},
		{"empty pieces", []string{chunk(`{"content":""}`), chunk(`{"reasoning":""}`), chunk(`{}`), ends("stop"), done}, nil, llm.StopEnd},
		{"a refusal", []string{chunk(`{"refusal":"I "}`), chunk(`{"refusal":"won't."}`), ends("stop"), done}, []llmtest.Block{said("I won't.")}, llm.StopRefusal},
		{"other choices are not ours", []string{`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}`, ends("stop"), done}, []llmtest.Block{said("yes")}, llm.StopEnd},
		{"a filter", []string{chunk(`{"content":"Hi"}`), ends("content_filter"), done}, []llmtest.Block{said("Hi")}, llm.StopRefusal},
		{"a limit in a call", []string{piece(0, "a", "Read", `{"path":"x`), ends("length"), done}, []llmtest.Block{call("a", "Read", `{"path":"x`)}, llm.StopMaxTokens},
		{"a call that is called a stop", []string{piece(0, "a", "List", "{}"), ends("stop"), done}, []llmtest.Block{call("a", "List", "{}")}, llm.StopToolCalls},
		{"an old word for calls", []string{piece(0, "a", "List", "{}"), ends("function_call"), done}, []llmtest.Block{call("a", "List", "{}")}, llm.StopToolCalls},
		{"calls that come mixed",
			[]string{piece(0, "a", "Read", ""), piece(1, "b", "Read", ""), piece(1, "", "", `{"n":`), piece(0, "", "", `{"m":`), piece(1, "", "", `2}`), piece(2, "c", "List", ""), piece(0, "", "", `1}`), ends("tool_calls"), done},
			[]llmtest.Block{call("a", "Read", `{"m":1}`), call("b", "Read", `{"n":2}`), call("c", "List", "")}, llm.StopToolCalls},
		{"all calls under one number",
			[]string{piece(0, "a", "Read", `{"m":1}`), piece(0, "b", "Read", `{"n":2}`), ends("tool_calls"), done},
			[]llmtest.Block{call("a", "Read", `{"m":1}`), call("b", "Read", `{"n":2}`)}, llm.StopToolCalls},
		{"id and name with every piece",
			[]string{piece(0, "a", "Read", ``), piece(0, "a", "Read", `{"m":`), piece(0, "a", "Read", `1}`), ends("tool_calls"), done},
			[]llmtest.Block{call("a", "Read", `{"m":1}`)}, llm.StopToolCalls},
		{"text in the middle of a call",
			[]string{piece(0, "a", "Read", `{"m":`), chunk(`{"content":"By the way"}`), piece(0, "", "", `1}`), ends("tool_calls"), done},
			[]llmtest.Block{call("a", "Read", `{"m":1}`), said("By the way")}, llm.StopToolCalls},
		{"text behind a call",
			[]string{chunk(`{"content":"I look."}`), piece(0, "a", "Read", `{"m":1}`), chunk(`{"content":"Looked."}`), ends("tool_calls"), done},
			[]llmtest.Block{said("I look."), call("a", "Read", `{"m":1}`), said("Looked.")}, llm.StopToolCalls},
		{"a piece without a beginning", []string{piece(3, "", "", `{}`), chunk(`{"content":"Hi"}`), ends("stop"), done}, []llmtest.Block{said("Hi")}, llm.StopEnd},
	} {
		t.Run(c.name, func(t *testing.T) { wantReading(t, play(t, openai.NewChat, c.events...), c.blocks, c.reason) })
	}
}

func TestChat_CallsWithoutIDsGetTheirOwn(t *testing.T) {
	r := play(t, openai.NewOllama, piece(0, "", "Read", `{"m":1}`), piece(0, "", "Read", `{"n":2}`), piece(1, "", "List", ``), piece(1, "late", "List", `{}`), ends("tool_calls"), done)
	if r.Err != nil || r.Broken != nil {
		t.Fatalf("error %v, broken %v", r.Err, r.Broken)
	}
	var args []string
	ids := map[string]bool{}
	for _, b := range r.Calls() {
		args = append(args, b.Text)
		ids[b.ID] = true
		if !strings.HasPrefix(b.ID, "call_") || len(b.ID) > 40 {
			t.Errorf("the id %q", b.ID)
		}
	}
	if d := cmp.Diff([]string{`{"m":1}`, `{"n":2}`, `{}`}, args); d != "" {
		t.Error(d)
	}
	if len(ids) != 3 {
		t.Errorf("%d different ids for 3 calls", len(ids))
	}
}

func TestChat_UsageOfManyKinds(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		want   llm.Usage
	}{
		{"behind the end", []string{ends("stop"), `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}}`, done},
			llm.Usage{Input: count(9), Output: count(3), CacheRead: count(4), Reasoning: count(2)}},
		{"in every chunk", []string{`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`, ends("stop"), done},
			llm.Usage{Input: count(9), Output: count(2)}},
		{"with the end", []string{`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, done},
			llm.Usage{Input: count(1), Output: count(2)}},
		{"reasoning counted apart", []string{ends("stop"), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":35}}`, done},
			llm.Usage{Input: count(10), Output: count(25), Reasoning: count(20)}},
		{"never", []string{`{"choices":[],"usage":null}`, ends("stop"), done}, llm.Usage{}},
	} {
		if d := cmp.Diff(c.want, play(t, openai.NewChat, c.events...).Usage); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
}

func TestChat_ErrorsInsideTheStream(t *testing.T) {
	for _, c := range []struct {
		events []string
		kind   llm.ErrorKind
		code   string
	}{
		{[]string{`{"error":{"message":"Slow down","type":"requests","code":"rate_limit_exceeded"}}`}, llm.ErrorRateLimited, "rate_limit_exceeded"},
		{[]string{`{"error":{"message":"Upstream","code":502},"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"error"}]}`}, llm.ErrorUnavailable, ""},
		{[]string{`{"error":{"message":"Full","code":"503"}}`}, llm.ErrorUnavailable, "503"},
		{[]string{`{"object":"error","message":"This model's maximum context length is 8 tokens","code":40303}`}, llm.ErrorContextOverflow, ""},
		{[]string{`{"error":"model runner has unexpectedly stopped"}`}, llm.ErrorStream, ""},
		{[]string{`{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`}, llm.ErrorContextOverflow, "exceed_context_size_error"},
		{[]string{`[{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}]`}, llm.ErrorRateLimited, "RESOURCE_EXHAUSTED"},
		{[]string{`[1,2]`}, llm.ErrorStream, ""},
		{[]string{ends("error"), done}, llm.ErrorStream, ""},
		{[]string{done}, llm.ErrorStream, ""},
		{[]string{}, llm.ErrorStream, ""},
		{[]string{chunk(`{"content":[{"type":"text","text":"parts"}]}`), ends("stop"), done}, llm.ErrorStream, ""},
		{[]string{`{"choices":[{`, ends("stop"), done}, llm.ErrorStream, ""},
	} {
		r := play(t, openai.NewChat, append([]string{chunk(`{"content":"Well"}`)}, c.events...)...)
		e, ok := r.Err.(*llm.Error)
		if !ok || e.Kind != c.kind || e.Code != c.code || e.Status != 0 || e.Message == "" {
			t.Errorf("%q: got %#v, want the kind %s with the code %q", c.events, r.Err, c.kind, c.code)
		}
		if r.Broken != nil || r.Text(llm.BlockText) != "Well" || r.Reason != "" {
			t.Errorf("%q: broken %v, text %q, reason %q", c.events, r.Broken, r.Text(llm.BlockText), r.Reason)
		}
	}
}

// However the pieces of several calls are mixed, each call comes out whole, and
// the calls in the order in which they began.
func TestChat_AnyMixtureOfCallsComesOutInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "calls")
		var want []llmtest.Block
		pieces := make([][]string, n)
		for i := range n {
			id, args := fmt.Sprint("id", i), fmt.Sprintf(`{"n":%d,"s":"%s"}`, i, rapid.StringMatching(`[a-z{}\[\], ]{0,20}`).Draw(t, "s"))
			want = append(want, call(id, "Read", args))
			pieces[i] = append(pieces[i], piece(i, id, "Read", ""))
			for rest := args; rest != ""; {
				k := rapid.IntRange(1, len(rest)).Draw(t, "k")
				pieces[i] = append(pieces[i], piece(i, "", "", rest[:k]))
				rest = rest[k:]
			}
		}
		var events []string
		for begun := 0; ; {
			var open []int
			for i := range min(begun+1, n) { // calls begin in order
				if len(pieces[i]) > 0 {
					open = append(open, i)
				}
			}
			if len(open) == 0 {
				break
			}
			i := rapid.SampledFrom(open).Draw(t, "next")
			events = append(events, pieces[i][0])
			pieces[i] = pieces[i][1:]
			begun = max(begun, i+1)
		}
		r := play(t, openai.NewChat, append(events, ends("tool_calls"), done)...)
		if d := cmp.Diff(want, r.Blocks); d != "" || r.Err != nil || r.Broken != nil {
			t.Fatalf("error %v, broken %v\n%s", r.Err, r.Broken, d)
		}
	})
}

// The first call streams on while it comes; it is not held back to the end.
func TestChat_TheOpenCallStreams(t *testing.T) {
	r := play(t, openai.NewChat, piece(0, "a", "Read", `{"path":`), piece(0, "", "", `"x"`), piece(0, "", "", `}`), ends("tool_calls"), done)
	want := []llm.Delta{
		llm.BlockStart{Kind: llm.BlockToolCall, ID: "a", Name: "Read"},
		llm.BlockDelta{Text: `{"path":`}, llm.BlockDelta{Text: `"x"`}, llm.BlockDelta{Text: `}`},
		llm.BlockStop{}, llm.Finish{Reason: llm.StopToolCalls},
	}
	if d := cmp.Diff(want, r.Deltas); d != "" {
		t.Error(d)
	}
}

func FuzzChat(f *testing.F) {
	for _, seed := range [][]string{
		{chunk(`{"reasoning_content":"a"}`), chunk(`{"content":"b"}`), ends("stop"), done},
		{piece(0, "a", "n", `{`), piece(1, "b", "n", `{}`), piece(0, "", "", `}`), ends("tool_calls"), done},
		{`{"error":{"message":"x","code":500}}`},
		{chunk(`{"tool_calls":[{"function":{"name":"n","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]}`), ends("stop")},
	} {
		f.Add("data: " + strings.Join(seed, "\n\ndata: ") + "\n\n")
	}
	f.Fuzz(func(t *testing.T, sse string) { wantPromisesKept(t, playBytes(t, openai.NewChat, sse)) })
}
