package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctor_FullDiskFailsAndALowOneWarns(t *testing.T) {
	for _, c := range []struct {
		free  int64
		level string
		text  string
	}{
		{0, "fail", "0 B free"},
		{spaceNeeded - 1, "fail", "free where /data lies: inputs and answers cannot be saved"},
		{spaceNeeded, "warn", "16.0 MiB free"},
		{spaceWanted, "ok", "256.0 MiB free"},
	} {
		d := &doctor{}
		d.disk("/data", c.free)
		f := d.findings[0]
		if f.Level != c.level || !strings.Contains(f.Text, c.text) || (f.Next == "") != (c.level == "ok") || d.failed != (c.level == "fail") {
			t.Errorf("%d free: %+v", c.free, f)
		}
	}
}

func TestFreeSpace_OfAFolderThatIsToBeMadeIsThatOfItsParent(t *testing.T) {
	dir := t.TempDir()
	free, at, err := freeSpace(filepath.Join(dir, "not", "made"))
	_, parent, parentErr := freeSpace(dir)
	if err != nil || parentErr != nil || at != parent || free <= 0 {
		t.Errorf("%d bytes at %v, the parent is at %v; %v %v", free, at, parent, err, parentErr)
	}
}
