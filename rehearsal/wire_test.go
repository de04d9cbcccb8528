package rehearsal_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/rehearsal"
)

// full is a reply with one of everything.
var full = rehearsal.Reply{
	Reasoning: "Two files matter.",
	Text:      "I read <both> & “compare”.\n",
	Calls: []rehearsal.Call{
		{Name: "Read", Args: rehearsal.Args{"file_path": "/src/a.go", "limit": 20}},
		{Name: "Glob", Args: rehearsal.Args{"pattern": "**/*.go"}},
	},
	Usage: &rehearsal.Usage{Input: 1200, Output: 90, CacheRead: 1000, CacheWrite: 50, Reasoning: 12},
}

var goldenReplies = []struct {
	name  string
	reply rehearsal.Reply
}{
	{"full", full},
	{"text", rehearsal.Reply{Text: "Hello there.", Usage: &rehearsal.Usage{Input: 9, Output: 4}}},
	{"empty", rehearsal.Reply{Usage: &rehearsal.Usage{Input: 9}}},
	{"max_tokens", rehearsal.Reply{Text: "And then", Stop: rehearsal.StopMaxTokens, Usage: &rehearsal.Usage{Input: 9, Output: 2}}},
	{"refusal", rehearsal.Reply{Text: "I can't.", Stop: rehearsal.StopRefusal, Usage: &rehearsal.Usage{Input: 9, Output: 3}}},
	{"no_arguments", rehearsal.Reply{Calls: []rehearsal.Call{{Name: "Status", Args: ""}}, Usage: &rehearsal.Usage{Input: 9, Output: 3}}},
	{"no_usage", rehearsal.Reply{Text: "Hi.", Usage: &rehearsal.Usage{Omit: true}}},
}

func TestWire_BytesAreThoseRecorded(t *testing.T) {
	for _, w := range wires {
		for _, g := range goldenReplies {
			for form, body := range map[string]string{"sse": w.stream, "json": w.text} {
				name := fmt.Sprintf("%s/%s.%s", w.wire, g.name, form)
				t.Run(name, func(t *testing.T) {
					_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{g.reply}}, rehearsal.Options{Now: fixed})
					a := post(t, url+w.path, say(body, "hi"))
					if a.status != 200 || a.err != nil {
						t.Fatalf("status %d, %v: %s", a.status, a.err, a.body)
					}
					golden(t, name, a.body)
				})
			}
		}
	}
}

func TestWire_ErrorsInTheStreamAreTheVendorsOwn(t *testing.T) {
	for _, w := range wires {
		for _, kind := range []rehearsal.FaultKind{rehearsal.FaultError, rehearsal.FaultErrorFlat, rehearsal.FaultFailed} {
			name := fmt.Sprintf("%s/fault_%s.sse", w.wire, kind)
			t.Run(name, func(t *testing.T) {
				_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
					{Text: "one two three", Fault: &rehearsal.Fault{Kind: kind, After: 2}},
				}}, rehearsal.Options{Now: fixed})
				a := post(t, url+w.path, say(w.stream, "hi"))
				golden(t, name, a.body)
				if h := listen(t, w.wire, a.body); h.ended || h.text != "one two" {
					t.Errorf("heard %+v, want the first two words and no end", h)
				}
			})
		}
	}
}

func TestWire_UsageIsReportedOnlyWhenAskedForOnChatStreams(t *testing.T) {
	_, url := start(t, rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{{Text: "hi"}}}, rehearsal.Options{})
	for _, c := range []struct {
		options string
		want    bool
	}{
		{"", false},
		{`"stream_options":{"include_usage":false},`, false},
		{`"stream_options":{"include_usage":true},`, true},
	} {
		a := post(t, url+"/v1/chat/completions", `{"model":"m","stream":true,`+c.options+`"messages":[{"role":"user","content":"x"}]}`)
		if got := strings.Contains(a.body, `"usage"`); got != c.want {
			t.Errorf("options %s: usage in the stream = %v, want %v:\n%s", c.options, got, c.want, a.body)
		}
		if got := strings.Contains(a.body, `"choices":[],"usage":{"prompt_tokens"`); got != c.want {
			t.Errorf("options %s: usage chunk = %v, want %v", c.options, got, c.want)
		}
	}
}

func TestWire_ObfuscationIsLeftOutOnRequest(t *testing.T) {
	_, url := start(t, rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{{Text: "hi"}}}, rehearsal.Options{})
	for _, w := range wires[1:] {
		plain := post(t, url+w.path, say(w.stream, "x")).body
		body := strings.Replace(w.stream, `"stream":true,`, `"stream":true,"stream_options":{"include_obfuscation":false},`, 1)
		body = strings.Replace(body, `"stream_options":{"include_usage":true},`, "", 1)
		without := post(t, url+w.path, say(body, "x")).body
		if !strings.Contains(plain, "obfuscation") || strings.Contains(without, "obfuscation") {
			t.Errorf("%s: obfuscation by default %v, when declined %v; want true and false",
				w.wire, strings.Contains(plain, "obfuscation"), strings.Contains(without, "obfuscation"))
		}
	}
}

