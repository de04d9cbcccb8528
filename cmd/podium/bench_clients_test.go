package main

import (
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/rehearsal"
)

// BenchmarkPodClients is how much text a second reaches each of several
// clients of one pod whose model speaks as fast as it can: the model's deltas,
// counted at the slowest client, and the events that carried them.
func BenchmarkPodClients(b *testing.B) {
	for _, clients := range []int{1, 50} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			h, command := released(b)
			const words = 20_000
			url := startModel(b, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: strings.Repeat("word ", words)}}})
			cmd, _ := launch(b, h, command, "p", url)
			defer end(b, h, "p", cmd)
			conns := make([]*client.Conn, clients)
			for i := range conns {
				conn, err := client.Dial(b.Context(), h.socket("p"), client.Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer conn.Close()
				conns[i] = conn
			}
			events := 0
			var took time.Duration
			for b.Loop() {
				begin := time.Now()
				send(b, conns[0], "go")
				counts := make([]int, clients)
				var wg sync.WaitGroup
				for i, conn := range conns {
					wg.Go(func() { counts[i] = countToRunEnd(b, conn) })
				}
				wg.Wait()
				took += time.Since(begin)
				events += slices.Min(counts)
			}
			b.ReportMetric(float64(b.N*words)/took.Seconds(), "model-deltas/s")
			b.ReportMetric(float64(events)/took.Seconds(), "events/s/client")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// countToRunEnd reads events until the run ends.
func countToRunEnd(b *testing.B, conn *client.Conn) (events int) {
	for {
		e, err := conn.Recv(b.Context())
		if err != nil {
			b.Error(err)
			return events
		}
		events++
		if isRunEnd(e) {
			return events
		}
	}
}

// BenchmarkPodStalledClient is what a client that never reads costs a pod in
// anonymous memory while another client gets a long answer, against the same
// answer without it.
func BenchmarkPodStalledClient(b *testing.B) {
	for _, stalled := range []bool{false, true} {
		b.Run(fmt.Sprintf("stalled=%t", stalled), func(b *testing.B) {
			h, command := released(b)
			const words = 200_000
			url := startModel(b, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: strings.Repeat("word ", words)}}})
			cmd, _ := launch(b, h, command, "p", url)
			defer end(b, h, "p", cmd)
			if stalled {
				mute, err := net.Dial("unix", h.socket("p"))
				if err != nil {
					b.Fatal(err)
				}
				defer mute.Close()
				fmt.Fprintln(mute, `{"method":"hello","params":{"protocol_version":1,"client":"mute/1"}}`)
			}
			conn, err := client.Dial(b.Context(), h.socket("p"), client.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			most := 0.0
			for b.Loop() {
				send(b, conn, "go")
				n := 0
				until(b, conn, func(e protocol.Event) bool {
					if n++; n%256 == 0 {
						most = max(most, memory(b, cmd.Process.Pid, "RssAnon"))
					}
					return isRunEnd(e)
				})
				most = max(most, memory(b, cmd.Process.Pid, "RssAnon"))
			}
			b.ReportMetric(most, "anon-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkIdlePods is what a hundred idle pods on one store hold together.
func BenchmarkIdlePods(b *testing.B) {
	h, command := released(b)
	const pods = 100
	for b.Loop() {
		cmds := map[string]*exec.Cmd{}
		for i := range pods {
			name := fmt.Sprintf("p%d", i)
			cmds[name], _ = launch(b, h, command, name, "http://127.0.0.1:1")
		}
		var anon, rss float64
		for _, cmd := range cmds {
			anon += memory(b, cmd.Process.Pid, "RssAnon")
			rss += memory(b, cmd.Process.Pid, "VmRSS")
		}
		b.ReportMetric(anon/pods, "anon-MB/pod")
		b.ReportMetric(rss/pods, "rss-MB/pod")
		b.ReportMetric(0, "ns/op")
		for name, cmd := range cmds {
			end(b, h, name, cmd)
		}
	}
}
