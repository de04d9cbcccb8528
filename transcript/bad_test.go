package transcript_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

// hooked is a store whose steps a test can interfere with.
type hooked struct {
	*store.Store
	listed func()
	before func(n int, batches []session.ImportBatch) error
	n      int
}

func (h *hooked) ImportFilesAfter(ctx context.Context, tool, path string, limit int) ([]session.ImportFile, error) {
	if h.listed != nil {
		h.listed()
	}
	return h.Store.ImportFilesAfter(ctx, tool, path, limit)
}

func (h *hooked) ImportFiles(ctx context.Context, tool string, paths []string) ([]session.ImportFile, error) {
	if h.listed != nil {
		h.listed()
	}
	return h.Store.ImportFiles(ctx, tool, paths)
}

func (h *hooked) ImportBatches(ctx context.Context, batches []session.ImportBatch) ([]session.ImportOutcome, error) {
	h.n++
	if h.before != nil {
		if err := h.before(h.n, batches); err != nil {
			return nil, err
		}
	}
	return h.Store.ImportBatches(ctx, batches)
}

// many are n prompts of a session, enough for several batches from 501 on.
func many(id string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(said(id, i, fmt.Sprint("prompt ", i))))
	}
	return b.String()
}

func ledger(t testing.TB, s *store.Store, path string) session.ImportFile {
	t.Helper()
	for _, tool := range transcript.Tools() {
		files, err := s.ImportFiles(t.Context(), string(tool), []string{path})
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 1 {
			return files[0]
		}
	}
	t.Fatalf("no row for %s", path)
	return session.ImportFile{}
}

func TestBad_FilesWithoutASessionMakeNoRow(t *testing.T) {
	binary := make([]byte, 300_000)
	for i := range binary {
		binary[i] = byte(i * i >> 3)
	}
	for name, text := range map[string]string{
		"empty": "", "blank lines": "\n\n\r\n", "zeros": strings.Repeat("\x00", 100_000), "binary": string(binary),
		"only titles": line(fields{"type": "summary", "summary": "x"}),
	} {
		s := storetest.New(t, store.Options{})
		tr := newTree(t)
		path := tr.put("projects/p/"+sid+".jsonl", text)
		importInto(t, s, transcript.ClaudeCode, tr.dir)
		if got := column(t, s, "SELECT count(*) FROM sessions"); got != "0" {
			t.Errorf("%s: %s sessions", name, got)
		}
		f := ledger(t, s, path)
		if f.Kept != 0 || name == "binary" && (f.Damaged == 0 || len(f.Problems) == 0 || len(f.Problems) > 20) {
			t.Errorf("%s: %+v", name, f)
		}
		if r := importInto(t, s, transcript.ClaudeCode, tr.dir); r.Unchanged != 1 {
			t.Errorf("%s: read again: %+v", name, r)
		}
	}
}

func TestBad_DamagedLinesAreSkippedAndNamedWithFileAndLine(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	first, broken := line(said(sid, 1, "one")), `{"type":"user","message":{"content":"secret`+"\n"
	path := tr.put("projects/p/"+sid+".jsonl", first+"\n"+broken+line(said(sid, 2, "two"))+"[1,2]\n")
	r := importInto(t, s, transcript.ClaudeCode, tr.dir)
	want := []transcript.Problem{
		{Path: path, ImportProblem: session.ImportProblem{Line: 3, Offset: int64(len(first) + 1), Length: int64(len(broken) - 1), Text: "damaged line: not valid JSON at byte 43 of the line"}},
		{Path: path, ImportProblem: session.ImportProblem{Line: 5, Offset: int64(len(first)*2 + 1 + len(broken)), Length: 5, Text: "damaged line: not a JSON object"}},
	}
	if diff := cmp.Diff(want, r.Problems); diff != "" {
		t.Error(diff)
	}
	if n := len(log(t, s, claudeID(sid))); n != 2 || r.Damaged != 2 {
		t.Error(n, r.Damaged)
	}
}

func TestBad_LineEndsZerosAndBrokenCharactersLoseNothing(t *testing.T) {
	_, entries, r := claude(t,
		strings.TrimSuffix(line(said(sid, 1, "one")), "\n")+"\r\n",
		"\x00\x00\x00"+line(said(sid, 2, "two")),
		strings.Replace(line(said(sid, 3, "th*ee")), "*", "\xff\xfe", 1),
		strings.Replace(line(said(sid, 4, "fo*r")), "*", `\u0000`, 1),
	)
	want := []string{
		`input {"text":"one","kind":"input"}`, `input {"text":"two","kind":"input"}`,
		"input {\"text\":\"th\uFFFDee\",\"kind\":\"input\"}", `input {"text":"fo\u0000r","kind":"input"}`,
	}
	if diff := cmp.Diff(want, brief(entries)); diff != "" || r.Damaged != 0 {
		t.Error(diff, r.Damaged)
	}
}

