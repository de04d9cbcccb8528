package builtin_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"podium.local/tool"
	"podium.local/tool/builtin"
)

func TestRead_NumbersLines(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ name, file, content string }{
		{"plain", "one\ntwo\n", "     1\tone\n     2\ttwo\n"},
		{"no line end at the end", "one\ntwo", "     1\tone\n     2\ttwo\n"},
		{"empty lines", "\n\nx\n", "     1\t\n     2\t\n     3\tx\n"},
		{"carriage returns", "one\r\ntwo\r\n", "     1\tone\n     2\ttwo\n"},
		{"carriage return inside", "a\rb\n", "     1\ta\rb\n"},
		{"bytes that are no text", "a\xffb\n", "     1\ta\uFFFDb\n"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			path := b.file("f", c.file)
			res := b.call("Read", args{"file_path": path})
			b.want(res, fmt.Sprintf("Read %d line(s) from %s", strings.Count(c.content, "\n"), path))
			if res.Content != c.content {
				t.Errorf("got %q, want %q", res.Content, c.content)
			}
		})
	}
}

func TestRead_WindowIsNamedWhenItIsNotAll(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "1\n2\n3\n4\n5\n")
	for _, c := range []struct {
		offset, limit int
		summary       string
		first         string
	}{
		{0, 5, "Read 5 line(s) from " + path, "     1\t1\n"},
		{1, 2, "Read 2 line(s) [2..3] of 5 from " + path, "     2\t2\n"},
		{0, 1, "Read 1 line(s) [1..1] of 5 from " + path, "     1\t1\n"},
		{4, 9, "Read 1 line(s) [5..5] of 5 from " + path, "     5\t5\n"},
	} {
		res := b.call("Read", args{"file_path": path, "offset": c.offset, "limit": c.limit})
		if res.Summary != c.summary || !strings.HasPrefix(res.Content, c.first) {
			t.Errorf("offset %d limit %d: %q %q", c.offset, c.limit, res.Summary, res.Content)
		}
	}
	b.refused(b.call("Read", args{"file_path": path, "offset": 5}), "offset 5 is past the end: "+path+" has 5 line(s)")
}

func TestRead_TwoThousandLinesUnlessAsked(t *testing.T) {
	b := newBench(t)
	path := b.file("f", strings.Repeat("x\n", 3000))
	b.want(b.call("Read", args{"file_path": path}), "Read 2000 line(s) [1..2000] of 3000 from "+path)
}

func TestRead_LongContentIsCutToTheCap(t *testing.T) {
	b := newBenchWith(t, builtin.Options{Caps: tool.Caps{PerTool: map[string]int{"Read": 1000}}})
	for name, text := range map[string]string{
		"many lines":    strings.Repeat("some words\n", 5000),
		"one long line": strings.Repeat("x", 3<<20) + "\nend\n",
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			path := b.file("f", text)
			res, cut := b.tools.Run(t.Context(), "Read", []byte(`{"file_path":"`+path+`","limit":100000}`))
			var whole strings.Builder
			for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				fmt.Fprintf(&whole, "%6d\t%s\n", i+1, line)
			}
			if want := tool.Cap(whole.String(), 1000); res.Content != want {
				t.Errorf("got …%q, want …%q", tail(res.Content), tail(want))
			}
			if cut == nil || cut.From != whole.Len() || cut.To != len(res.Content) {
				t.Errorf("reported as %+v, whole is %d", cut, whole.Len())
			}
			// The file counts as read in full.
			b.want(b.call("Write", args{"file_path": path, "content": "new"}), "Overwrote ")
		})
	}
}

func tail(s string) string { return s[max(len(s)-80, 0):] }

func TestRead_SpecialFilesAreRefused(t *testing.T) {
	b := newBench(t)
	fifo := b.in + "/fifo"
	b.must(unix.Mkfifo(fifo, 0o600))
	b.refused(b.call("Read", args{"file_path": fifo}), "path is not a regular file: "+fifo)
	b.refused(b.call("Write", args{"file_path": fifo, "content": ""}), "path is not a regular file: "+fifo)
	b.refused(b.call("Edit", args{"file_path": fifo, "old_string": "a", "new_string": "b"}), "path is not a regular file: "+fifo)
	b.refused(b.call("Grep", args{"pattern": "x", "path": fifo}), "path is not a regular file: "+fifo)
	b.refused(b.call("Glob", args{"pattern": "*", "path": fifo}), "path is not a directory: "+fifo)
	b.want(b.call("Grep", args{"pattern": "x"}), "No matches found")
	b.want(b.call("Glob", args{"pattern": "*"}), "No files found matching *")
}

func TestRead_LoopOfLinksIsAnError(t *testing.T) {
	b := newBench(t)
	b.must(os.Symlink("loop", b.in+"/loop"))
	b.failed(b.call("Read", args{"file_path": b.in + "/loop"}), "resolve "+b.in+"/loop: too many levels of symbolic links")
}

func TestRead_AFileThatIsTooLargeIsRefused(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "")
	b.must(os.Truncate(path, 256<<20+1))
	b.refused(b.call("Read", args{"file_path": path, "limit": 1}),
		path+" has 268435457 bytes, the most that can be read is 268435456: find what you need with Grep, or copy a part of it to another file")
	b.refused(b.call("Write", args{"file_path": path, "content": ""}), "file has not been read in this session; read it first: "+path)
}

func TestRead_EndsWithItsContext(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.failed(b.callContext(ctx, "Read", args{"file_path": path}), "read "+path+": context canceled")
	// What was not read is not known.
	b.refused(b.call("Write", args{"file_path": path, "content": ""}), "file has not been read in this session; read it first: "+path)
}
