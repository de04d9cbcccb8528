package transcript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

func TestOwn_AFileWithoutARecordOfTheToolMakesNoSessionAndIsNamed(t *testing.T) {
	for _, c := range []struct {
		name  string
		tool  transcript.Tool
		lines []any
		looks transcript.Tool
	}{
		{"Codex's", transcript.ClaudeCode, []any{cxMeta(0, sid, nil), cxMessage(1, "user", "hi"), cxTokens(2, 1, 1, 1, 1)}, transcript.Codex},
		{"old, Codex's", transcript.ClaudeCode, []any{fields{"id": sid, "timestamp": clockAt(0)}, fields{"type": "message", "role": "user", "content": []any{}}}, transcript.Codex},
		{"Claude Code's", transcript.Codex, []any{said(sid, 1, "hi"), answer(sid, 2, "a", 1, textBlock("x"))}, transcript.ClaudeCode},
		{"nobody's for Claude Code", transcript.ClaudeCode, []any{fields{"a": 1}, "{broken\n", fields{"type": "user", "name": "Ann"}}, ""},
		{"nobody's for Codex", transcript.Codex, []any{fields{"a": 1}, fields{"type": "log", "timestamp": clockAt(1), "payload": fields{}}}, ""},
	} {
		s := storetest.New(t, store.Options{})
		tr := newTree(t)
		path := tr.write("projects/p/x.jsonl", c.lines...)
		for n := range 2 { // the second one finds it unchanged
			r := importInto(t, s, c.tool, tr.dir)
			if diff := cmp.Diff([]transcript.Refusal{{Path: path, LooksLike: c.looks}}, r.Refusals); diff != "" || r.Refused != 1 || r.Unchanged != n {
				t.Errorf("%s, import %d: %s %+v", c.name, n, diff, r)
			}
		}
		if got := column(t, s, "SELECT count(*) FROM sessions"); got != "0" {
			t.Errorf("%s: %s sessions", c.name, got)
		}
		if f := ledger(t, s, path); f.Cursor != f.Size || f.Lines != int64(len(c.lines)) || f.Kept+f.Raw != 0 {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestOwn_AForeignFileKeepsNoOthersFromBeingImported(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	tr.write("projects/p/notes.jsonl", fields{"a": 1})
	if r := importInto(t, s, transcript.ClaudeCode, tr.dir); r.Refused != 1 || r.Sessions != 1 || r.Kept != 1 {
		t.Errorf("%+v", r)
	}
}

func TestOwn_OnceARecordOfTheToolComesTheWholeFileIsRead(t *testing.T) {
	lines := []any{fields{"type": "hologram", "timestamp": clockAt(1)}, "{broken\n", cxMessage(2, "user", "odd"), said(sid, 3, "hi"), fields{"type": "hologram", "timestamp": clockAt(4)}}
	at, grown := storetest.New(t, store.Options{}), storetest.New(t, store.Options{})
	tr := newTree(t)
	file := "projects/p/" + sid + ".jsonl"
	for n := range lines {
		tr.write(file, lines[:n+1]...)
		r := importInto(t, grown, transcript.ClaudeCode, tr.dir)
		if want := min(1, max(0, 3-n)); r.Refused != want {
			t.Errorf("%d lines: %d files refused", n+1, r.Refused)
		}
	}
	importInto(t, at, transcript.ClaudeCode, tr.dir)
	if got := len(log(t, at, claudeID(sid))); got != 4 {
		t.Errorf("%d entries", got)
	}
	same(t, at, grown)
	sound(t, grown)
}
