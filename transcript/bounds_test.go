package transcript_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

const bounds = `SELECT strftime('%H:%M:%S', started_at, 'unixepoch') || ' ' || strftime('%H:%M:%S', updated_at, 'unixepoch') || ' ' ||
	strftime('%H:%M:%S', ended_at, 'unixepoch') || ' ' || strftime('%H:%M:%S', last_message_at, 'unixepoch') FROM sessions`

func TestImport_AReplacedFileMovesNoBoundOfItsSessionInward(t *testing.T) {
	for name, rest := range map[string][]any{
		"its first record": {said(sid, 1, "one")}, "its last record": {said(sid, 50, "two")}, "another": {said(sid, 9, "three")}, "a title": {fields{"type": "summary", "summary": "x"}},
	} {
		s := storetest.New(t, store.Options{})
		tr := newTree(t)
		file := "projects/p/" + sid + ".jsonl"
		tr.write(file, said(sid, 1, "one"), said(sid, 50, "two"))
		importInto(t, s, transcript.ClaudeCode, tr.dir)
		tr.write(file, rest...)
		if r := importInto(t, s, transcript.ClaudeCode, tr.dir); r.Replaced != 1 && name != "its first record" {
			t.Errorf("%s: %+v", name, r)
		}
		if diff := cmp.Diff("10:00:01 10:00:50 10:00:50 10:00:50", column(t, s, bounds)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		sound(t, s)
	}
}

func TestImport_WhatAPodAddedLastsLongerThanWhatTheFileSays(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	file := "projects/p/" + sid + ".jsonl"
	tr.write(file, said(sid, 1, "one"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	start := storetest.PodStart("a")
	start.SessionID = claudeID(sid)
	p := storetest.Start(t, s, start)
	at := storetest.Epoch.Add(time.Hour)
	if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, At: at, Entries: []session.NewEntry{
		{ID: uuidOf(9), Kind: session.KindInput, Payload: session.Input{Text: "more"}}}}); err != nil {
		t.Fatal(err)
	}
	tr.write(file, said(sid, 1, "one"), said(sid, 2, "two"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	if diff := cmp.Diff(at.Format("15:04:05|15:04:05|"), column(t, s, `SELECT strftime('%H:%M:%S', updated_at, 'unixepoch') || '|' ||
		strftime('%H:%M:%S', last_message_at, 'unixepoch') || '|' || coalesce(ended_at, '') FROM sessions`)); diff != "" {
		t.Error(diff)
	}
}
