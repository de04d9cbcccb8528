package protocol_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"podium.local/protocol"
)

// feeder is a reader whose bytes the test sends piece by piece.
type feeder struct {
	t    *testing.T
	pipe *io.PipeWriter
	r    *protocol.Reader
	// lines gets the length of each line, or the error; it has room for all.
	lines chan any
}

func newFeeder(t *testing.T, b *protocol.Budget) *feeder {
	source, pipe := io.Pipe()
	f := &feeder{t: t, pipe: pipe, r: protocol.NewReader(source, protocol.ReaderOptions{Budget: b}), lines: make(chan any, 16)}
	go func() {
		defer close(f.lines)
		for {
			line, err := f.r.ReadLine()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				f.lines <- err
			default:
				f.lines <- len(line)
			}
		}
	}()
	t.Cleanup(func() {
		_ = pipe.Close()
		for range f.lines { // until the goroutine has ended
		}
	})
	return f
}

// send returns when the reader has asked for more, so that everything sent
// before is counted.
func (f *feeder) send(n int) {
	f.t.Helper()
	if _, err := f.pipe.Write([]byte(strings.Repeat("x", n))); err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.pipe.Write(nil); err != nil {
		f.t.Fatal(err)
	}
}

func (f *feeder) want(want any) {
	f.t.Helper()
	got := <-f.lines
	if err, ok := got.(error); ok {
		target, isErr := want.(error)
		if !isErr || !errors.Is(err, target) {
			f.t.Fatalf("got %v, want %v", err, want)
		}
		return
	}
	if got != want {
		f.t.Fatalf("got %v, want %v", got, want)
	}
}

func (f *feeder) end() {
	f.t.Helper()
	if _, err := f.pipe.Write([]byte("\n")); err != nil {
		f.t.Fatal(err)
	}
}

func TestBudget_GivesUpTheLongestLineWhoeverReadsIt(t *testing.T) {
	budget := protocol.NewBudget(1 << 20)
	big, small := newFeeder(t, budget), newFeeder(t, budget)
	big.send(700_000)
	small.send(300_000)
	if held := budget.Held(); held > 1<<20 || held < 900_000 {
		t.Fatalf("held %d before the limit", held)
	}
	small.send(200_000) // together over 1 MiB: big must give way, though small grew
	if held := budget.Held(); held > 500_000 {
		t.Errorf("held %d: the longest line's memory is not free at once", held)
	}
	small.end()
	small.want(500_000)
	big.end()
	big.want(protocol.ErrBudget)
	big.send(10)
	big.end()
	big.want(10)
}

func TestBudget_RefusesTheGrowingLineWhenItIsTheLongest(t *testing.T) {
	budget := protocol.NewBudget(1 << 20)
	small, big := newFeeder(t, budget), newFeeder(t, budget)
	small.send(400_000)
	big.send(800_000)
	big.want(protocol.ErrBudget)
	big.end()
	small.end()
	small.want(400_000)
}

func TestBudget_NeverTakesAFinishedLine(t *testing.T) {
	budget := protocol.NewBudget(1 << 20)
	finished := protocol.NewReader(strings.NewReader(strings.Repeat("f", 900_000)+"\n"), protocol.ReaderOptions{Budget: budget})
	line, err := finished.ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	other := protocol.NewReader(strings.NewReader(strings.Repeat("o", 800_000)+"\nnext\n"), protocol.ReaderOptions{Budget: budget})
	if _, err := other.ReadLine(); !errors.Is(err, protocol.ErrBudget) {
		t.Fatalf("got %v, want ErrBudget", err)
	}
	if string(line) != strings.Repeat("f", 900_000) || finished.Held() != 900_000 {
		t.Error("the finished line was taken")
	}
	if next, err := other.ReadLine(); err != nil || string(next) != "next" {
		t.Fatalf("got %q, %v after the refusal", next, err)
	}
	finished.Release()
	if held := budget.Held(); held != 0 {
		t.Errorf("%d bytes held after Release", held)
	}
}

func TestBudget_ManyReadersStayBelowTheLimit(t *testing.T) {
	const limit = 1 << 20
	budget := protocol.NewBudget(limit)
	var readers sync.WaitGroup
	for i := range 16 {
		readers.Go(func() {
			in := strings.Repeat(strings.Repeat("x", 40_000*(i+1))+"\n", 8)
			r := protocol.NewReader(strings.NewReader(in), protocol.ReaderOptions{Budget: budget})
			seen := 0
			for {
				line, err := r.ReadLine()
				if err == io.EOF {
					break
				}
				seen++
				if err != nil && !errors.Is(err, protocol.ErrBudget) || err == nil && len(line) != 40_000*(i+1) {
					t.Errorf("reader %d: %d bytes, %v", i, len(line), err)
				}
				if held := budget.Held(); held > limit {
					t.Errorf("held %d, over the limit", held)
				}
			}
			if seen != 8 {
				t.Errorf("reader %d: %d lines or refusals, want one for each of 8", i, seen)
			}
		})
	}
	readers.Wait()
	if held := budget.Held(); held != 0 {
		t.Errorf("%d bytes held after all readers ended", held)
	}
}

// TestBudget_RefusedLinesLeaveNoGarbage: what is held is bounded by the limit,
// so what is asked of the system must be as well.
func TestBudget_RefusedLinesLeaveNoGarbage(t *testing.T) {
	const limit = 4 << 20
	budget := protocol.NewBudget(limit)
	half := strings.Repeat("x", 1<<20)
	var readers []*protocol.Reader
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 40 {
		source := io.MultiReader(strings.NewReader(half), halted{})
		r := protocol.NewReader(source, protocol.ReaderOptions{Budget: budget})
		if _, err := r.ReadLine(); err == nil {
			t.Fatal("half a line was given out")
		}
		readers = append(readers, r)
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 3*limit {
		t.Errorf("%d bytes were allocated within a limit of %d", made, limit)
	}
	for _, r := range readers {
		r.Release()
	}
}

// halted is a peer that stopped in mid-line.
type halted struct{}

func (halted) Read([]byte) (int, error) { return 0, errHalted }

var errHalted = errors.New("halted")

func TestBudget_SaysWhenTheLastLargeLineIsGone(t *testing.T) {
	budget := protocol.NewBudget(8 << 20)
	freed := 0
	budget.Freed = func() { freed++ }
	large, small := strings.Repeat("x", 2<<20), strings.Repeat("x", 8<<10)
	for i, c := range []struct {
		in    string
		freed int
	}{{small, 0}, {large, 1}, {small, 1}, {large, 2}} {
		r := protocol.NewReader(strings.NewReader(c.in+"\n"), protocol.ReaderOptions{Budget: budget})
		if _, err := r.ReadLine(); err != nil {
			t.Fatal(err)
		}
		if freed > i/2 {
			t.Errorf("line %d: told while it is held", i)
		}
		r.Release()
		if freed != c.freed {
			t.Errorf("line %d: told %d times, want %d", i, freed, c.freed)
		}
	}
}
