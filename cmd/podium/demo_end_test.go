package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestDemo_EndedBySignalsLeavesNothing(t *testing.T) {
	for name, when := range map[string]string{"while it starts its pods": "implementer", "at work": "*"} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			cmd := h.command("demo")
			cmd.Env = append(cmd.Env, "TMPDIR="+h.dir)
			// Nobody reads what it says any more.
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdout, cmd.Stderr = w, w
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			var socks []string
			want := map[string]int{"implementer": 1, "*": 3}[when]
			for end := time.Now().Add(20 * time.Second); len(socks) < want; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("its pods never came")
				}
				socks, _ = filepath.Glob(filepath.Join(h.dir, "podium-demo-*", "podium", "run", when, "sock"))
			}
			r.Close()
			for range 2 {
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Millisecond) // two signals, not one
			}
			<-ended
			if left, _ := filepath.Glob(filepath.Join(h.dir, "podium-demo-*")); len(left) > 0 {
				t.Errorf("it left %q", left)
			}
			for _, s := range socks {
				if socketAnswers(t.Context(), s) {
					t.Errorf("the pod of %s is alive", s)
				}
			}
		})
	}
}
