package builtin_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podium.local/tool/builtin"
)

// TestGrep_IgnoresWhatGitIgnores replays testdata/gitignore.jsonl: a tree of
// files, then rule sets with the files that git check-ignore (2.39) named.
func TestGrep_IgnoresWhatGitIgnores(t *testing.T) {
	f, err := os.Open("testdata/gitignore.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	var tree struct{ Files []string }
	if !in.Scan() || json.Unmarshal(in.Bytes(), &tree) != nil {
		t.Fatal("no tree")
	}
	b := newBench(t)
	for _, name := range tree.Files {
		b.file(name, "x")
	}
	cases := 0
	for in.Scan() {
		cases++
		var c struct {
			Rules   string
			Ignored []string
		}
		b.must(json.Unmarshal(in.Bytes(), &c))
		b.file(".gitignore", c.Rules)
		got := strings.Split(strings.TrimSuffix(b.lines(b.call("Grep", args{"pattern": "x"})), "\n"), "\n")
		for _, name := range tree.Files {
			if found := slices.Contains(got, name); found == slices.Contains(c.Ignored, name) {
				t.Errorf("rules %q: %s searched %v", c.Rules, name, found)
			}
		}
	}
	b.must(in.Err())
	if cases < 100 {
		t.Errorf("only %d cases", cases)
	}
}

func TestGrep_IgnoreFilesNest(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		path  string
		want  string
	}{
		{"deeper beats higher", map[string]string{".gitignore": "*.o\n", "sub/.gitignore": "!keep.o\n",
			"a.o": "", "sub/a.o": "", "sub/keep.o": "", "sub/deep/keep.o": ""}, "", "sub/deep/keep.o sub/keep.o"},
		{"anchored to its own folder", map[string]string{"sub/.gitignore": "/a\n", "a": "", "sub/a": "", "sub/b/a": ""}, "", "a sub/b/a"},
		{".ignore beats .gitignore, from anywhere", map[string]string{".ignore": "!a\n", "sub/.gitignore": "a\nb\n", "sub/a": "", "sub/b": ""}, "", "sub/a"},
		{"what lies in an ignored folder stays ignored", map[string]string{".gitignore": "sub/\n", "sub/.gitignore": "!a\n", "sub/a": "", "b": ""}, "", "b"},
		{"rules from above the start", map[string]string{".gitignore": "*.o\n/sub/gone\n", "sub/a.o": "", "sub/gone": "", "sub/b": ""}, "sub", "sub/b"},
		{"not from above the repository", map[string]string{".gitignore": "a\n", "sub/.git/HEAD": "", "sub/a": "", "a": ""}, "sub", "sub/a"},
		{"not into a repository", map[string]string{".gitignore": "a\n", "sub/.git/HEAD": "", "sub/a": "", "a": ""}, "", "sub/a"},
		{".ignore even so", map[string]string{".ignore": "a\n", "sub/.git/HEAD": "", "sub/a": "", "a": "", "b": ""}, "", "b"},
		{"exclude of the repository", map[string]string{".git/info/exclude": "a\nb\n", ".gitignore": "!b\n", "a": "", "b": "", "sub/a": ""}, "", "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			for name, content := range c.files {
				if content == "" {
					content = "x"
				}
				b.file(name, content)
			}
			if got := b.paths(b.call("Grep", args{"pattern": "x", "path": filepath.Join(b.in, c.path)})); got != c.want {
				t.Errorf("searched %q, want %q", got, c.want)
			}
		})
	}
}

func TestGrep_LinkedIgnoreFileDoesNotCount(t *testing.T) {
	b := newBench(t)
	b.must(os.WriteFile(b.out+"/rules", []byte("*\n"), 0o600))
	b.must(os.Symlink(b.out+"/rules", b.in+"/.gitignore"))
	b.file("a", "x")
	if got := b.paths(b.call("Grep", args{"pattern": "x"})); got != "a" {
		t.Errorf("searched %q", got)
	}
}

// FuzzIgnore: any bytes are an ignore file, and a rule with an exclamation
// mark in front of each line ignores nothing.
func FuzzIgnore(f *testing.F) {
	f.Add([]byte("*.o\n!a\n/b/\n**/c\n[a-z]\n[!\\]]\\\n"), "b/a.o", false)
	f.Add([]byte("[[:alpha:]]*[\n"), "x/y", true)
	f.Add([]byte("a**/b\xff\r\n"), "a/\xff", false)
	f.Fuzz(func(t *testing.T, rules []byte, rel string, dir bool) {
		builtin.Ignored(rules, rel, dir)
		var negated strings.Builder
		for line := range strings.SplitSeq(strings.TrimPrefix(string(rules), "\uFEFF"), "\n") {
			negated.WriteString("!" + strings.TrimLeft(line, "!") + "\n")
		}
		if builtin.Ignored([]byte(negated.String()), rel, dir) {
			t.Errorf("%q ignores %q", negated.String(), rel)
		}
	})
}
