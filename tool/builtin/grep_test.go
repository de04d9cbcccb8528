package builtin_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"podium.local/tool"
	"podium.local/tool/builtin"
)

// lines is a result's content with paths below in.
func (b *bench) lines(res tool.Result) string {
	b.t.Helper()
	if res.IsError {
		b.t.Errorf("error: %s", res.Summary)
	}
	return strings.ReplaceAll(res.Content, b.in+"/", "")
}

func TestGrep_OutputModes(t *testing.T) {
	b := newBench(t)
	b.file("a.go", "one\nTwo\nthree two\n")
	b.file("b/c.txt", "two\r\nfour\r\n")
	b.file("d.txt", "nothing")
	for _, c := range []struct {
		a             args
		summary, want string
	}{
		{args{"pattern": "two"}, "Found matches in 2 file(s)", "a.go\nb/c.txt\n"},
		{args{"pattern": "two", "output_mode": "count"}, "Found 2 matching line(s) in 2 file(s)", "a.go:1\nb/c.txt:1\n"},
		{args{"pattern": "two", "output_mode": "content"}, "Found 2 matching line(s) in 2 file(s)", "a.go:3:three two\nb/c.txt:1:two\n"},
		{args{"pattern": "two", "output_mode": "content", "-n": false}, "Found 2 matching", "a.go:three two\nb/c.txt:two\n"},
		{args{"pattern": "two", "output_mode": "count", "-i": true}, "Found 3 matching line(s) in 2 file(s)", "a.go:2\nb/c.txt:1\n"},
		{args{"pattern": "^two$", "output_mode": "content"}, "Found 1 matching", "b/c.txt:1:two\n"},
		{args{"pattern": `\Atwo\z`, "output_mode": "content"}, "Found 1 matching", "b/c.txt:1:two\n"},
		{args{"pattern": "three\\stwo", "output_mode": "content"}, "Found 1 matching", "a.go:3:three two\n"},
		{args{"pattern": "one\\sTwo"}, "No matches found", ""},
		{args{"pattern": "x*", "output_mode": "count"}, "Found 6 matching line(s) in 3 file(s)", "a.go:3\nb/c.txt:2\nd.txt:1\n"},
		{args{"pattern": "two", "path": b.in + "/b"}, "Found matches in 1 file(s)", "b/c.txt\n"},
		{args{"pattern": "two", "path": b.in + "/a.go", "output_mode": "content"}, "Found 1 matching", "a.go:3:three two\n"},
		{args{"pattern": "two", "glob": "*.go"}, "Found matches in 1 file(s)", "a.go\n"},
		{args{"pattern": "two", "glob": "!*.go"}, "Found matches in 1 file(s)", "b/c.txt\n"},
		{args{"pattern": "two", "glob": "*.{go,txt}"}, "Found matches in 2 file(s)", "a.go\nb/c.txt\n"},
		{args{"pattern": "two", "glob": "b/**"}, "Found matches in 1 file(s)", "b/c.txt\n"},
		{args{"pattern": "two", "glob": "/*.go"}, "Found matches in 1 file(s)", "a.go\n"},
		{args{"pattern": "two", "type": "go"}, "Found matches in 1 file(s)", "a.go\n"},
		{args{"pattern": "two", "type": "go", "glob": "*.txt"}, "No matches found", ""},
	} {
		res := b.call("Grep", c.a)
		b.want(res, c.summary)
		if got := b.lines(res); got != c.want {
			t.Errorf("%v: %q, want %q", c.a, got, c.want)
		}
	}
}

func TestGrep_Context(t *testing.T) {
	b := newBench(t)
	b.file("f", "1\n2\nm\n4\n5\n6\n7\nm\nm\n10\n")
	b.file("g", "m\n")
	for _, c := range []struct {
		a    args
		want string
	}{
		{args{"-C": 1}, "f-2-2\nf:3:m\nf-4-4\n--\nf-7-7\nf:8:m\nf:9:m\nf-10-10\n--\ng:1:m\n"},
		{args{"-A": 1}, "f:3:m\nf-4-4\n--\nf:8:m\nf:9:m\nf-10-10\n--\ng:1:m\n"},
		{args{"-B": 2}, "f-1-1\nf-2-2\nf:3:m\n--\nf-6-6\nf-7-7\nf:8:m\nf:9:m\n--\ng:1:m\n"},
		{args{"-C": 2, "-A": 0}, "f-1-1\nf-2-2\nf:3:m\n--\nf-6-6\nf-7-7\nf:8:m\nf:9:m\n--\ng:1:m\n"},
		{args{"-C": 3}, "f-1-1\nf-2-2\nf:3:m\nf-4-4\nf-5-5\nf-6-6\nf-7-7\nf:8:m\nf:9:m\nf-10-10\n--\ng:1:m\n"},
		{args{"-C": 1, "-n": false}, "f-2\nf:m\nf-4\n--\nf-7\nf:m\nf:m\nf-10\n--\ng:m\n"},
		{args{"-C": 0}, "f:3:m\nf:8:m\nf:9:m\ng:1:m\n"},
		{args{"-C": 1, "offset": 3, "head_limit": 2}, "f-7-7\nf:8:m\n"},
	} {
		c.a["pattern"], c.a["output_mode"] = "m", "content"
		if got := b.lines(b.call("Grep", c.a)); got != c.want {
			t.Errorf("%v:\n%s, want\n%s", c.a, got, c.want)
		}
	}
}

