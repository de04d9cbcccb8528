package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"podium.local/client"
	"podium.local/rehearsal"
	"podium.local/store/storetest"
)

// BenchmarkScreenAttach is the terminal client on a session of 50,000 entries:
// from its start to the newest entry on a real terminal, and the most memory
// it took for that and for scrolling back a hundred pages.
func BenchmarkScreenAttach(b *testing.B) {
	h, command := released(b)
	url := startModel(b, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Done."}}})
	cmd, _ := launch(b, h, command, "p", url)
	session := func() string {
		conn, err := client.Dial(b.Context(), h.socket("p"), client.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		runOnce(b, conn, "hello")
		hello, _ := conn.Hello()
		return hello.SessionID.String()
	}
	id := session()
	end(b, h, "p", cmd)
	storetest.FillLog(b, h.store(), id, 50_000, 400)
	cmd, _ = launch(b, h, command, "p", url)
	session() // a newest entry that can be told from the others
	defer end(b, h, "p", cmd)
	x := newTerminals(b, h)
	var took, attached, scrolled []float64
	for b.Loop() {
		begin := time.Now()
		x.n++
		a := x.show(&tty{x: x, name: fmt.Sprint("t", x.n)}, 100, 40, nil, command("attach", "p"))
		for !strings.Contains(a.text(), "Done.") {
			if time.Since(begin) > patience {
				b.Fatalf("nothing is shown:\n%s", a.text())
			}
		}
		took = append(took, float64(time.Since(begin).Microseconds())/1000)
		// env became the program: the shell's child.
		shell := strings.TrimSpace(x.run("display-message", "-p", "-t", a.name, "#{pane_pid}"))
		pid := childOf(b, shell)
		attached = append(attached, memory(b, pid, "VmHWM"))
		for range 100 {
			a.keys("PageUp")
		}
		a.awaits("more below")
		scrolled = append(scrolled, memory(b, pid, "VmHWM"))
		a.keys("C-c")
		a.keys("C-c")
		a.awaits("left with 0")
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "attach-ms")
	b.ReportMetric(slices.Max(attached), "attached-MB")
	b.ReportMetric(slices.Max(scrolled), "scrolled-MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkScreenKey is from a key press to the character on a real terminal
// while the model talks at full speed; tmux's own share is in it.
func BenchmarkScreenKey(b *testing.B) {
	h, command := released(b)
	url := startModel(b, &rehearsal.Script{Pace: rehearsal.Pace{Delay: 20 * time.Microsecond}, Repeat: true, Replies: []rehearsal.Reply{{Text: strings.Repeat("word ", 400_000)}}})
	cmd, _ := launch(b, h, command, "p", url)
	defer end(b, h, "p", cmd)
	x := newTerminals(b, h)
	x.n++
	a := x.show(&tty{x: x, name: "t1"}, 100, 40, nil, command("attach", "p"))
	a.awaits("p · idle")
	a.typed("go")
	a.keys("Enter")
	a.awaits("p · running", "word word")
	var took []float64
	for b.Loop() {
		for i := range 20 {
			begin := time.Now()
			a.typed(string(rune('a' + i)))
			for end := begin.Add(patience); !strings.Contains(a.text(), "› "+"abcdefghijklmnopqrstuvwxyz"[:i+1]); {
				if time.Now().After(end) {
					b.Fatalf("a key does not arrive:\n%s", a.text())
				}
			}
			took = append(took, float64(time.Since(begin).Microseconds())/1000)
		}
		a.keys("C-u")
	}
	a.keys("C-x")
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "median-ms")
	b.ReportMetric(took[len(took)*99/100], "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// childOf is the only child of a process.
func childOf(b *testing.B, pid string) int {
	b.Helper()
	out, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
	if err != nil {
		b.Skip("children are read from /proc, which this system does not have")
	}
	child, err := strconv.Atoi(strings.Fields(string(out) + " 0")[0])
	if err != nil || child == 0 {
		b.Fatalf("process %s has no child: %q", pid, out)
	}
	return child
}
