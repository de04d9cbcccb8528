package builtin_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"podium.local/tool"
	"podium.local/tool/builtin"
)

const secret = "SECRET"

// picture is everything below a folder, links not followed.
func picture(t testing.TB, root string) map[string]string {
	t.Helper()
	p := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			p[path] = "-> " + target
			return err
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			p[path] = "= " + string(content)
			return err
		}
		p[path] = d.Type().String()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFileTools_NeverLeaveTheScope draws a tree with links of every kind,
// scope rules over it and calls on it. Every file holds its own real path;
// what may not be read never shows up, what may not be written never changes.
func TestFileTools_NeverLeaveTheScope(t *testing.T) {
	base := t.TempDir()
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		root := fmt.Sprintf("%s/%d", base, round)
		defer os.RemoveAll(root)
		names := []string{"a", "b", "c"}
		path := rapid.Custom(func(t *rapid.T) string {
			return root + "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 4).Draw(t, "names"), "/")
		})
		for range rapid.IntRange(1, 8).Draw(rt, "files") {
			p := path.Draw(rt, "file")
			// A file may be in the way of a folder, or the other way round: then
			// there is one less.
			if os.MkdirAll(filepath.Dir(p), 0o755) == nil {
				_ = os.WriteFile(p, []byte(secret+" "+p+"\n"), 0o644)
			}
		}
		for range rapid.IntRange(0, 5).Draw(rt, "links") {
			p, target := path.Draw(rt, "link"), path.Draw(rt, "target")
			if rapid.Bool().Draw(rt, "relative") {
				target, _ = filepath.Rel(filepath.Dir(p), target)
			}
			if os.MkdirAll(filepath.Dir(p), 0o755) == nil {
				_ = os.Symlink(target, p)
			}
		}
		rule := rapid.Custom(func(t *rapid.T) tool.Rule {
			return tool.Rule{Target: path.Draw(t, "target"), Recursive: rapid.Bool().Draw(t, "recursive"),
				Level: rapid.SampledFrom([]tool.Level{tool.LevelRead, tool.LevelWrite}).Draw(t, "level")}
		})
		s, err := tool.NewScope(rapid.SliceOfN(rule, 1, 3).Draw(rt, "allow"), rapid.SliceOfN(rule, 0, 2).Draw(rt, "deny"))
		if err != nil {
			return // a target in a loop of links
		}
		tools, _ := builtin.New(builtin.Options{Dir: root, Scope: s})
		before := picture(t, root)
		shown := ""
		call := func(name string, a args) {
			b := bench{t: t, tools: tools}
			shown += b.call(name, a).Content
		}
		for range rapid.IntRange(1, 12).Draw(rt, "calls") {
			p := path.Draw(rt, "path")
			if rapid.IntRange(0, 9).Draw(rt, "dots") == 0 {
				p += "/../" + rapid.SampledFrom(names).Draw(rt, "name")
			}
			switch rapid.IntRange(0, 4).Draw(rt, "tool") {
			case 0:
				call("Read", args{"file_path": p})
			case 1:
				call("Read", args{"file_path": p})
				call("Write", args{"file_path": p, "content": "new"})
			case 2:
				call("Read", args{"file_path": p})
				call("Edit", args{"file_path": p, "old_string": secret, "new_string": "edited"})
			case 3:
				call("Grep", args{"pattern": secret, "path": p, "output_mode": "content"})
			case 4:
				call("Glob", args{"pattern": "**", "path": p})
			}
		}
		after := picture(t, root)
		for p, was := range before {
			// Links themselves do not change, and nothing goes away.
			if now := after[p]; now != was && (s.Level(p) != tool.LevelWrite || !strings.HasPrefix(was, "= ")) {
				rt.Fatalf("%s was %q and is %q, its level is %v", p, was, now, s.Level(p))
			}
			if strings.HasPrefix(was, "= "+secret) && s.Level(p) == tool.LevelNone && strings.Contains(shown, p+"\n") {
				rt.Fatalf("%s was shown, its level is %v", p, s.Level(p))
			}
		}
		for p := range after {
			if _, old := before[p]; !old && s.Level(p) != tool.LevelWrite {
				rt.Fatalf("%s was made, its level is %v", p, s.Level(p))
			}
		}
	})
}
