package protocol_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"podium.local/protocol"
)

// readAll collects lines and refusals until the source ends.
func readAll(t testing.TB, r *protocol.Reader) []string {
	t.Helper()
	var out []string
	for {
		line, err := r.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			return out
		case errors.Is(err, protocol.ErrLineTooLong):
			out = append(out, "(too long)")
		case err != nil:
			return append(out, "("+err.Error()+")")
		default:
			out = append(out, string(line))
		}
	}
}

func TestReader_SplitsLinesHoweverTheBytesArrive(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	for name, c := range map[string]struct {
		in      string
		maxLine int
		want    []string
	}{
		"nothing":                         {in: ""},
		"one line":                        {in: "a\n", want: []string{"a"}},
		"LF and CRLF":                     {in: "a\r\nb\nc\r\n", want: []string{"a", "b", "c"}},
		"blank lines are skipped":         {in: "\n\r\n  \t\na\n\u00a0\u2003\n\nb\n", want: []string{"a", "b"}},
		"last line without a break":       {in: "a\nb", want: []string{"a", "b"}},
		"last line blank":                 {in: "a\n \t", want: []string{"a"}},
		"unicode white space around":      {in: "\u00a0\u3000 a b\u2028\u0085\n", want: []string{"a b"}},
		"a byte order mark stays":         {in: "\ufeffa\n", want: []string{"\ufeffa"}},
		"a bare CR does not end a line":   {in: "a\rb\n", want: []string{"a\rb"}},
		"invalid UTF-8 is the codec's":    {in: "a\xffb\n", want: []string{"a\xffb"}},
		"longer than any block":           {in: long + "\nb\n", want: []string{long, "b"}},
		"long, last, without a break":     {in: "a\n" + long, want: []string{"a", long}},
		"long and blank":                  {in: strings.Repeat(" ", 300_000) + "\na\n", want: []string{"a"}},
		"exactly the limit":               {in: "12345\n12345\r\n", maxLine: 5, want: []string{"12345", "12345"}},
		"one over the limit":              {in: "123456\na\n", maxLine: 5, want: []string{"(too long)", "a"}},
		"one over the limit with CRLF":    {in: "123456\r\na\n", maxLine: 5, want: []string{"(too long)", "a"}},
		"over the limit at the end":       {in: "a\n123456", maxLine: 5, want: []string{"a", "(too long)"}},
		"far over the limit":              {in: long + "\na\n", maxLine: 100_000, want: []string{"(too long)", "a"}},
		"far over the limit, unfinished":  {in: "a\n" + long, maxLine: 100_000, want: []string{"a", "(too long)"}},
		"over the limit again and again":  {in: long + "\n" + long + "\nb\n", maxLine: 9, want: []string{"(too long)", "(too long)", "b"}},
		"exactly the limit, a long line":  {in: long + "\n", maxLine: len(long), want: []string{long}},
		"one over the limit, a long line": {in: long + "y\na\n", maxLine: len(long), want: []string{"(too long)", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			for how, source := range map[string]io.Reader{
				"at once":        strings.NewReader(c.in),
				"byte by byte":   iotest.OneByteReader(strings.NewReader(c.in)),
				"by halves":      iotest.HalfReader(strings.NewReader(c.in)),
				"EOF with data":  iotest.DataErrReader(strings.NewReader(c.in)),
				"shared budget":  strings.NewReader(c.in),
				"around a block": &chunks{data: []byte(c.in), size: 4095},
			} {
				o := protocol.ReaderOptions{MaxLine: c.maxLine}
				budget := protocol.NewBudget(1 << 20)
				if how == "shared budget" {
					o.Budget = budget
				}
				if got := readAll(t, protocol.NewReader(source, o)); !slices.Equal(got, c.want) {
					t.Errorf("%s: got %.80q, want %.80q", how, got, c.want)
				}
				if held := budget.Held(); held != 0 {
					t.Errorf("%s: %d bytes still held after the end", how, held)
				}
			}
		})
	}
}

func TestReader_TellsALineThatTheEndCutOff(t *testing.T) {
	r := protocol.NewReader(strings.NewReader("whole\ncut"), protocol.ReaderOptions{})
	for _, want := range []bool{false, true} {
		if line, err := r.ReadLine(); err != nil || r.Unfinished() != want {
			t.Errorf("%q, %v: unfinished %v, want %v", line, err, r.Unfinished(), want)
		}
	}
}

