package pod_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gofrs/flock"

	"podium.local/pod"
	"podium.local/pod/podtest"
)

// TestName_IsTakenFromACrashedHolderAndNotFromOneThatEndedInOrder has a pod
// wait for its name while another process gives it up.
func TestName_IsTakenFromACrashedHolderAndNotFromOneThatEndedInOrder(t *testing.T) {
	for _, tt := range []struct {
		name    string
		crashed bool
		refusal string
	}{
		{"ended in order", false, "pod n was running and has just ended"},
		{"crashed", true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := podtest.Fill(t, pod.Options{Name: "n", RunDir: podtest.RunDir(t), Store: podtest.NewStore()})
			dir := filepath.Join(o.RunDir, "n")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				holder := flock.New(filepath.Join(dir, "lock"))
				if ok, err := holder.TryLock(); !ok {
					t.Fatal(err)
				}
				if tt.crashed {
					if err := os.WriteFile(filepath.Join(dir, "pid"), []byte("1"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				opened := make(chan error, 1)
				go func() {
					p, err := pod.Open(t.Context(), o)
					if err == nil {
						ctx, cancel := context.WithCancel(t.Context())
						cancel()
						err = p.Run(ctx)
					}
					opened <- err
				}()
				synctest.Wait() // it has seen that the name is held
				if err := holder.Close(); err != nil {
					t.Fatal(err)
				}
				err := <-opened
				if tt.refusal == "" && err != nil || tt.refusal != "" && (err == nil || !strings.Contains(err.Error(), tt.refusal)) {
					t.Errorf("got %v, want %q", err, tt.refusal)
				}
			})
		})
	}
}
