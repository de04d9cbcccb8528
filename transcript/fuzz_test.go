package transcript_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"podium.local/session"
	"podium.local/transcript"
)

// strict is a sink that stores nothing and looks at everything.
type strict struct {
	transcript.Sink
	t    *testing.T
	size int64
}

func (s *strict) ImportBatches(ctx context.Context, batches []session.ImportBatch) ([]session.ImportOutcome, error) {
	for _, b := range batches {
		s.look(b)
	}
	return s.Sink.ImportBatches(ctx, batches)
}

func (s *strict) look(b session.ImportBatch) {
	if b.File.Cursor < 0 || b.File.Cursor > s.size {
		s.t.Errorf("read to %d of %d bytes", b.File.Cursor, s.size)
	}
	for _, p := range b.Parts {
		for _, e := range p.Entries {
			payload, err := json.Marshal(e.Payload)
			if err != nil {
				s.t.Errorf("%s entry: %v", e.Kind, err)
			}
			if !utf8.Valid(payload) {
				s.t.Errorf("%s entry is no text: %q", e.Kind, payload)
			}
			if _, err := (session.Entry{Kind: e.Kind, Payload: payload}).Decode(); err != nil {
				s.t.Error(err)
			}
			if e.ID == "" || e.At.IsZero() {
				s.t.Errorf("%s entry has no id or time: %+v", e.Kind, e)
			}
		}
		for _, r := range p.Requests {
			for _, n := range []*int64{r.Usage.InputTokens, r.Usage.OutputTokens, &r.Usage.CacheReadTokens, &r.Usage.CacheWriteTokens, &r.Usage.ReasoningTokens} {
				if n != nil && (*n < 0 || *n > math.MaxInt64/2) {
					s.t.Errorf("impossible usage %d", *n)
				}
			}
		}
		if f := p.Facts; len(p.Entries) > 0 && (f.First.After(f.Last) || !utf8.ValidString(f.Title+f.Summary+f.Prompt+f.Project+f.Cwd)) {
			s.t.Errorf("impossible facts %+v", f)
		}
	}
}

func fuzzTool(f *testing.F, tool transcript.Tool, seeds ...any) {
	whole := ""
	for _, seed := range seeds {
		text, ok := seed.(string)
		if !ok {
			text = line(seed.(fields))
		}
		whole += text
		f.Add([]byte(text))
	}
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		sink := &strict{Sink: transcript.DryRun(nil), t: t, size: int64(len(data))}
		r, err := transcript.Import(t.Context(), sink, options(tool, dir))
		if err != nil || len(r.Troubles) > 0 {
			t.Fatal(err, r.Troubles)
		}
	})
}

func FuzzClaudeCode(f *testing.F) {
	fuzzTool(f, transcript.ClaudeCode, said(sid, 1, "hi"), answer(sid, 2, "a", 3, textBlock("x")), result(sid, 3, "c", "out"),
		with(answer(sid, 4, "b", 3, fields{"type": "tool_use", "id": "t", "name": "Read", "input": "x"}), fields{"isSidechain": true}),
		fields{"type": "system", "subtype": "compact_boundary", "compactMetadata": fields{"preTokens": 7}},
		fields{"type": "attachment", "attachment": fields{"type": "queued_command", "prompt": "x"}},
		fields{"type": "summary", "summary": "s"}, `{"type":"user","message":{"content":[{"type":"image","source":{"media_type":"image/png","data":"AAAA"}}]}}`+"\n")
}

func FuzzCodex(f *testing.F) {
	fuzzTool(f, transcript.Codex, cxMeta(0, sid, fields{"forked_from_id": "p"}), cxTurn(1, "t1"), cxMessage(2, "user", "hi"), cxTokens(3, 1, 2, 3, 4),
		cx(4, "response_item", fields{"type": "function_call", "call_id": "c", "name": "shell", "arguments": `{"a":1}`}),
		cx(5, "response_item", fields{"type": "function_call_output", "call_id": "c", "output": `{"output":"x","metadata":{"exit_code":2}}`}),
		cx(6, "compacted", fields{"message": "m"}), fields{"id": sid, "timestamp": clockAt(0)})
}