// chunks gives size bytes a call.
type chunks struct {
	data []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(c.size, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}

// script plays reads one after the other.
type script struct{ steps []step }

type step struct {
	data string
	err  error
}

func (s *script) Read(p []byte) (int, error) {
	if len(s.steps) == 0 {
		return 0, io.EOF
	}
	now := s.steps[0]
	s.steps = s.steps[1:]
	return copy(p, now.data), now.err
}

func TestReader_KeepsAPartialLineOverAReadDeadline(t *testing.T) {
	long := strings.Repeat("l", 4096)
	r := protocol.NewReader(&script{steps: []step{
		{data: "first\nsec"}, {err: os.ErrDeadlineExceeded}, {data: "ond\n"},
		{data: long}, {data: "+", err: os.ErrDeadlineExceeded}, {data: "end\n"},
	}}, protocol.ReaderOptions{})
	want := []string{"first", "", "second", "", long + "+end"}
	for i, w := range want {
		line, err := r.ReadLine()
		if w == "" {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("read %d: got %q, %v; want the deadline", i, line, err)
			}
			continue
		}
		if err != nil || string(line) != w {
			t.Fatalf("read %d: got %.20q, %v; want %.20q", i, line, err, w)
		}
	}
	if _, err := r.ReadLine(); err != io.EOF {
		t.Fatalf("got %v, want io.EOF", err)
	}
	if _, err := r.ReadLine(); err != io.EOF {
		t.Fatalf("after the end: got %v, want io.EOF again", err)
	}
}

func TestReader_ReportsTheSourcesErrorAndNotAnUnfinishedLine(t *testing.T) {
	reset := errors.New("connection reset")
	r := protocol.NewReader(&script{steps: []step{{data: "a\nhalf", err: reset}}}, protocol.ReaderOptions{})
	if line, err := r.ReadLine(); err != nil || string(line) != "a" {
		t.Fatalf("got %q, %v", line, err)
	}
	if line, err := r.ReadLine(); !errors.Is(err, reset) {
		t.Fatalf("got %q, %v; want the source's error", line, err)
	}
}

func TestReader_GivesUpOnASourceThatNeitherGivesNorEnds(t *testing.T) {
	r := protocol.NewReader(neither{}, protocol.ReaderOptions{})
	if _, err := r.ReadLine(); !errors.Is(err, io.ErrNoProgress) {
		t.Fatalf("got %v, want io.ErrNoProgress", err)
	}
}

type neither struct{}

func (neither) Read([]byte) (int, error) { return 0, nil }

func TestReader_RefusesALongLineBeforeItsEndArrives(t *testing.T) {
	source, feed := io.Pipe()
	defer func() { _ = feed.Close() }()
	go func() { _, _ = feed.Write(bytes.Repeat([]byte{'x'}, 5000)) }() // no line break follows
	r := protocol.NewReader(source, protocol.ReaderOptions{MaxLine: 1000})
	if _, err := r.ReadLine(); !errors.Is(err, protocol.ErrLineTooLong) || !strings.Contains(err.Error(), "1000 bytes") {
		t.Fatalf("got %v, want ErrLineTooLong with the limit", err)
	}
}

func TestReader_ForgetsAGiantLineWithTheNextCall(t *testing.T) {
	giant := strings.Repeat("x", 8<<20)
	budget := protocol.NewBudget(16 << 20)
	r := protocol.NewReader(strings.NewReader(giant+"\nsmall\n"), protocol.ReaderOptions{Budget: budget})
	if line, err := r.ReadLine(); err != nil || len(line) != len(giant) {
		t.Fatalf("got %d bytes, %v", len(line), err)
	}
	if r.Held() != len(giant) || budget.Held() != len(giant) {
		t.Errorf("held %d, budget %d while the line is out; want %d", r.Held(), budget.Held(), len(giant))
	}
	if line, err := r.ReadLine(); err != nil || string(line) != "small" {
		t.Fatalf("got %q, %v", line, err)
	}
	if r.Held() != 0 || budget.Held() != 0 {
		t.Errorf("held %d, budget %d after the next line; want 0", r.Held(), budget.Held())
	}
}

func TestReader_ReadsShortLinesWithoutAllocating(t *testing.T) {
	line := []byte(`{"event":"text_delta","data":{"text":"Hello"}}` + "\n")
	r := protocol.NewReader(&endless{line: line}, protocol.ReaderOptions{})
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := r.ReadLine(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a line, want none", n)
	}
}

// endless repeats a line for ever.
type endless struct {
	line []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		c := copy(p[n:], e.line[e.at:])
		n += c
		e.at = (e.at + c) % len(e.line)
	}
	return n, nil
}
