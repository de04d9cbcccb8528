package tool_test

import (
	"io"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDir_NothingEscapesWhileLinksAreSwapped reads and writes one path while
// another goroutine keeps exchanging a folder of it with a link to outside.
func TestDir_NothingEscapesWhileLinksAreSwapped(t *testing.T) {
	tr := newTree(t)
	tr.write(tr.in+"/d/secret", "mine")
	tr.link(tr.in+"/spare", tr.out)
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = unix.Renameat2(unix.AT_FDCWD, tr.in+"/d", unix.AT_FDCWD, tr.in+"/spare", unix.RENAME_EXCHANGE)
		}
	})
	for round := range 1500 {
		p, err := tr.scope.Writable(tr.in + "/d/secret")
		if err != nil {
			continue
		}
		if f, err := tr.scope.OpenFile(p); err == nil {
			if text, _ := io.ReadAll(f); string(text) != "mine" {
				t.Fatalf("read %q", text)
			}
			f.Close()
		}
		if round%20 != 0 {
			continue
		}
		// Writing waits for the disk, so there is less of it.
		if d, err := tr.scope.OpenParent(p); err == nil {
			if err := d.Replace("secret", []byte("mine"), nil); err != nil {
				t.Fatal(err)
			}
			if d.Has("other") {
				t.Fatal("the folder is not ours")
			}
			d.Close()
		}
	}
	close(stop)
	swapper.Wait()
	if got, _ := os.ReadFile(tr.out + "/secret"); string(got) != "secret" {
		t.Fatalf("outside holds %q", got)
	}
	if names, _ := os.ReadDir(tr.out); len(names) != 1 {
		t.Fatalf("outside holds %v", names)
	}
}