func TestBad_FieldsOfAnotherTypeAreToleratedAndTheLineIsKept(t *testing.T) {
	_, entries, r := claude(t, `{"type":"user","uuid":7,"sessionId":["x"],"timestamp":12,"message":"text"}`+"\n", said(sid, 2, "two"))
	if len(entries) != 2 || entries[0].Kind != session.KindForeign || r.Damaged != 0 {
		t.Error(brief(entries), r.Damaged)
	}
}

func TestBad_ALineTooLongIsNamedByItsHashAndTheRestIsRead(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	first, long := line(said(sid, 1, "one")), strings.Repeat("x", 33<<20)
	path := tr.put("projects/p/"+sid+".jsonl", first+long+"\n"+line(said(sid, 2, "two")))
	r := importInto(t, s, transcript.ClaudeCode, tr.dir)
	entries := log(t, s, claudeID(sid))
	if len(entries) != 3 || len(r.Problems) != 1 {
		t.Fatal(brief(entries), r.Problems)
	}
	payload, err := entries[1].Decode()
	f, ok := payload.(session.Foreign)
	if err != nil || !ok || f.Source == nil {
		t.Fatal(brief(entries), err)
	}
	if *f.Source != (session.Source{File: path, Offset: int64(len(first)), Length: 33 << 20, SHA256: r.Problems[0].SHA256}) || len(f.Source.SHA256) != 64 {
		t.Errorf("%+v", f.Source)
	}
}

func TestBad_LongTextsKeepTheirBeginningAndWhereTheRestIs(t *testing.T) {
	_, entries, _ := claude(t, said(sid, 1, "start "+strings.Repeat("日本", 300_000)))
	text := string(entries[0].Payload)
	if len(text) > 70<<10 || !strings.Contains(text, `{"text":"start `) || !strings.Contains(text, "podium import source ") || !strings.Contains(text, sid+".jsonl' 0 1800") {
		t.Errorf("%d bytes: %.50s … %s", len(text), text, text[len(text)-300:])
	}
}

func TestBad_ClocksThatJumpMoveNeitherOrderNorBounds(t *testing.T) {
	future := with(said(sid, 3, "future"), fields{"timestamp": "2199-01-01T00:00:00Z"})
	none := with(said(sid, 4, "none"), fields{"timestamp": nil})
	odd := with(said(sid, 5, "odd"), fields{"timestamp": "yesterday"})
	s, entries, r := claude(t, said(sid, 10, "first"), said(sid, 2, "earlier"), future, none, odd)
	var texts []string
	for _, e := range entries {
		texts = append(texts, e.CreatedAt.Format("05 ")+string(e.Payload)[9:13])
	}
	if diff := cmp.Diff([]string{"10 firs", "02 earl", "02 futu", "02 none", "02 odd\""}, texts); diff != "" {
		t.Error(diff)
	}
	if got := column(t, s, "SELECT updated_at - started_at FROM sessions"); got != "8.0" || r.Clamped != 1 {
		t.Error(got, r.Clamped)
	}
}

func TestBad_TwoCopiesOfOneSessionAreOneSession(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	lines := []any{said(sid, 1, "hi"), answer(sid, 2, "a", 10, textBlock("x"))}
	tr.write("projects/p/"+sid+".jsonl", lines...)
	tr.write("projects/q/"+sid+".jsonl", append(lines, answer(sid, 3, "b", 5, textBlock("y")))...)
	r := importInto(t, s, transcript.ClaudeCode, tr.dir)
	if got := column(t, s, "SELECT count(*) || '|' || sum(output_tokens) FROM sessions"); got != "1|15" || r.Known != 2 || r.Kept != 3 {
		t.Error(got, r.Known, r.Kept)
	}
	sound(t, s)
}

