package llmtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
	"podium.local/rehearsal"
)

func answers(t *testing.T, s Subject) {
	t.Run("TextStreamsInPieces", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "One two three."}))
		r := st.whole(prompt("Count."))
		if got := r.Text(llm.BlockText); got != "One two three." || len(r.Blocks) != 1 {
			t.Errorf("got %d blocks with the text %q", len(r.Blocks), got)
		}
		if r.Reason != llm.StopEnd {
			t.Errorf("stopped because of %q, want %q", r.Reason, llm.StopEnd)
		}
		if pieces := countDeltas(r); pieces < 3 {
			t.Errorf("the text came in %d pieces; it must not be collected", pieces)
		}
	})
	t.Run("SaysNothing", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Name: "silence", Stop: rehearsal.StopEnd}))
		if r := st.whole(prompt("Hush.")); r.Text(llm.BlockText) != "" || r.Reason != llm.StopEnd {
			t.Errorf("got %#v", r)
		}
	})
	t.Run("AnyScriptOfTheWorld", func(t *testing.T) {
		const text = "naïve 日本語 🎭👩🏽‍💻 \u2028 \\ \" <b> end"
		for _, chunk := range []string{"char", "word", "line", "whole"} {
			st := s.stage(t, replies(rehearsal.Reply{Text: text, Pace: rehearsal.Pace{Chunk: chunk}}))
			if got := st.whole(prompt("Speak.")).Text(llm.BlockText); got != text {
				t.Errorf("in pieces of a %s: got %q", chunk, got)
			}
		}
	})
	t.Run("HugePiece", func(t *testing.T) {
		text := strings.Repeat("0123456789abcdef", 1<<20/16)
		st := s.stage(t, replies(rehearsal.Reply{Text: text, Pace: rehearsal.Pace{Chunk: "whole"}}))
		if got := st.whole(prompt("At length.")).Text(llm.BlockText); got != text {
			t.Errorf("got %d bytes of %d", len(got), len(text))
		}
	})
	t.Run("ToolCall", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{
			Text:  "I read it.",
			Calls: []rehearsal.Call{{Name: "Read", Args: rehearsal.Args{"path": "a/ü.txt", "n": 3}}},
		}))
		r := st.whole(prompt("Read."))
		if r.Reason != llm.StopToolCalls || r.Text(llm.BlockText) != "I read it." {
			t.Errorf("stopped because of %q after %q", r.Reason, r.Text(llm.BlockText))
		}
		calls := r.Calls()
		if len(calls) != 1 || calls[0].Name != "Read" {
			t.Fatalf("got the calls %#v", calls)
		}
		WantJSON(t, `{"n":3,"path":"a/ü.txt"}`, calls[0].Text)
	})
	t.Run("ParallelToolCallsKeepTheirOrder", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Calls: []rehearsal.Call{
			{Name: "Read", Args: rehearsal.Args{"path": "a"}}, {Name: "List"}, {Name: "Read", Args: rehearsal.Args{"path": "b"}},
		}}))
		calls := st.whole(prompt("All.")).Calls()
		var names, args []string
		ids := map[string]bool{}
		for _, c := range calls {
			names, args = append(names, c.Name), append(args, c.Text)
			ids[c.ID] = true
		}
		if d := cmp.Diff([]string{"Read", "List", "Read"}, names); d != "" {
			t.Error(d)
		}
		if len(args) != 3 || !strings.Contains(args[0], `"a"`) || !strings.Contains(args[2], `"b"`) {
			t.Errorf("got the arguments %q", args)
		}
		if len(ids) != 3 {
			t.Errorf("got %d different ids for 3 calls", len(ids))
		}
	})
	t.Run("Reasoning", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Reasoning: "Let me think it over.", Text: "Done."}))
		req := prompt("Think.")
		req.Effort = "high"
		r := st.whole(req)
		if len(r.Blocks) != 2 || r.Blocks[0].Kind != llm.BlockReasoning || r.Blocks[0].Text != "Let me think it over." || r.Blocks[1].Text != "Done." {
			t.Fatalf("got the blocks %#v", r.Blocks)
		}
		if got := len(r.Blocks[0].Opaque) > 0; s.Proof && !got {
			t.Error("the reasoning has no opaque part, so it cannot be given back")
		}
	})
	for stop, want := range map[rehearsal.Stop]llm.StopReason{
		rehearsal.StopMaxTokens: llm.StopMaxTokens,
		rehearsal.StopRefusal:   llm.StopRefusal,
		rehearsal.StopFilter:    llm.StopRefusal,
	} {
		t.Run("StopReason_"+string(stop), func(t *testing.T) {
			st := s.stage(t, replies(rehearsal.Reply{Text: "So far", Stop: stop}))
			r := st.whole(prompt("Go on."))
			if r.Reason != want || r.Text(llm.BlockText) != "So far" {
				t.Errorf("stopped because of %q after %q, want %q", r.Reason, r.Text(llm.BlockText), want)
			}
		})
	}
	t.Run("EveryRangeIsOneRequest", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "first"}, rehearsal.Reply{Text: "second"}))
		stream := st.provider.Stream(t.Context(), prompt("Again."))
		if n := len(st.server.Requests()); n != 0 {
			t.Errorf("%d requests before anybody asked for a delta", n)
		}
		if a, b := Read(stream).Text(llm.BlockText), Read(stream).Text(llm.BlockText); a != "first" || b != "second" {
			t.Errorf("got %q and %q", a, b)
		}
	})
	t.Run("ManyAtOnce", func(t *testing.T) {
		st := s.stage(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "here"}}})
		texts := make(chan string)
		for range 8 {
			go func() { texts <- Read(st.provider.Stream(t.Context(), prompt("Who?"))).Text(llm.BlockText) }()
		}
		for range 8 {
			if got := <-texts; got != "here" {
				t.Errorf("got %q", got)
			}
		}
	})
}

func countDeltas(r Reading) (n int) {
	for _, d := range r.Deltas {
		if _, ok := d.(llm.BlockDelta); ok {
			n++
		}
	}
	return n
}

func usage(t *testing.T, s Subject) {
	given := rehearsal.Usage{Input: 1200, Output: 77, CacheRead: 800, CacheWrite: 100, Reasoning: 30}
	count := func(n int) *int64 { v := int64(n); return &v }

	t.Run("InputIsTheWholePrompt", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "Counted.", Usage: &given}))
		got := st.whole(prompt("Count.")).Usage
		want := llm.Usage{Input: count(1200), Output: count(77), CacheRead: count(800), CacheWrite: got.CacheWrite, Reasoning: got.Reasoning}
		if s.CacheWrite {
			want.CacheWrite = count(100)
		}
		if got.Reasoning != nil && *got.Reasoning != 30 {
			t.Errorf("got %d reasoning tokens, want 30", *got.Reasoning)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
	if s.AlwaysCounts {
		return
	}
	t.Run("UnreportedIsNotZero", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "Who counts?", Usage: &rehearsal.Usage{Omit: true}}))
		if d := cmp.Diff(llm.Usage{}, st.whole(prompt("Count.")).Usage); d != "" {
			t.Error(d)
		}
	})
}