func TestGrep_Window(t *testing.T) {
	b := newBench(t)
	for i := range 5 {
		b.file(fmt.Sprintf("f%d", i), "m\nm\n")
	}
	for _, c := range []struct {
		mode          string
		offset, limit int
		summary, want string
	}{
		{"files_with_matches", 0, 5, "Found matches in 5 file(s)", "f0\nf1\nf2\nf3\nf4\n"},
		{"files_with_matches", 0, 2, "Found matches in at least 3 file(s); entries 1..2 shown, go on with offset 2", "f0\nf1\n"},
		{"files_with_matches", 2, 2, "Found matches in at least 5 file(s); entries 3..4 shown, go on with offset 4", "f2\nf3\n"},
		{"files_with_matches", 4, 2, "Found matches in 5 file(s); entries 5..5 shown", "f4\n"},
		{"files_with_matches", 9, 2, "Found matches in 5 file(s); none left at offset 9 of 5", ""},
		{"count", 1, 1, "Found at least 6 matching line(s) in 3 file(s); entries 2..2 shown, go on with offset 2", "f1:2\n"},
		{"content", 3, 3, "Found at least 7 matching line(s) in 4 file(s); entries 4..6 shown, go on with offset 6", "f1:2:m\nf2:1:m\nf2:2:m\n"},
		{"content", 9, 1 << 62, "Found 10 matching line(s) in 5 file(s); entries 10..10 shown", "f4:2:m\n"},
	} {
		res := b.call("Grep", args{"pattern": "m", "output_mode": c.mode, "offset": c.offset, "head_limit": c.limit})
		if got := b.lines(res); res.Summary != c.summary || got != c.want {
			t.Errorf("%s %d %d: %q %q, want %q %q", c.mode, c.offset, c.limit, res.Summary, got, c.summary, c.want)
		}
	}
	for i := range 260 {
		b.file(fmt.Sprintf("many/f%03d", i), "m")
	}
	b.want(b.call("Grep", args{"pattern": "m", "path": b.in + "/many"}),
		"Found matches in at least 251 file(s); entries 1..250 shown, go on with offset 250")
}

func TestGrep_Multiline(t *testing.T) {
	b := newBench(t)
	b.file("f", "a (\n  b\n) c\nd (x)\n")
	b.file("g", "a\r\nb\r\n")
	for _, c := range []struct {
		pattern, mode, want string
	}{
		{`\(.*?\)`, "content", "f:1:a (\nf:2:  b\nf:3:) c\nf:4:d (x)\n"},
		{`\(\n`, "content", "f:1:a (\n"},
		{`^\s+b$`, "content", "f:2:  b\n"},
		{`a.*b`, "files_with_matches", "f\ng\n"},
		{`a\r\nb`, "count", "g:2\n"},
		{`\(.*?\)`, "count", "f:4\n"},
		{`\z`, "count", ""},
		{`\A`, "content", "f:1:a (\ng:1:a\n"},
	} {
		res := b.call("Grep", args{"pattern": c.pattern, "output_mode": c.mode, "multiline": true})
		if got := b.lines(res); got != c.want {
			t.Errorf("%s: %q, want %q", c.pattern, got, c.want)
		}
	}
	if got := b.lines(b.call("Grep", args{"pattern": `\(.*?\)`, "output_mode": "content"})); got != "f:4:d (x)\n" {
		t.Errorf("by line: %q", got)
	}
}

func TestGrep_MultilineFindsEveryMatchOfMany(t *testing.T) {
	b := newBench(t)
	b.file("f", strings.Repeat("a b a\nb a b\n", 2000))
	for pattern, want := range map[string]string{
		"a":       "Found 4000 matching line(s) in 1 file(s)",
		`a\nb`:    "Found 4000 matching line(s) in 1 file(s)",
		`^b a b$`: "Found 2000 matching line(s) in 1 file(s)",
	} {
		b.want(b.call("Grep", args{"pattern": pattern, "output_mode": "count", "multiline": true}), want)
	}
	b.file("f", strings.Repeat("ab", 5000)+"\nab\n")
	b.want(b.call("Grep", args{"pattern": "ab", "output_mode": "count", "multiline": true}), "Found 2 matching line(s) in 1 file(s)")
}

