package transcript_test

import (
	"context"
	"fmt"
	"path/filepath"
	"podium.local/session"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

// delete deletes those of these sessions that are there.
func (sc *scene) delete(ids ...string) {
	v := store.NewView(sc.s.Path(), "x", store.Options{})
	defer v.Close()
	for _, id := range ids {
		if storetest.Value(sc.tree.t, sc.s.Path(), "SELECT count(*) FROM sessions WHERE id = '"+id+"'") == "0" {
			continue
		}
		if err := v.DeleteSession(context.Background(), id, storetest.Epoch); err != nil {
			sc.t.Fatal(err)
		}
	}
}

// forget takes all files out of the ledger.
func (sc *scene) forget() {
	if _, err := sc.s.ImportForget(context.Background(), sc.tree.dir); err != nil {
		sc.t.Fatal(err)
	}
}

// put writes all drawn files.
func (sc *scene) put(d drawn) {
	for _, name := range d.names() {
		sc.tree.put(name, d.files[name])
		sc.tree.touch(name, 1000)
	}
}

// drawDeleted draws some of the sessions that a folder gives, and what a store
// holds when these are deleted after everything was imported.
func drawDeleted(t *testing.T, rt *rapid.T, dir string, d drawn) (ids, want []string) {
	sc := newScene(t, rt, dir)
	sc.put(d)
	sc.importAll(d.tool)
	for _, id := range rows(t, sc.s, "SELECT id FROM sessions ORDER BY id") {
		if id = id[:len(id)-1]; rapid.Bool().Draw(rt, "deleted") {
			ids = append(ids, id)
		}
	}
	sc.delete(ids...)
	return ids, sc.endSessions(t)
}

// endSessions is end without the ledger.
func (sc *scene) endSessions(t *testing.T) []string {
	out := dumpSessions(t, sc.s)
	sc.end(t)
	return out
}

func TestImport_AForkDoesNotGetWhatItCopiedOfADeletedSession(t *testing.T) {
	const fork = "22222222-2222-4222-8222-222222222222"
	const parentFile, forkFile = "projects/p/" + sid + ".jsonl", "projects/p/" + fork + ".jsonl"
	var parent, copies []any
	for n := range 520 { // more than a step of a deletion
		parent = append(parent, answer(sid, n, fmt.Sprint(n), 10, textBlock("x")))
		copies = append(copies, with(answer(sid, n, fmt.Sprint(n), 10, textBlock("x")), fields{"sessionId": fork}))
	}
	for name, again := range map[string]func(sc *scene){
		"all at once": func(sc *scene) {
			sc.forget()
			sc.importAll(transcript.ClaudeCode)
		},
		"the fork first": func(sc *scene) {
			sc.forget()
			sc.importAt(transcript.ClaudeCode, sc.tree.path(forkFile))
			sc.importAll(transcript.ClaudeCode)
		},
		"the fork alone": func(sc *scene) {
			sc.forget()
			sc.importAt(transcript.ClaudeCode, sc.tree.path(forkFile))
		},
		"the fork grown": func(sc *scene) {
			sc.tree.write(forkFile, append(copies, said(fork, 2001, "mine"))...)
			sc.importAll(transcript.ClaudeCode)
		},
		"deleted by an earlier podium": func(sc *scene) {
			storetest.SQL(t, sc.s.Path(), "DELETE FROM import_deleted; DELETE FROM import_deleted_entries; DELETE FROM import_deleted_requests")
			sc.forget()
			sc.importAll(transcript.ClaudeCode)
		},
	} {
		sc := &scene{t, newTree(t), storetest.New(t, store.Options{})}
		sc.tree.write(parentFile, parent...)
		sc.tree.write(forkFile, append(copies, said(fork, 2001, "mine"))...)
		sc.importAll(transcript.ClaudeCode)
		whole := dumpSessions(t, sc.s)
		sc.delete(claudeID(sid))
		want := dumpSessions(t, sc.s)
		again(sc)
		if diff := cmp.Diff(want, dumpSessions(t, sc.s)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		o := options(transcript.ClaudeCode, sc.tree.dir)
		o.Restore = true
		if _, err := transcript.Import(t.Context(), sc.s, o); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, dumpSessions(t, sc.s)); diff != "" {
			t.Errorf("%s, restored: %s", name, diff)
		}
		if n := column(t, sc.s, "SELECT (SELECT count(*) FROM import_deleted_entries) + (SELECT count(*) FROM import_deleted_requests)"); n != "0" {
			t.Errorf("%s, restored: %s ids are still a deleted session's", name, n)
		}
		sound(t, sc.s)
	}
}

func TestImport_DeletedSessionsAndWhatForksCopiedOfThemStayAway(t *testing.T) {
	dir := newTree(t).dir
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		whole := once(t, rt, dir, d)
		ids, want := drawDeleted(t, rt, dir, d)
		s, err := store.Open(t.Context(), filepath.Join(dir, "state.db"), store.Options{Bulk: true, Now: options("", "").Now})
		if err != nil {
			rt.Fatal(err)
		}
		sc := &scene{rt, tree{t, filepath.Join(dir, "vendor")}, s}
		for range rapid.IntRange(1, 2).Draw(rt, "times") {
			sc.forget()
			for _, name := range rapid.Permutation(d.names()).Draw(rt, "order") {
				sc.importAt(d.tool, sc.tree.path(name))
			}
		}
		if diff := cmp.Diff(want, dumpSessions(t, sc.s)); diff != "" {
			rt.Fatalf("without %q: %s", ids, diff)
		}
		o := options(d.tool, sc.tree.dir)
		o.Restore = true
		if _, err := transcript.Import(t.Context(), s, o); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(whole, sc.end(t)); diff != "" {
			rt.Fatalf("with %q restored: %s", ids, diff)
		}
	})
}