func TestBad_SymbolicLinksAreNotFollowed(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	path := tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	for link, target := range map[string]string{"projects/loop": tr.path("projects"), "projects/p/p": "..", "projects/p/link.jsonl": path, "projects/p/gone.jsonl": "nowhere"} {
		if err := os.Symlink(target, tr.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(tr.dir, outside); err != nil {
		t.Fatal(err)
	}
	r := importInto(t, s, transcript.ClaudeCode, outside) // the folder itself may be one
	if r.Files != 1 || r.Links != 2 || r.Kept != 1 {
		t.Errorf("%+v", r)
	}
}

func TestBad_AnUnreadableFileIsToldAndTheOthersAreImported(t *testing.T) {
	h := &hooked{Store: storetest.New(t, store.Options{})}
	tr := newTree(t)
	bad := tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	tr.write("projects/p/"+vendorUUID(2)+".jsonl", said(vendorUUID(2), 2, "ho"))
	h.listed = func() { // it turns into something that cannot be read once it was found
		if err := errors.Join(os.Remove(bad), os.Mkdir(bad, 0o700)); err != nil {
			t.Error(err)
		}
	}
	r := importInto(t, h, transcript.ClaudeCode, tr.dir)
	if diff := cmp.Diff([]transcript.Trouble{{Path: bad, Text: "not a regular file"}}, r.Troubles); diff != "" || r.Kept != 1 {
		t.Error(diff, r.Kept)
	}
	if f := ledger(t, h.Store, bad); f.LastError != "not a regular file" {
		t.Errorf("%+v", f)
	}
	// Once it can be read it is.
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	h.listed = nil
	if r := importInto(t, h, transcript.ClaudeCode, tr.dir); r.Kept != 1 || ledger(t, h.Store, bad).LastError != "" {
		t.Errorf("%+v", r)
	}
}

func TestBad_AFileThatIsReplacedIsReadAnewAndNothingIsLost(t *testing.T) {
	for name, next := range map[string]string{
		"shorter":           line(said(sid, 50, "new")),
		"of the same size":  strings.ReplaceAll(many(sid, 2), "prompt", "PROMPT"),
		"longer":            line(said(sid, 50, "new")) + many(sid, 20),
		"empty":             "",
		"cut within a line": many(sid, 2)[:300],
	} {
		s := storetest.New(t, store.Options{})
		tr := newTree(t)
		file := "projects/p/" + sid + ".jsonl"
		path := tr.put(file, many(sid, 2))
		importInto(t, s, transcript.ClaudeCode, tr.dir)
		tr.put(file, next)
		tr.touch(file, 7)
		r := importInto(t, s, transcript.ClaudeCode, tr.dir)
		if r.Replaced != 1 {
			t.Errorf("%s: %+v", name, r)
		}
		entries := log(t, s, claudeID(sid))
		if len(entries) < 2 || !strings.Contains(string(entries[1].Payload), "prompt 1") {
			t.Errorf("%s: %v", name, brief(entries))
		}
		if f := ledger(t, s, path); f.Cursor > int64(len(next)) {
			t.Errorf("%s: read to %d of %d", name, f.Cursor, len(next))
		}
		sound(t, s)
	}
}

func TestBad_AFileThatShrinksWhileItIsReadIsTakenUpTheNextTime(t *testing.T) {
	h := &hooked{Store: storetest.New(t, store.Options{})}
	tr := newTree(t)
	file := "projects/p/" + sid + ".jsonl"
	path := tr.put(file, many(sid, 3000))
	h.before = func(n int, _ []session.ImportBatch) error {
		if n == 2 {
			return os.Truncate(path, 1000)
		}
		return nil
	}
	importInto(t, h, transcript.ClaudeCode, tr.dir)
	h.before = nil
	tr.put(file, many(sid, 3000))
	tr.touch(file, 9)
	importInto(t, h, transcript.ClaudeCode, tr.dir)
	if n := len(log(t, h.Store, claudeID(sid))); n != 3000 {
		t.Errorf("%d entries", n)
	}
	sound(t, h.Store)
}

func TestBad_AFileThatIsReplacedWhileItIsReadIsReadAnewTheNextTime(t *testing.T) {
	h := &hooked{Store: storetest.New(t, store.Options{})}
	tr := newTree(t)
	path := tr.put("projects/p/"+sid+".jsonl", many(sid, 3000))
	h.before = func(n int, _ []session.ImportBatch) error {
		if n == 2 {
			return os.Rename(tr.put("next", line(said(sid, 4000, "another"))), path)
		}
		return nil
	}
	importInto(t, h, transcript.ClaudeCode, tr.dir)
	h.before = nil
	r := importInto(t, h, transcript.ClaudeCode, tr.dir)
	entries := log(t, h.Store, claudeID(sid))
	if r.Replaced != 1 || len(entries) != 3001 || !strings.Contains(string(entries[3000].Payload), "another") {
		t.Errorf("%d entries, %+v", len(entries), r)
	}
	if r := importInto(t, h, transcript.ClaudeCode, tr.dir); r.Unchanged != 1 {
		t.Errorf("%+v", r)
	}
	sound(t, h.Store)
}

func TestBad_AFullDiskStopsTheImportAndTheNextGoesOn(t *testing.T) {
	h := &hooked{Store: storetest.New(t, store.Options{})}
	tr := newTree(t)
	tr.put("projects/p/"+sid+".jsonl", many(sid, 1700))
	h.before = func(n int, _ []session.ImportBatch) error {
		if n == 3 {
			return fmt.Errorf("commit: %w", session.ErrFull)
		}
		return nil
	}
	r, err := transcript.Import(t.Context(), h, options(transcript.ClaudeCode, tr.dir))
	if !errors.Is(err, session.ErrFull) || r.Kept != 1000 {
		t.Fatal(err, r.Kept)
	}
	sound(t, h.Store)
	if n := len(log(t, h.Store, claudeID(sid))); n != 1000 {
		t.Errorf("%d entries before", n)
	}
	h.before = nil
	if r := importInto(t, h, transcript.ClaudeCode, tr.dir); r.Kept != 700 || r.Known != 0 {
		t.Errorf("%+v", r)
	}
	sound(t, h.Store)
}

func TestBad_ACancelledImportStopsAtWhatIsStored(t *testing.T) {
	h := &hooked{Store: storetest.New(t, store.Options{})}
	tr := newTree(t)
	tr.put("projects/p/"+sid+".jsonl", many(sid, 1700))
	ctx, cancel := context.WithCancel(t.Context())
	h.before = func(n int, _ []session.ImportBatch) error {
		if n == 2 {
			cancel()
		}
		return nil
	}
	r, err := transcript.Import(ctx, h, options(transcript.ClaudeCode, tr.dir))
	if !errors.Is(err, context.Canceled) || r.Kept != 500 {
		t.Fatal(err, r.Kept)
	}
	h.before = nil
	importInto(t, h, transcript.ClaudeCode, tr.dir)
	if n := len(log(t, h.Store, claudeID(sid))); n != 1700 {
		t.Errorf("%d entries", n)
	}
	sound(t, h.Store)
}

func TestBad_AnAdoptedStoreIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	if _, err := store.Create(t.Context(), path, store.Options{}); !errors.Is(err, session.ErrAdopted) {
		t.Errorf("created: %v", err)
	}
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr := newTree(t)
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	if _, err := transcript.Import(t.Context(), s, options(transcript.ClaudeCode, tr.dir)); !errors.Is(err, session.ErrAdopted) {
		t.Errorf("imported: %v", err)
	}
	if _, err := s.ImportBatches(t.Context(), []session.ImportBatch{{}}); !errors.Is(err, session.ErrAdopted) {
		t.Errorf("stored: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("something was written (%v)", err)
	}
}

func TestImport_AVanishedFileIsMarkedAndWhatWasReadStays(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	path := tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if r := importInto(t, s, transcript.ClaudeCode, tr.dir); r.Gone != 1 {
		t.Errorf("%+v", r)
	}
	if f := ledger(t, s, path); f.GoneAt.IsZero() || len(log(t, s, claudeID(sid))) != 1 {
		t.Errorf("%+v", f)
	}
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	if f := ledger(t, s, path); !f.GoneAt.IsZero() {
		t.Errorf("it is back: %+v", f)
	}
}

func TestImport_ANameThatAPersonGaveStays(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	file := "projects/p/" + sid + ".jsonl"
	tr.write(file, said(sid, 1, "hi"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	v := store.NewView(s.Path(), "x", store.Options{})
	defer v.Close()
	if err := v.RenameSession(t.Context(), claudeID(sid), "mine"); err != nil {
		t.Fatal(err)
	}
	tr.write(file, said(sid, 1, "hi"), fields{"type": "custom-title", "customTitle": "theirs", "sessionId": sid})
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	if got := column(t, s, "SELECT name FROM sessions"); got != "mine" {
		t.Error(got)
	}
}

func TestImport_SinceLeavesOutOlderFiles(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	tr.touch("projects/p/"+sid+".jsonl", 0)
	o := options(transcript.ClaudeCode, tr.dir)
	o.Since = storetest.Epoch.Add(-time.Hour)
	r, err := transcript.Import(t.Context(), s, o)
	if err != nil || r.Older != 1 || r.Read != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
