package pod_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/tool"
)

// childVariable makes the test program be a pod's process instead.
const childVariable = "PODIUM_TEST_CHILD"

func TestMain(m *testing.M) {
	if spec := os.Getenv(childVariable); spec != "" {
		os.Exit(childMain(spec))
	}
	goleak.VerifyTestMain(m)
}

// childSpec is a pod in a process of its own.
type childSpec struct {
	Name, Store, RunDir, Dir string
	// Blocks is how many text blocks an answer has, Calls how many tool calls
	// stand in its first turn, Pause how long the model takes for a block.
	Blocks, Calls int
	Pause         time.Duration
	Once          bool
	// Compact is the size, in tokens, above which it compacts; 0 is never.
	Compact int64
}

func childMain(spec string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := runChild(ctx, spec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func runChild(ctx context.Context, spec string) error {
	var s childSpec
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return err
	}
	alive := func(p session.Process) bool { return pod.Probe(p) != pod.Dead }
	st, err := store.Open(ctx, s.Store, store.Options{Now: time.Now, Alive: alive})
	if err != nil {
		return err
	}
	defer st.Close()
	p, err := pod.Open(ctx, pod.Options{
		Name: s.Name, Dir: s.Dir, RunDir: s.RunDir, Store: st, Provider: chatter(s), Scheme: "openai_chat", Model: "m",
		Tools: tool.NewRegistry(echo), Once: s.Once,
		Compaction: pod.Compaction{Threshold: s.Compact, RequestThreshold: 2 * s.Compact, Retained: s.Compact / 10},
	})
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// chatter is a model that says a lot: in the first turn after an input it
// calls tools, in the next it is done.
type chatter childSpec

func (c chatter) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		last := req.Messages[len(req.Messages)-1]
		_, afterTools := last.Blocks[0].(llm.ToolResult)
		n := 0
		say := func(deltas ...llm.Delta) bool {
			for _, d := range deltas {
				if !yield(d, nil) {
					return false
				}
			}
			n++
			if c.Pause == 0 {
				return ctx.Err() == nil
			}
			select {
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return false
			case <-time.After(c.Pause):
				return true
			}
		}
		if len(req.Tools) > 0 && req.Tools[0].Name == "write_summary" && !afterTools {
			call := llm.BlockStart{Kind: llm.BlockToolCall, ID: "s", Name: "write_summary"}
			say(call, llm.BlockDelta{Text: `{"text":"they went on and on"}`}, llm.BlockStop{}, llm.Finish{Reason: llm.StopToolCalls})
			return
		}
		for range c.Blocks {
			text := fmt.Sprintf("block %d of an answer to %d messages", n, len(req.Messages))
			if !say(llm.BlockStart{Kind: llm.BlockText}, llm.BlockDelta{Text: text}, llm.BlockStop{}) {
				return
			}
		}
		reason := llm.StopEnd
		if !afterTools && c.Calls > 0 {
			reason = llm.StopToolCalls
			for i := range c.Calls {
				call := llm.BlockStart{Kind: llm.BlockToolCall, ID: fmt.Sprintf("c%d", i), Name: "Echo"}
				if !say(call, llm.BlockDelta{Text: `{"n":1}`}, llm.BlockStop{}) {
					return
				}
			}
		}
		input, output := sizeOf(req.Messages)/4, int64(n*10)
		say(llm.UsageReport{Usage: llm.Usage{Input: &input, Output: &output}}, llm.Finish{Reason: reason})
	}
}

// sizeOf is the bytes of what was said.
func sizeOf(messages []llm.Message) (n int64) {
	for _, m := range messages {
		for _, b := range m.Blocks {
			if t, ok := b.(llm.Text); ok {
				n += int64(len(t.Text))
			}
		}
	}
	return n
}

// child is a running pod process.
type child struct {
	t      testing.TB
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	socket string
}

// newChildSpec is a fresh store and folders for a child.
func newChildSpec(t testing.TB, name string) childSpec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	st, err := store.Create(t.Context(), path, store.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return childSpec{Name: name, Store: path, RunDir: podtest.RunDir(t), Dir: t.TempDir(), Blocks: 3, Calls: 2}
}

// startChild starts the process and waits until its socket answers. It is
// killed when the test ends before it.
func startChild(t testing.TB, s childSpec) *child {
	t.Helper()
	spec, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: exec.Command(os.Args[0]), stderr: &bytes.Buffer{}, socket: filepath.Join(s.RunDir, s.Name, "sock")}
	c.cmd.Env = append(os.Environ(), childVariable+"="+string(spec))
	c.cmd.Stderr = c.stderr
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.kill() })
	found := pod.Found{Socket: c.socket}
	waitFor(t, func() bool {
		if c.cmd.ProcessState != nil {
			t.Fatalf("the pod did not start: %s", c.stderr)
		}
		return found.Answers()
	})
	return c
}

// kill ends the process as a crash does.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// terminate asks the process to end and returns how it did.
func (c *child) terminate(s os.Signal) error {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
	return c.cmd.Wait()
}

// openStore opens a child's store in the test.
func openStore(t testing.TB, s childSpec) *store.Store {
	t.Helper()
	st, err := store.OpenReadOnly(t.Context(), s.Store, store.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// durable are all durable entries of a pod.
func durable(t testing.TB, st pod.Store, id protocol.PodID) []session.Entry {
	t.Helper()
	var all []session.Entry
	for {
		var after uint64
		if n := len(all); n > 0 {
			after = all[n-1].Seq
		}
		entries, err := st.Since(t.Context(), id, after, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 0 {
			return all
		}
		all = append(all, entries...)
	}
}
