package protocol_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"podium.local/protocol"
)

// calls records each Write; it is not safe for concurrent use, so the race
// detector sees a Writer that does not lock.
type calls struct{ writes []string }

func (c *calls) Write(p []byte) (int, error) {
	c.writes = append(c.writes, string(p))
	return len(p), nil
}

func TestWriter_WritesEachLineWithItsBreakInOneCall(t *testing.T) {
	var c calls
	w := protocol.NewWriter(&c)
	if err := w.WriteMethod(protocol.Method{Params: protocol.Run{Input: strings.Repeat("x", 100_000)}}); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteEvent(protocol.Event{Data: protocol.CompactStart{}}); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteLine([]byte(`{"event":"shutdown"}`)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"method":"run","params":{"input":"` + strings.Repeat("x", 100_000) + `"}}` + "\n",
		`{"event":"compact_start"}` + "\n",
		`{"event":"shutdown"}` + "\n",
	}
	if len(c.writes) != len(want) {
		t.Fatalf("%d calls of Write, want %d", len(c.writes), len(want))
	}
	for i := range want {
		if c.writes[i] != want[i] {
			t.Errorf("call %d: %.80q, want %.80q", i, c.writes[i], want[i])
		}
	}
}

func TestWriter_WritesNothingOfALineThatCannotBeEncoded(t *testing.T) {
	var c calls
	w := protocol.NewWriter(&c)
	var encode *protocol.EncodeError
	if err := w.WriteEvent(protocol.Event{}); !errors.As(err, &encode) {
		t.Fatalf("got %v, want an EncodeError", err)
	}
	if len(c.writes) != 0 {
		t.Errorf("wrote %q", c.writes)
	}
	if err := w.WriteEvent(protocol.Event{Data: protocol.ShutdownEvent{}}); err != nil || len(c.writes) != 1 {
		t.Errorf("the writer is not usable afterwards: %v, %q", err, c.writes)
	}
}

func TestWriter_NeverMixesLinesOfSeveralGoroutines(t *testing.T) {
	var c calls
	w := protocol.NewWriter(&c)
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for range 50 {
				text := strings.Repeat(string(rune('a'+i)), 1000)
				if err := w.WriteEvent(protocol.Event{Data: protocol.TextDelta{Text: text}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	r := protocol.NewReader(strings.NewReader(strings.Join(c.writes, "")), protocol.ReaderOptions{})
	for n := 0; ; n++ {
		line, err := r.ReadLine()
		if err == io.EOF {
			if n != 400 {
				t.Errorf("%d lines, want 400", n)
			}
			return
		}
		e, err := protocol.DecodeEvent(line)
		if err != nil {
			t.Fatal(err)
		}
		text := e.Data.(protocol.TextDelta).Text
		if len(text) != 1000 || strings.Trim(text, text[:1]) != "" {
			t.Fatalf("line %d is mixed: %.40q", n, text)
		}
	}
}

func TestWriter_DoesNotAllocateForADelta(t *testing.T) {
	w := protocol.NewWriter(io.Discard)
	delta := protocol.Event{Data: protocol.TextDelta{Text: "Hello <world> \u2028 設計"}}
	if n := testing.AllocsPerRun(100, func() {
		if err := w.WriteEvent(delta); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a line, want none", n)
	}
}

func BenchmarkEvent_AppendTextDelta(b *testing.B) {
	for name, text := range map[string]string{
		"token":    " token",
		"escaped":  "line\n\t\"quoted\" <b>&</b>",
		"Japanese": "設計を見て、",
		"1KiB":     strings.Repeat("0123456789abcdef", 64),
	} {
		b.Run(name, func(b *testing.B) {
			e := protocol.Event{Data: protocol.TextDelta{Text: text}}
			buf := make([]byte, 0, 4096)
			b.ReportAllocs()
			for b.Loop() {
				buf, _ = e.Append(buf[:0])
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}

func BenchmarkEvent_DecodeTextDelta(b *testing.B) {
	line := []byte(`{"event":"text_delta","data":{"text":" token"}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := protocol.DecodeEvent(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMethod_DecodeRun(b *testing.B) {
	line := []byte(`{"method":"run","params":{"input":"Please look at the design"},"request_id":"r-1"}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := protocol.DecodeMethod(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReader_ShortLines(b *testing.B) {
	line := []byte(`{"event":"text_delta","data":{"text":" token"}}` + "\n")
	r := protocol.NewReader(&endless{line: line}, protocol.ReaderOptions{})
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := r.ReadLine(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReader_8MiBLine(b *testing.B) {
	line := append(bytes.Repeat([]byte{'x'}, 8<<20), '\n')
	r := protocol.NewReader(&endless{line: line}, protocol.ReaderOptions{Budget: protocol.NewBudget(128 << 20)})
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := r.ReadLine(); err != nil {
			b.Fatal(err)
		}
	}
}
