package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/rehearsal"
)

// program builds the program once, as a release would be, and returns its
// path: a test binary would start slower and weigh more.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "podium-bench-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "podium")
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})

// released makes a home whose commands run the built program.
func released(b *testing.B) (*home, func(args ...string) *exec.Cmd) {
	b.Helper()
	path, err := program()
	if err != nil {
		b.Fatal(err)
	}
	h := newHome(b)
	return h, func(args ...string) *exec.Cmd {
		cmd := exec.Command(path, args...)
		cmd.Dir = h.work
		cmd.Env = append(without(os.Environ(), "PODIUM_"), "PODIUM_HOME="+h.dir)
		return cmd
	}
}

// launch starts a pod of the built program and returns when its socket
// answers, with the time that took.
func launch(b *testing.B, h *home, command func(...string) *exec.Cmd, name, url string) (*exec.Cmd, time.Duration) {
	b.Helper()
	cmd := command("pod", "--name", name, "--provider", "openai-chat", "--model", "m", "--base-url", url)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	for !socketAnswers(h.t.Context(), h.socket(name)) {
		if time.Since(begin) > 30*time.Second {
			b.Fatal("the pod does not answer")
		}
		time.Sleep(200 * time.Microsecond)
	}
	return cmd, time.Since(begin)
}

// end shuts the pod down over its socket, which waits until it serves.
func end(b *testing.B, h *home, name string, cmd *exec.Cmd) {
	b.Helper()
	conn, err := client.Dial(context.Background(), h.socket(name), client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Send(context.Background(), protocol.Method{Params: protocol.Shutdown{}}); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatalf("the pod's end: %v", err)
	}
}

// BenchmarkPodStart is from exec to the first connection that succeeds, with a
// store that exists: the median and the worst of at least 20.
func BenchmarkPodStart(b *testing.B) {
	h, command := released(b)
	cmd, _ := launch(b, h, command, "first", "http://127.0.0.1:1")
	end(b, h, "first", cmd)
	var took []time.Duration
	for b.Loop() {
		for range 20 {
			cmd, t := launch(b, h, command, "p", "http://127.0.0.1:1")
			took = append(took, t)
			end(b, h, "p", cmd)
		}
	}
	reportTimes(b, took, "ms")
}

// BenchmarkPodIdleMemory is what a pod holds when it has done one run and
// waits: anonymous memory and the whole resident set.
func BenchmarkPodIdleMemory(b *testing.B) {
	h, command := released(b)
	url := startModel(b, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Done."}}})
	var anon, rss []float64
	for b.Loop() {
		cmd, _ := launch(b, h, command, "p", url)
		conn, err := client.Dial(b.Context(), h.socket("p"), client.Options{})
		if err != nil {
			b.Fatal(err)
		}
		runOnce(b, conn, "hello")
		conn.Close()
		anon = append(anon, memory(b, cmd.Process.Pid, "RssAnon"))
		rss = append(rss, memory(b, cmd.Process.Pid, "VmRSS"))
		end(b, h, "p", cmd)
	}
	b.ReportMetric(slices.Max(anon), "anon-MB")
	b.ReportMetric(slices.Max(rss), "rss-MB")
	b.ReportMetric(0, "ns/op")
}

// memory reads one line of a process's status, in MB.
func memory(b *testing.B, pid int, field string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("memory is read from /proc, which this system does not have")
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	b.Fatalf("no %s in the status of process %d", field, pid)
	return 0
}

// BenchmarkPodFirstDelta is from the moment the model's server may write the
// first byte of its answer to the moment a client has the first delta.
func BenchmarkPodFirstDelta(b *testing.B) {
	h, command := released(b)
	const answers = 200
	gates := make([]chan struct{}, answers)
	script := &rehearsal.Script{}
	for i := range gates {
		gates[i] = make(chan struct{})
		script.Replies = append(script.Replies, rehearsal.Reply{Text: "word after word", Hold: &rehearsal.Hold{Until: gates[i]}})
	}
	model := rehearsal.New(script, rehearsal.Options{})
	url := model.Start(b) + "/v1"
	cmd, _ := launch(b, h, command, "p", url)
	defer end(b, h, "p", cmd)
	conn, err := client.Dial(b.Context(), h.socket("p"), client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	var took []time.Duration
	for b.Loop() {
		if len(took) == answers {
			continue // one sample an answer; the rest of the loop is not measured
		}
		send(b, conn, "go")
		if err := model.Await(b.Context(), len(took)+1); err != nil {
			b.Fatal(err)
		}
		begin := time.Now()
		close(gates[len(took)])
		until(b, conn, func(e protocol.Event) bool { _, ok := e.Data.(protocol.TextDelta); return ok })
		took = append(took, time.Since(begin))
		until(b, conn, isRunEnd)
	}
	reportTimes(b, took, "ms")
}

// BenchmarkPodEvents is how many events a second one client gets out of a pod
// whose model speaks as fast as it can, one word a delta.
func BenchmarkPodEvents(b *testing.B) {
	h, command := released(b)
	const words = 20_000
	url := startModel(b, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: strings.Repeat("word ", words)}}})
	cmd, _ := launch(b, h, command, "p", url)
	defer end(b, h, "p", cmd)
	conn, err := client.Dial(b.Context(), h.socket("p"), client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	events, bytes := 0, 0
	var took time.Duration
	for b.Loop() {
		begin := time.Now()
		send(b, conn, "go")
		until(b, conn, func(e protocol.Event) bool {
			events++
			if d, ok := e.Data.(protocol.TextDelta); ok {
				bytes += len(d.Text)
			}
			return isRunEnd(e)
		})
		took += time.Since(begin)
	}
	b.ReportMetric(float64(events)/took.Seconds(), "events/s")
	b.ReportMetric(float64(bytes)/5/took.Seconds(), "model-deltas/s")
	b.ReportMetric(0, "ns/op")
}

func isRunEnd(e protocol.Event) bool { _, ok := e.Data.(protocol.RunEnd); return ok }

// send asks for a run.
func send(b *testing.B, conn *client.Conn, input string) {
	b.Helper()
	if err := conn.Send(b.Context(), protocol.Method{Params: protocol.Run{Input: input}}); err != nil {
		b.Fatal(err)
	}
}

// until reads events until one is wanted.
func until(b *testing.B, conn *client.Conn, wanted func(protocol.Event) bool) {
	b.Helper()
	for {
		e, err := conn.Recv(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if wanted(e) {
			return
		}
	}
}

func runOnce(b *testing.B, conn *client.Conn, input string) {
	b.Helper()
	send(b, conn, input)
	until(b, conn, isRunEnd)
}

// reportTimes reports median, 99th percentile and maximum in milliseconds.
func reportTimes(b *testing.B, took []time.Duration, unit string) {
	b.Helper()
	slices.Sort(took)
	at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000 }
	b.ReportMetric(at(0.5), "p50-"+unit)
	b.ReportMetric(at(0.99), "p99-"+unit)
	b.ReportMetric(at(1), "max-"+unit)
	b.ReportMetric(0, "ns/op")
}
