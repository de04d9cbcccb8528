package builtin_test

import (
	"os"
	"strings"
	"testing"
)

func TestEdit_ReplacesAndShowsTheLinesAround(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name, file, old, new string
		all                  bool
		n                    string
		want, preview        string
	}{
		{"middle", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "5", "five", false, "1", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"     2\t2\n     3\t3\n     4\t4\n     5\tfive\n     6\t6\n     7\t7\n     8\t8\n"},
		{"start", "1\n2\n3\n4\n5\n6\n", "1\n", "one\n", false, "1", "one\n2\n3\n4\n5\n6\n",
			"     1\tone\n     2\t2\n     3\t3\n     4\t4\n"},
		{"end without line end", "1\n2", "2", "two", false, "1", "1\ntwo", "     1\t1\n     2\ttwo\n"},
		{"more lines", "a\nb\nc\n", "b", "x\ny", false, "1", "a\nx\ny\nc\n", "     1\ta\n     2\tx\n     3\ty\n     4\tc\n"},
		{"delete", "a\nb\nc\n", "b\n", "", false, "1", "a\nc\n", "     1\ta\n     2\tc\n"},
		{"delete all", "b", "b", "", false, "1", "", ""},
		{"every one", "x x\nx\n", "x", "yy", true, "3", "yy yy\nyy\n", "     1\tyy yy\n     2\tyy\n"},
		{"carriage returns kept", "a\r\nb\r\n", "b", "c", false, "1", "a\r\nc\r\n", "     1\ta\n     2\tc\n"},
		{"wide characters", "é=1\nö=2\n", "ö", "ü", false, "1", "é=1\nü=2\n", "     1\té=1\n     2\tü=2\n"},
		{"long change", "a\nb\nc\n", "b", strings.Repeat("n\n", 40) + "n", false, "1", "a\n" + strings.Repeat("n\n", 41) + "c\n",
			"     1\ta\n     2\tn\n     3\tn\n     4\tn\n     …\t(35 lines)\n    40\tn\n    41\tn\n    42\tn\n    43\tc\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			path := b.file("f", c.file)
			b.read(path)
			res := b.call("Edit", args{"file_path": path, "old_string": c.old, "new_string": c.new, "replace_all": c.all})
			b.want(res, "Edited "+path+" ("+c.n+" replacement(s))")
			b.holds(path, c.want)
			if res.Content != c.preview {
				t.Errorf("preview\n%q, want\n%q", res.Content, c.preview)
			}
		})
	}
}

func TestEdit_SaysWhyItDoesNot(t *testing.T) {
	b := newBench(t)
	path := b.in + "/f"
	for _, c := range []struct {
		name, file, old, new string
		want                 string
	}{
		{"nothing to find", "a", "", "x", "old_string must not be empty; use Write to create a file"},
		{"nothing to change", "a", "a", "a", "old_string and new_string are the same; nothing to change"},
		{"not there", "a", "b", "x", "string not found in file: " + path},
		{"twice", "a a", "a", "x", "string is not unique in file (2 occurrences); add surrounding lines or pass replace_all: " + path},
		{"twice, overlapping", "aaa", "aa", "x", "string is not unique in file (2 occurrences); add surrounding lines or pass replace_all: " + path},
		{"carriage returns", "a\r\nb\r\n", "a\nb", "x", `string not found in file, whose lines end in \r\n; give old_string with them: ` + path},
		{"not text", "a\xff", "a", "x", "file is not valid UTF-8; Edit changes text only: " + path},
		{"too large", strings.Repeat("x", 64<<20+1), "a", "x", "file is larger than the 64 MiB that Edit takes: " + path},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			b.file("f", c.file)
			b.read(path)
			b.refused(b.call("Edit", args{"file_path": path, "old_string": c.old, "new_string": c.new}), c.want)
			b.holds(path, c.file)
		})
	}
}

func TestEdit_FileMustBeReadAndUnchanged(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "a b")
	change := args{"file_path": path, "old_string": "a", "new_string": "x"}
	b.refused(b.call("Edit", change), "file has not been read in this session; read it first: "+path)
	b.read(path)
	b.file("f", "a c")
	b.refused(b.call("Edit", change), "file was modified externally after last read: "+path)
	b.read(path)
	b.want(b.call("Edit", change), "Edited ")
	// Its own change is no surprise.
	b.want(b.call("Edit", args{"file_path": path, "old_string": "c", "new_string": "y"}), "Edited ")
	b.holds(path, "x y")
}

func TestEdit_KeepsTheMode(t *testing.T) {
	b := newBench(t)
	path := b.file("run.sh", "echo a")
	b.must(os.Chmod(path, 0o755))
	b.read(path)
	b.want(b.call("Edit", args{"file_path": path, "old_string": "a", "new_string": "b"}), "Edited ")
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