func TestImport_AnyOrderOfFilesAndDeletionsGivesTheSameStore(t *testing.T) {
	dir := newTree(t).dir
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		ids, want := drawDeleted(t, rt, dir, d)
		sc := newScene(t, rt, dir)
		for _, name := range rapid.Permutation(d.names()).Draw(rt, "order") {
			path := sc.tree.put(name, d.files[name])
			sc.tree.touch(name, 1000)
			sc.importAt(d.tool, path)
			for _, id := range ids {
				if rapid.Bool().Draw(rt, "now") {
					sc.delete(id)
				}
			}
		}
		sc.delete(ids...)
		if diff := cmp.Diff(want, sc.endSessions(t)); diff != "" {
			rt.Fatalf("without %q: %s", ids, diff)
		}
	})
}

func TestImport_ADeletedSessionStaysDeletedUnlessRestored(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	file := "projects/p/" + sid + ".jsonl"
	tr.write(file, said(sid, 1, "hi"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	v := store.NewView(s.Path(), "x", store.Options{})
	defer v.Close()
	if err := v.DeleteSession(t.Context(), claudeID(sid), time.Now()); err != nil {
		t.Fatal(err)
	}
	tr.write(file, said(sid, 1, "hi"), said(sid, 2, "more"))
	r := importInto(t, s, transcript.ClaudeCode, tr.dir)
	if r.Kept != 0 || column(t, s, "SELECT count(*) FROM sessions") != "0" {
		t.Errorf("%+v", r)
	}
	o := options(transcript.ClaudeCode, tr.dir)
	o.Restore = true
	if r, err := transcript.Import(t.Context(), s, o); err != nil || r.Kept != 2 || r.Sessions != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	sound(t, s)
}

func TestImport_RestoreFindsADeletedSessionWhoseFileWasForgottenAndReadSince(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	path := tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	v := store.NewView(s.Path(), "x", store.Options{})
	defer v.Close()
	if err := v.DeleteSession(t.Context(), claudeID(sid), time.Now()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.ImportForget(t.Context(), path); err != nil || n != 1 {
		t.Fatalf("%d files forgotten, %v", n, err)
	}
	if r := importInto(t, s, transcript.ClaudeCode, tr.dir); r.Kept != 0 {
		t.Errorf("read again: %+v", r)
	}
	o := options(transcript.ClaudeCode, tr.dir)
	o.Restore = true
	if r, err := transcript.Import(t.Context(), s, o); err != nil || r.Kept != 1 || r.Sessions != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	sound(t, s)
}

func TestImport_TheLedgerCountsWhatWasLeftOutOfADeletedSession(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	file := "projects/p/" + sid + ".jsonl"
	tr.write(file, said(sid, 0, "prompt 0"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	v := store.NewView(s.Path(), "x", store.Options{})
	defer v.Close()
	if err := v.DeleteSession(t.Context(), claudeID(sid), time.Now()); err != nil {
		t.Fatal(err)
	}
	path := tr.put(file, many(sid, 1200)) // more than two steps
	r := importInto(t, s, transcript.ClaudeCode, tr.dir)
	want := map[string]int64{session.SkippedDeleted: 1199}
	if diff := cmp.Diff(want, r.Skipped); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, ledger(t, s, path).Skipped); diff != "" {
		t.Error(diff)
	}
}
