package podtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"podium.local/pod"
	"podium.local/tool"
)

// Pod is a pod that runs in the test's process.
type Pod struct {
	*pod.Pod
	t    testing.TB
	stop context.CancelFunc
	done chan struct{}
	err  error
}

// RunDir is a fresh short folder for sockets, whose paths have a limit that a
// test's own temporary folder can pass.
func RunDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pod")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "run")
}

// Start runs a pod; what the options leave out is filled in for a test. The
// pod ends with the test, which fails when the end is not an orderly one.
func Start(t testing.TB, o pod.Options) *Pod {
	t.Helper()
	p := Try(t, o)
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("the pod ended with: %v", err)
		}
	})
	return p
}

// Try is Start for a pod that may end with an error; the caller stops it.
func Try(t testing.TB, o pod.Options) *Pod {
	t.Helper()
	o = Fill(t, o)
	p, err := pod.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open the pod: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Pod{Pod: p, t: t, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = p.Run(ctx)
	}()
	return r
}

// Fill completes options for a test.
func Fill(t testing.TB, o pod.Options) pod.Options {
	t.Helper()
	if o.Name == "" {
		o.Name = "p"
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.RunDir == "" {
		o.RunDir = RunDir(t)
	}
	if o.Store == nil {
		o.Store = NewStore()
	}
	if o.Provider == nil {
		o.Provider = NewProvider()
	}
	if o.Tools == nil {
		o.Tools = tool.NewRegistry()
	}
	if o.Scheme == "" {
		o.Scheme = "openai_chat"
	}
	if o.Model == "" {
		o.Model = "m"
	}
	return o
}

// Stop asks the pod to end and waits until it has.
func (p *Pod) Stop() error {
	p.stop()
	return p.Wait()
}

// Wait waits until the pod has ended.
func (p *Pod) Wait() error {
	<-p.done
	return p.err
}

// Dial connects a client.
func (p *Pod) Dial() *Client {
	p.t.Helper()
	return Dial(p.t, p.Socket())
}
