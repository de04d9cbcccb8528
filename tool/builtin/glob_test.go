package builtin_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"podium.local/tool"
	"podium.local/tool/builtin"
)

// paths are the lines of a result, below in.
func (b *bench) paths(res tool.Result) string {
	b.t.Helper()
	if res.IsError {
		b.t.Errorf("error: %s", res.Summary)
	}
	lines := strings.Fields(res.Content)
	for i, l := range lines {
		rel, ok := strings.CutPrefix(l, b.in+"/")
		if !ok {
			b.t.Errorf("%s is not below %s", l, b.in)
		}
		lines[i] = rel
	}
	return strings.Join(lines, " ")
}

// aged writes files, each a minute older than the one before.
func (b *bench) aged(files ...string) {
	b.t.Helper()
	now := time.Now()
	for i, f := range files {
		t := now.Add(-time.Duration(i) * time.Minute)
		b.must(os.Chtimes(b.file(f, "x"), t, t))
	}
}

func TestGlob_FindsByPathNewestFirst(t *testing.T) {
	b := newBench(t)
	b.aged("z.go", "a.go", "sub/b.go", "sub/deep/c.go", ".hidden/d.go", "ignored/e.go", "sub/f.txt", "x[1].go")
	b.file(".gitignore", "ignored/\n")
	b.must(os.Symlink("a.go", b.in+"/link.go"))
	b.must(os.Symlink("sub", b.in+"/linked"))
	for _, c := range []struct{ pattern, path, want string }{
		{"*.go", "", "z.go a.go x[1].go"},
		{"**/*.go", "", "z.go a.go sub/b.go sub/deep/c.go .hidden/d.go ignored/e.go x[1].go"},
		{"sub/*", "", "sub/b.go sub/f.txt"},
		{"sub/**", "", "sub/b.go sub/deep/c.go sub/f.txt"},
		{"*/*.{go,txt}", "", "sub/b.go .hidden/d.go ignored/e.go sub/f.txt"},
		{"[az].go", "", "z.go a.go"},
		{`x\[1\].go`, "", "x[1].go"},
		{"a.go", "", "a.go"},
		{"**/c.go", b.in + "/sub", "sub/deep/c.go"},
		{b.in + "/sub/*.go", "", "sub/b.go"},
		{"*.go", b.in + "/linked", "sub/b.go"},
		{".gitignore", "", ".gitignore"},
	} {
		a := args{"pattern": c.pattern}
		if c.path != "" {
			a["path"] = c.path
		}
		res := b.call("Glob", a)
		if got := b.paths(res); got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.pattern, c.path, got, c.want)
		}
		b.want(res, fmt.Sprintf("Found %d file(s) matching %s", len(strings.Fields(c.want)), c.pattern))
	}
	for _, none := range []string{"*.rs", "missing/*.go", "a.go/*", "link.go", "linked/b.go/*"} {
		b.want(b.call("Glob", args{"pattern": none}), "No files found matching "+none)
	}
}

func TestGlob_SaysWhatIsWrong(t *testing.T) {
	b := newBench(t)
	path := b.file("f", "")
	b.refused(b.call("Glob", args{"pattern": "[a"}), `pattern "[a" is not a valid glob`)
	b.refused(b.call("Glob", args{"pattern": ""}), `pattern "" is not a valid glob`)
	b.refused(b.call("Glob", args{"pattern": "../out/*"}), "pattern must not contain ..; give the folder as path")
	b.refused(b.call("Glob", args{"pattern": "/x/*", "path": b.in}), "pattern is absolute; leave out path or make the pattern relative to it")
	b.refused(b.call("Glob", args{"pattern": "*", "path": "sub"}), "path must be absolute: sub")
	b.refused(b.call("Glob", args{"pattern": "*", "path": b.out}), "path is outside allowed scope: "+b.out)
	b.refused(b.call("Glob", args{"pattern": "*", "path": path}), "path is not a directory: "+path)
	b.failed(b.call("Glob", args{"pattern": "*", "path": b.in + "/no"}), "file not found: "+b.in+"/no")
}

func TestGlob_ShowsAThousandNewest(t *testing.T) {
	b := newBenchWith(t, builtin.Options{Caps: tool.Caps{Default: 1 << 20}})
	var files []string
	for i := range 1003 {
		files = append(files, fmt.Sprintf("d%d/f%04d", i%7, i))
	}
	b.aged(files...)
	res := b.call("Glob", args{"pattern": "**/f*"})
	b.want(res, "Found 1003 file(s) matching **/f*, the newest 1000 shown")
	if got, want := b.paths(res), strings.Join(files[:1000], " "); got != want {
		t.Errorf("shown are\n%.200s…\nwant\n%.200s…", got, want)
	}
}

func TestGlob_LeavesOutWhatMayNotBeRead(t *testing.T) {
	b := newBench(t)
	b.aged("a", "keys/b", "flat/b", "flat/c/d", "far/between/c/d")
	s, err := tool.NewScope([]tool.Rule{
		{Target: b.in, Level: tool.LevelWrite},
		{Target: b.in + "/flat/c", Level: tool.LevelRead, Recursive: true},
		{Target: b.in + "/far/between/c", Level: tool.LevelRead, Recursive: true},
	}, []tool.Rule{{Target: b.in + "/keys", Level: tool.LevelRead, Recursive: true}})
	b.must(err)
	b.tools, _ = builtin.New(builtin.Options{Dir: b.in, Scope: s})
	for path, want := range map[string]string{
		// far/between may not be read, so nobody looks what lies beyond.
		b.in:                    "a flat/c/d",
		b.in + "/far/between/c": "far/between/c/d",
	} {
		if got := b.paths(b.call("Glob", args{"pattern": "**", "path": path})); got != want {
			t.Errorf("Glob in %s: %q, want %q", path, got, want)
		}
		if got := b.paths(b.call("Grep", args{"pattern": "x", "path": path})); got != want {
			t.Errorf("Grep in %s: %q, want %q", path, got, want)
		}
	}
}

func TestGlob_EndsWithItsContext(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.failed(b.callContext(ctx, "Glob", args{"pattern": "*"}), "list "+b.in+": context canceled")
	b.failed(b.callContext(ctx, "Grep", args{"pattern": "x"}), "search "+b.in+": context canceled")
}

func TestGlob_GoesAsDeepAsFoldersMayBe(t *testing.T) {
	b := newBench(t)
	deep := strings.Repeat("d/", 300)
	b.file(deep+"f", "x")
	b.file(strings.Repeat("d/", 200)+"f", "x")
	res := b.call("Glob", args{"pattern": "**/f"})
	b.want(res, "Found 1 file(s) matching **/f (1 file(s) or folder(s) could not be read)")
	if got := b.paths(b.call("Glob", args{"pattern": "**/f", "path": b.in + "/" + strings.Repeat("d/", 250)})); got != deep+"f" {
		t.Errorf("further down: %q", got)
	}
}