func TestGrep_MultilineLeavesOutHugeFilesAndSaysSo(t *testing.T) {
	b := newBench(t)
	b.file("big", strings.Repeat("x\n", 17<<20))
	b.file("small", "x\n")
	res := b.call("Grep", args{"pattern": "x", "multiline": true})
	b.want(res, "Found matches in 1 file(s) (1 file(s) over 32 MiB left out)")
	if got := b.paths(res); got != "small" {
		t.Errorf("found %q", got)
	}
}

func TestGrep_SkipsHiddenIgnoredBinaryAndLinked(t *testing.T) {
	b := newBench(t)
	b.file("seen", "x")
	b.file(".hidden", "x")
	b.file(".git/config", "x")
	b.file("binary", "x\x00")
	b.file("ignored/a", "x")
	b.file("a.log", "x")
	b.file(".gitignore", "ignored/\n*.log\n")
	b.must(os.Symlink("seen", b.in+"/link"))
	b.must(os.Symlink(b.out, b.in+"/escape"))
	b.must(os.WriteFile(b.out+"/f", []byte("x"), 0o600))
	if got := b.paths(b.call("Grep", args{"pattern": "x"})); got != "seen" {
		t.Errorf("found %q", got)
	}
	// What is named is searched.
	for _, named := range []string{"a.log", ".hidden", "ignored/a", "link"} {
		b.want(b.call("Grep", args{"pattern": "x", "path": b.in + "/" + named}), "Found matches in 1 file(s)")
	}
	if got := b.paths(b.call("Grep", args{"pattern": "x", "path": b.in + "/ignored"})); got != "ignored/a" {
		t.Errorf("in the ignored folder %q", got)
	}
	b.want(b.call("Grep", args{"pattern": "x", "path": b.in + "/binary"}), "No matches found (the file is binary)")
}

func TestGrep_LongLinesAreSearchedAndCut(t *testing.T) {
	b := newBench(t)
	b.file("f", strings.Repeat("é", 3000)+"needle"+strings.Repeat("z", 200<<10)+"\nneedle\n")
	res := b.call("Grep", args{"pattern": "needle", "output_mode": "content"})
	first, rest, _ := strings.Cut(b.lines(res), "\n")
	if !strings.HasPrefix(first, "f:1:[…]é") || !strings.Contains(first, "éneedlez") || !strings.HasSuffix(first, "z[… 210806 bytes]") || len(first) > 1100 {
		t.Errorf("long line shown as %q", first)
	}
	if rest != "f:2:needle\n" {
		t.Errorf("then %q", rest)
	}
	// Beyond the first MiB of a line is not searched; the next line is.
	b.file("f", strings.Repeat("z", 3<<20)+"needle\nneedle\n")
	if got := b.lines(b.call("Grep", args{"pattern": "needle", "output_mode": "content"})); got != "f:2:needle\n" {
		t.Errorf("got %q", got)
	}
}

func TestGrep_OutputIsCutToTheCap(t *testing.T) {
	b := newBenchWith(t, builtin.Options{Caps: tool.Caps{Default: 500}})
	b.file("f", strings.Repeat("a line\n", 200))
	res, cut := b.tools.Run(t.Context(), "Grep", []byte(`{"pattern":"a","output_mode":"content","-n":false}`))
	whole := strings.Repeat(b.in+"/f:a line\n", 200)
	if want := tool.Cap(whole, 500); res.Content != want {
		t.Errorf("got %q, want %q", res.Content, want)
	}
	if cut == nil || cut.From != len(whole) {
		t.Errorf("reported as %+v", cut)
	}
}

func TestGrep_SaysWhatIsWrong(t *testing.T) {
	b := newBench(t)
	b.refused(b.call("Grep", args{"pattern": "(a"}), "pattern is not a regular expression that RE2 knows: missing closing ): `(a`")
	b.refused(b.call("Grep", args{"pattern": "a(?=b)"}), "pattern is not a regular expression that RE2 knows: invalid or unsupported Perl syntax: `(?=`")
	b.refused(b.call("Grep", args{"pattern": "a", "glob": "[a"}), `glob "[a" is not valid`)
	b.refused(b.call("Grep", args{"pattern": "a", "path": "x"}), "path must be absolute: x")
	b.refused(b.call("Grep", args{"pattern": "a", "path": b.out}), "path is outside allowed scope: "+b.out)
	b.failed(b.call("Grep", args{"pattern": "a", "path": b.in + "/no"}), "file not found: "+b.in+"/no")
	if res := b.call("Grep", args{"pattern": "a", "type": "golang"}); !strings.HasPrefix(res.Summary,
		`Tool execution failed: Invalid argument: unknown type "golang"; known are asm, c, `) {
		t.Errorf("got %q", res.Summary)
	}
}
