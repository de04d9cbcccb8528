package pod_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
)

// readers connects n clients that hand what they are shown to see.
func readers(b *testing.B, p *podtest.Pod, n int, see func(client int, ev protocol.Event)) *sync.WaitGroup {
	b.Helper()
	var all sync.WaitGroup
	for i := range n {
		c := p.Dial()
		c.Hello(protocol.Hello{})
		all.Go(func() {
			for {
				ev, err := c.Read()
				if err != nil {
					return
				}
				see(i, ev)
			}
		})
	}
	return &all
}

// BenchmarkBlocks is how many durable events a second one pod commits and
// shows, each in a transaction of its own on a real store.
func BenchmarkBlocks(b *testing.B) {
	for _, n := range []int{1, 50} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			steps := make([]podtest.Step, b.N, b.N+1)
			for i := range steps {
				steps[i] = podtest.Text("a block of some forty bytes, as models say")
			}
			p := podtest.Try(b, pod.Options{Store: newStore(b), Provider: podtest.NewProvider(append(steps, podtest.End()))})
			ended := make(chan struct{}, n)
			all := readers(b, p, n, func(_ int, ev protocol.Event) {
				if _, ok := ev.Data.(protocol.RunEnd); ok {
					ended <- struct{}{}
				}
			})
			b.ResetTimer()
			p.Dial().Send(protocol.Run{Input: "go"})
			for range n {
				<-ended
			}
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			if err := p.Stop(); err != nil {
				b.Error(err)
			}
			all.Wait()
		})
	}
}

// BenchmarkDelta is how long a delta takes from the model to a client that
// reads, one delta at a time.
func BenchmarkDelta(b *testing.B) {
	for _, n := range []int{1, 50} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			next := make(chan struct{})
			began := time.Now()
			stream := func(_ context.Context, emit func(llm.Delta)) error {
				emit(llm.BlockStart{Kind: llm.BlockText})
				for range next {
					emit(llm.BlockDelta{Text: strconv.FormatInt(int64(time.Since(began)), 10) + " "})
				}
				emit(llm.BlockStop{})
				return nil
			}
			p := podtest.Try(b, pod.Options{Provider: podtest.NewProvider([]podtest.Step{stream, podtest.End()})})
			took := make(chan time.Duration, n)
			all := readers(b, p, n, func(_ int, ev protocol.Event) {
				if d, ok := ev.Data.(protocol.TextDelta); ok {
					at, _ := strconv.ParseInt(d.Text[:len(d.Text)-1], 10, 64)
					took <- time.Since(began) - time.Duration(at)
				}
			})
			p.Dial().Send(protocol.Run{Input: "go"})
			var each []time.Duration
			for b.Loop() {
				next <- struct{}{}
				for range n {
					each = append(each, <-took)
				}
			}
			close(next)
			slices.Sort(each)
			b.ReportMetric(float64(each[len(each)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(each[len(each)*99/100].Microseconds()), "p99-µs")
			if err := p.Stop(); err != nil {
				b.Error(err)
			}
			all.Wait()
		})
	}
}

// BenchmarkStalledClient is the memory of a pod that shows 32 MiB in blocks of
// 64 KiB, without and with clients that never read.
func BenchmarkStalledClient(b *testing.B) {
	const blocks, size = 512, 64 << 10
	text := strings.Repeat("x", size)
	for _, stalled := range []int{0, 1, 100} {
		b.Run(fmt.Sprintf("stalled=%d", stalled), func(b *testing.B) {
			for b.Loop() {
				next := make(chan struct{})
				stream := func(_ context.Context, emit func(llm.Delta)) error {
					for range next {
						emit(llm.BlockStart{Kind: llm.BlockText})
						emit(llm.BlockDelta{Text: text})
						emit(llm.BlockStop{})
					}
					return nil
				}
				p := podtest.Try(b, pod.Options{Store: newStore(b), Provider: podtest.NewProvider([]podtest.Step{stream, podtest.End()})})
				for range stalled {
					p.Dial().Hello(protocol.Hello{Client: "stalled/1"})
				}
				c := p.Dial()
				c.Send(protocol.Run{Input: "go"})
				var most uint64
				for range blocks {
					next <- struct{}{}
					podtest.Await[protocol.TextDone](c)
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapInuse)
				}
				b.ReportMetric(float64(most>>20), "heap-MiB")
				b.ReportMetric(float64(p.Stats().Disconnected), "disconnected")
				close(next)
				if err := p.Stop(); err != nil {
					b.Error(err)
				}
			}
		})
	}
}
