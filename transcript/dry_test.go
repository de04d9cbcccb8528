package transcript_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

func TestDryRun_TellsWhatAnImportWouldDoAndDoesNothing(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"), said(sid, 2, "ho"))
	r := importInto(t, transcript.DryRun(s), transcript.ClaudeCode, tr.dir)
	if r.Kept != 2 || r.Sessions != 1 || column(t, s, "SELECT count(*) FROM sessions") != "0" || column(t, s, "SELECT count(*) FROM import_files") != "0" {
		t.Errorf("%+v", r)
	}
}

func TestDryRun_CountsWhatIsThereAndWhatComesTwiceAsKnown(t *testing.T) {
	const fork, gone = "00000002-1111-4111-8111-111111111111", "00000003-1111-4111-8111-111111111111"
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	o := options(transcript.ClaudeCode, tr.dir)
	same := func(step string) {
		t.Helper()
		dry, err := transcript.Import(t.Context(), transcript.DryRun(s), o)
		if err != nil {
			t.Fatal(err)
		}
		real, err := transcript.Import(t.Context(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		counts := func(r transcript.Report) []int64 { return []int64{int64(r.Sessions), r.Kept, r.Known} }
		if diff := cmp.Diff(counts(real), counts(dry)); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
		if diff := cmp.Diff(real.Skipped, dry.Skipped); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
	}
	own := []any{said(sid, 1, "hi"), said(sid, 2, "ho")}
	tr.write("projects/p/"+sid+".jsonl", own...)
	tr.write("projects/p/"+gone+".jsonl", said(gone, 7, "bye"))
	tr.write("projects/copy/"+sid+".jsonl", own...)
	tr.write("projects/p/"+fork+".jsonl", with(said(sid, 1, "hi"), fields{"sessionId": fork}), with(said(sid, 2, "else"), fields{"sessionId": fork, "timestamp": clockAt(5)}), said(fork, 9, "own"))
	same("at first")
	tr.write("projects/p/"+sid+".jsonl", append(own, said(sid, 3, "more"))...)
	same("grown")
	const other = "00000005-1111-4111-8111-111111111111"
	tr.write("projects/q/"+other+".jsonl", with(said(sid, 1, "hi"), fields{"sessionId": other}), with(said(sid, 3, "else"), fields{"sessionId": other, "timestamp": clockAt(8)}), said(other, 12, "own"))
	same("a fork that came later")
	v := store.NewView(s.Path(), "x", store.Options{})
	defer v.Close()
	if err := v.DeleteSession(t.Context(), claudeID(gone), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ImportForget(t.Context(), tr.dir); err != nil {
		t.Fatal(err)
	}
	same("forgotten")
	if err := v.DeleteSession(t.Context(), claudeID(sid), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ImportForget(t.Context(), tr.dir); err != nil {
		t.Fatal(err)
	}
	tr.write("projects/p/"+sid+".jsonl", append(own, said(sid, 3, "more"), said(sid, 4, "since"))...)
	const late = "00000004-1111-4111-8111-111111111111"
	tr.write("projects/p/"+late+".jsonl", with(said(sid, 4, "since"), fields{"sessionId": late}), with(said(sid, 3, "else"), fields{"sessionId": late, "timestamp": clockAt(6)}), said(late, 11, "own"))
	same("a deleted parent, grown since")
	o.Restore = true
	same("restored")
	if n := column(t, s, "SELECT count(*) FROM sessions"); n != "5" {
		t.Errorf("%s sessions", n)
	}
}
