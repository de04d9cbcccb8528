package builtin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestWrite_CreatesWithParents(t *testing.T) {
	b := newBench(t)
	path := b.in + "/a/b/c.txt"
	b.want(b.call("Write", args{"file_path": path, "content": "grüße\n"}), "Created "+path+" (8 bytes)")
	b.holds(path, "grüße\n")
	b.want(b.call("Write", args{"file_path": path, "content": ""}), "Overwrote "+path+" (0 bytes)")
	b.holds(path, "")
}

func TestWrite_ExistingFileMustBeRead(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "old")
	b.refused(b.call("Write", args{"file_path": path, "content": "new"}), "file has not been read in this session; read it first: "+path)
	b.holds(path, "old")
	b.read(path)
	b.file("f", "changed")
	b.refused(b.call("Write", args{"file_path": path, "content": "new"}), "file was modified externally after last read: "+path)
	b.holds(path, "changed")
	b.read(path)
	b.want(b.call("Write", args{"file_path": path, "content": "new"}), "Overwrote "+path+" (3 bytes)")
	b.holds(path, "new")
}

func TestWrite_ReadingThroughALinkCounts(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "old")
	b.must(os.Symlink("f", b.in+"/link"))
	b.read(b.in + "/link")
	b.want(b.call("Write", args{"file_path": path, "content": "new"}), "Overwrote ")
	b.want(b.call("Write", args{"file_path": b.in + "/link", "content": "newer"}), "Overwrote "+b.in+"/link")
	b.holds(path, "newer")
	if info, err := os.Lstat(b.in + "/link"); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Error("the link was replaced by a file")
	}
}

func TestWrite_ParentThatIsAFileIsNamed(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "old")
	b.refused(b.call("Write", args{"file_path": path + "/x", "content": ""}), "path is not a directory: "+path)
}

func TestWrite_CancelledChangesNothing(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.failed(b.callContext(ctx, "Write", args{"file_path": b.in + "/f", "content": "x"}), "context canceled")
	if entries, _ := os.ReadDir(b.in); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestTracker_RemembersTheTwentyTouchedLast(t *testing.T) {
	b := newBench(t)
	var want []string
	for i := range 25 {
		path := b.file(fmt.Sprintf("f%02d", i), "x")
		b.read(path)
		want = append(want, path)
	}
	again := want[10]
	b.want(b.call("Edit", args{"file_path": again, "old_string": "x", "new_string": "y"}), "Edited ")
	created := b.in + "/new"
	b.want(b.call("Write", args{"file_path": created, "content": ""}), "Created ")
	// What failed was not touched.
	b.call("Read", args{"file_path": b.in + "/missing"})
	want = append(slices.DeleteFunc(want, func(p string) bool { return p == again }), again, created)
	slices.Reverse(want)
	if got := b.tracker.Recent(); !slices.Equal(got, want[:20]) {
		t.Errorf("recent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want[:20], "\n"))
	}
}

func TestFileTools_CallsSideBySideDoNotLoseChanges(t *testing.T) {
	b := newBench(t)
	path := b.file("f", strings.Repeat("-\n", 40))
	b.read(path)
	b.want(b.call("Write", args{"file_path": path, "content": numbered(40)}), "Overwrote ")
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			b.want(b.call("Edit", args{"file_path": path, "old_string": fmt.Sprintf("<%d>", i), "new_string": "done"}), "Edited ")
		})
		all.Go(func() { b.read(path) })
	}
	all.Wait()
	b.holds(path, strings.Repeat("done\n", 40))
	if left, _ := filepath.Glob(b.in + "/.podium*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func numbered(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "<%d>\n", i)
	}
	return s.String()
}
