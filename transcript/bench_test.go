package transcript_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/store"
	"podium.local/transcript"
)

// grow writes n sessions as Claude Code does and returns their size in bytes.
func grow(b *testing.B, tr tree, n int) int64 {
	b.Helper()
	var size int64
	for k := range n {
		id := vendorUUID(k)
		var text strings.Builder
		for i := range 40 {
			at := k*1000 + i*10
			message := fmt.Sprint(k, "-", i)
			text.WriteString(line(said(id, at, "prompt "+strings.Repeat("word ", 30))))
			text.WriteString(line(answer(id, at+1, message, 1, fields{"type": "thinking", "thinking": strings.Repeat("hmm ", 50), "signature": strings.Repeat("x", 200)})))
			text.WriteString(line(answer(id, at+2, message, 40, textBlock(strings.Repeat("answer ", 40)))))
			text.WriteString(line(answer(id, at+3, message, 90, fields{"type": "tool_use", "id": "t" + message, "name": "Read", "input": fields{"file_path": "/a/b"}})))
			text.WriteString(line(result(id, at+4, "t"+message, strings.Repeat("line of a file\n", 100))))
		}
		tr.put("projects/p/"+id+".jsonl", text.String())
		size += int64(text.Len())
	}
	return size
}

func importOf(b *testing.B, sink transcript.Sink, dir string) {
	b.Helper()
	if _, err := transcript.Import(context.Background(), sink, options(transcript.ClaudeCode, dir)); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkImport measures an import into an empty store, parse only and
// stored, in the same run.
func BenchmarkImport(b *testing.B) {
	tr := newTree(b)
	size := grow(b, tr, 100)
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			importOf(b, transcript.DryRun(nil), tr.dir)
		}
	})
	b.Run("store", func(b *testing.B) {
		b.SetBytes(size)
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			s := newStore(b, fmt.Sprint(n))
			b.StartTimer()
			importOf(b, s, tr.dir)
			b.StopTimer()
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
}

func newStore(b *testing.B, name string) *store.Store {
	b.Helper()
	s, err := store.Create(b.Context(), filepath.Join(b.TempDir(), name+".db"), store.Options{Bulk: true})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkImport_Unchanged measures a look at 10,000 files that did not
// change.
func BenchmarkImport_Unchanged(b *testing.B) {
	tr := newTree(b)
	for k := range 10_000 {
		id := vendorUUID(k)
		tr.write(fmt.Sprintf("projects/p%d/%s.jsonl", k%100, id), said(id, k, "hi"))
	}
	s := newStore(b, "state")
	importOf(b, s, tr.dir)
	for b.Loop() {
		importOf(b, s, tr.dir)
	}
	b.StopTimer()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(10_000, "files/op")
}

// BenchmarkImport_LongLine measures one line of 256 MiB, of which only the
// hash is kept.
func BenchmarkImport_LongLine(b *testing.B) {
	const size = 256 << 20
	tr := newTree(b)
	path := tr.put("projects/p/"+sid+".jsonl", line(said(sid, 1, "hi")))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	piece := []byte(strings.Repeat("x", 1<<20))
	for range size >> 20 {
		if _, err := f.Write(piece); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := f.WriteString("\n"); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	for b.Loop() {
		importOf(b, transcript.DryRun(nil), tr.dir)
	}
}
