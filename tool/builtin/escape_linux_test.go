package builtin_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"podium.local/tool"
)

// TestFileTools_NothingEscapesWhileLinksAreSwapped calls every file tool on a
// folder that another goroutine keeps exchanging with a link to outside.
func TestFileTools_NothingEscapesWhileLinksAreSwapped(t *testing.T) {
	b := newBench(t)
	b.file("d/sub/f", "mine\n")
	b.mkdir(b.out + "/sub")
	b.must(os.WriteFile(b.out+"/sub/f", []byte(secret+"\n"), 0o644))
	b.must(os.Symlink(b.out, b.in+"/spare"))
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = unix.Renameat2(unix.AT_FDCWD, b.in+"/d", unix.AT_FDCWD, b.in+"/spare", unix.RENAME_EXCHANGE)
		}
	})
	path := b.in + "/d/sub/f"
	for round := range 800 {
		results := []tool.Result{
			b.call("Read", args{"file_path": path}),
			b.call("Grep", args{"pattern": ".", "output_mode": "content"}),
			b.call("Grep", args{"pattern": secret, "path": path}),
			b.call("Glob", args{"pattern": "**", "path": b.in + "/d"}),
		}
		if round%50 == 0 {
			// These wait for the disk, so there are fewer of them.
			results = append(results,
				b.call("Write", args{"file_path": path, "content": "mine\n"}),
				b.call("Edit", args{"file_path": path, "old_string": "mine", "new_string": "my own"}),
				b.call("Write", args{"file_path": b.in + "/d/new/f", "content": "new\n"}))
		}
		for _, res := range results {
			if strings.Contains(res.Text(), secret) || strings.Contains(res.Content, b.out) {
				t.Fatalf("got out: %s", res.Text())
			}
		}
	}
	close(stop)
	swapper.Wait()
	want := map[string]string{b.out: fs.ModeDir.String(), b.out + "/sub": fs.ModeDir.String(), b.out + "/sub/f": "= " + secret + "\n"}
	if diff := cmp.Diff(want, picture(t, b.out)); diff != "" {
		t.Errorf("outside has changed: %s", diff)
	}
	if left, _ := filepath.Glob(b.in + "/*/*/.podium*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}