// TestWire_WhatIsScriptedIsHeard holds for any reply, on every wire: a reader
// of the deltas gets back every text, call and argument, streamed and whole
// alike, whatever the chunking.
func TestWire_WhatIsScriptedIsHeard(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[^{]{0,40}`)
		var parts []rehearsal.Part
		var want heard
		for range rapid.IntRange(0, 4).Draw(rt, "parts") {
			switch rapid.SampledFrom([]string{"text", "reasoning", "call"}).Draw(rt, "kind") {
			case "text":
				s := text.Draw(rt, "text")
				want.text += s
				parts = append(parts, rehearsal.Part{Text: s})
			case "reasoning":
				s := text.Filter(func(s string) bool { return s != "" }).Draw(rt, "reasoning")
				want.reasoning += s
				parts = append(parts, rehearsal.Part{Reasoning: s})
			default:
				args := map[string]any{"a": text.Draw(rt, "argument")}
				b := new(strings.Builder)
				e := json.NewEncoder(b)
				e.SetEscapeHTML(false)
				_ = e.Encode(args)
				want.calls = append(want.calls, call{name: "T", arguments: strings.TrimSuffix(b.String(), "\n")})
				parts = append(parts, rehearsal.Part{Call: &rehearsal.Call{Name: "T", Args: args}})
			}
		}
		chunk := rapid.SampledFrom([]string{"word", "char", "line", "whole"}).Draw(rt, "chunk")
		s := rehearsal.New(&rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{{Parts: parts, Pace: rehearsal.Pace{Chunk: chunk}}}}, rehearsal.Options{Now: fixed})
		defer s.Close()
		for _, w := range wires {
			stream := serve(rt, s, w.path, say(w.stream, "x"))
			got := listen(rt, w.wire, stream)
			if !got.ended {
				rt.Errorf("%s: no end mark in %s", w.wire, stream)
			}
			ids := map[string]bool{}
			for i := range got.calls {
				ids[got.calls[i].id] = true
				got.calls[i].id = ""
			}
			if len(ids) != len(want.calls) {
				rt.Errorf("%s: %d calls have %d ids", w.wire, len(want.calls), len(ids))
			}
			got.stop, got.ended = "", false
			if d := cmp.Diff(want, got, cmp.AllowUnexported(heard{}, call{})); d != "" {
				rt.Errorf("%s heard something else (-want +got):\n%s", w.wire, d)
			}
			whole := serve(rt, s, w.path, say(w.text, "x"))
			for _, c := range want.calls {
				if !strings.Contains(whole, c.arguments) && !strings.Contains(whole, escaped(c.arguments)) {
					rt.Errorf("%s: %s is not in the whole answer %s", w.wire, c.arguments, whole)
				}
			}
		}
	})
}

func escaped(s string) string {
	b := new(strings.Builder)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

func TestWire_BlocksAreOpenedAndClosedInOrder(t *testing.T) {
	_, url := start(t, rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{full}}, rehearsal.Options{})
	var open []any
	for _, e := range events(t, post(t, url+"/v1/messages", say(wires[0].stream, "x")).body) {
		var m map[string]any
		_ = json.Unmarshal([]byte(e.data), &m)
		switch e.name {
		case "content_block_start":
			open = append(open, m["index"])
		case "content_block_delta", "content_block_stop":
			if len(open) == 0 || open[len(open)-1] != m["index"] {
				t.Errorf("%s for block %v while %v is open", e.name, m["index"], open)
			}
			if e.name == "content_block_stop" {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("blocks %v were never closed", open)
	}
	next := 0.0
	for _, e := range events(t, post(t, url+"/v1/responses", say(wires[1].stream, "x")).body) {
		var m struct {
			N float64 `json:"sequence_number"`
		}
		_ = json.Unmarshal([]byte(e.data), &m)
		if m.N != next {
			t.Fatalf("sequence number %v, want %v", m.N, next)
		}
		next++
	}
}

func TestWire_NamesDependOnTheRequestAlone(t *testing.T) {
	for _, w := range wires {
		_, url := start(t, rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{full}}, rehearsal.Options{})
		_, other := start(t, rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{full}}, rehearsal.Options{})
		ids := func(url, text string) (ids []string) {
			for _, c := range listen(t, w.wire, post(t, url+w.path, say(w.stream, text)).body).calls {
				ids = append(ids, c.id)
			}
			return ids
		}
		first := ids(url, "a")
		if again := ids(other, "a"); !slices.Equal(first, again) {
			t.Errorf("%s: the same request got %v, then from another server %v", w.wire, first, again)
		}
		for _, id := range ids(url, "b") {
			if slices.Contains(first, id) {
				t.Errorf("%s: another request got the id %s too", w.wire, id)
			}
		}
	}
}
