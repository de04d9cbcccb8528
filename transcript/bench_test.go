package transcript_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
// stored. Each import that stores follows one that only parses, so that
// x-parse, the part of its speed that is left, is of the same time.
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
		var parsed, stored time.Duration
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			s := newStore(b, fmt.Sprint(n))
			start := time.Now()
			importOf(b, transcript.DryRun(nil), tr.dir)
			parsed += time.Since(start)
			b.StartTimer()
			start = time.Now()
			importOf(b, s, tr.dir)
			stored += time.Since(start)
			b.StopTimer()
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		b.ReportMetric(parsed.Seconds()/stored.Seconds(), "x-parse")
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
	const n = 10_000
	tr := small(b, n)
	s := newStore(b, "state")
	importOf(b, s, tr.dir)
	var r transcript.Report
	for b.Loop() {
		r = importInto(b, s, transcript.ClaudeCode, tr.dir)
	}
	b.StopTimer()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if r.Unchanged != n {
		b.Fatalf("%+v", r)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/look")
	b.ReportMetric(float64(r.Stats), "stats/look")
	b.ReportMetric(float64(r.Opens), "opens/look")
}

// BenchmarkImport_ManyFiles measures an import of many small files, each a
// session, in a process of its own: peak is the most memory that it had.
func BenchmarkImport_ManyFiles(b *testing.B) {
	tr := small(b, manyCount)
	var peak int64
	for n := 0; b.Loop(); n++ {
		a := importApart(b, tr.dir, filepath.Join(b.TempDir(), fmt.Sprint(n, ".db")), 0)
		if a.failed != "" || a.report.Sessions != manyCount {
			b.Fatalf("%d sessions, %s", a.report.Sessions, a.failed)
		}
		peak = max(peak, a.peak)
	}
	b.ReportMetric(manyCount*float64(b.N)/b.Elapsed().Seconds(), "files/s")
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}

// BenchmarkImport_Gigabyte measures a file of 1 GiB, in a process of its own:
// one line, of which only place and hash are kept, and many lines, of which
// every text is.
func BenchmarkImport_Gigabyte(b *testing.B) {
	first := line(said(sid, 1, "hi"))
	piece := strings.Repeat("x", 1<<20)
	for _, file := range []struct {
		name  string
		write func(w io.Writer, left int) error
	}{
		{"line", func(w io.Writer, left int) error {
			for ; left > 0; left -= len(piece) {
				if _, err := io.WriteString(w, piece); err != nil {
					return err
				}
			}
			_, err := io.WriteString(w, "\n")
			return err
		}},
		{"lines", func(w io.Writer, left int) error {
			for n := 2; left > 0; n++ {
				text := line(said(sid, n, piece[:100_000]))
				left -= len(text)
				if _, err := io.WriteString(w, text); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		b.Run(file.name, func(b *testing.B) {
			tr := newTree(b)
			path := tr.put("projects/p/"+sid+".jsonl", first)
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				b.Fatal(err)
			}
			if err := errors.Join(file.write(f, 1<<30), f.Close()); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(1 << 30)
			var peak int64
			for n := 0; b.Loop(); n++ {
				a := importApart(b, tr.dir, filepath.Join(b.TempDir(), fmt.Sprint(n, ".db")), 0)
				if a.failed != "" || a.report.Kept < 2 {
					b.Fatalf("%+v, %s", a.report, a.failed)
				}
				peak = max(peak, a.peak)
			}
			b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
		})
	}
}

// BenchmarkWatch measures from the write of a line to a file that is followed
// until its entry can be read from the store. The watch waits for a quarter of
// a second of quiet first.
func BenchmarkWatch(b *testing.B) {
	tr := newTree(b)
	path := tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	s := newStore(b, "state")
	settled := make(chan transcript.Report, 1)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() {
		done <- transcript.Watch(ctx, s, transcript.WatchOptions{
			Options: options(transcript.ClaudeCode, tr.dir),
			Settled: func(r transcript.Report, err error) {
				if err == nil && r.Kept > 0 {
					settled <- r
				}
			},
		})
	}()
	<-settled
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	for n := 2; b.Loop(); n++ {
		if _, err := f.WriteString(line(said(sid, n, "more"))); err != nil {
			b.Fatal(err)
		}
		<-settled
		if got := len(log(b, s, claudeID(sid))); got != n {
			b.Fatalf("%d entries, want %d", got, n)
		}
	}
	b.StopTimer()
	cancel()
	if err := errors.Join(<-done, f.Close(), s.Close()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/line")
}
