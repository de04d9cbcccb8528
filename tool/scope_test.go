package tool_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"podium.local/tool"
)

// deep and flat are rules of both kinds.
func deep(target string, l tool.Level) tool.Rule {
	return tool.Rule{Target: target, Level: l, Recursive: true}
}

func flat(target string, l tool.Level) tool.Rule { return tool.Rule{Target: target, Level: l} }

func scope(t testing.TB, allow, deny []tool.Rule) *tool.Scope {
	t.Helper()
	s, err := tool.NewScope(allow, deny)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tempDir is a fresh folder by its real path.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestScope_LevelIsTheHighestAllowCappedByDeny(t *testing.T) {
	const r, w, none = tool.LevelRead, tool.LevelWrite, tool.LevelNone
	// Names that exist nowhere, so that no link on the machine matters.
	allow := []tool.Rule{deep("/nowhere/w", w), deep("/nowhere/r", r), deep("/nowhere/r/out", w), flat("/nowhere/flat", w)}
	deny := []tool.Rule{deep("/nowhere/w/frozen", w), deep("/nowhere/w/secret", r), deep("/nowhere/w/frozen/key", r), flat("/nowhere/w/top", r)}
	s := scope(t, allow, deny)
	for path, want := range map[string]tool.Level{
		"/nowhere/w":                 w,
		"/nowhere/w/a/b/c":           w,
		"/nowhere/w/../w/a":          w,
		"/nowhere/wide":              none,
		"/nowhere":                   none,
		"/":                          none,
		"/nowhere/r/a":               r,
		"/nowhere/r/out/a":           w,
		"/nowhere/flat":              w,
		"/nowhere/flat/a":            w,
		"/nowhere/flat/a/b":          none,
		"/nowhere/w/frozen/a":        r,
		"/nowhere/w/frozen/key/a":    none,
		"/nowhere/w/secret":          none,
		"/nowhere/w/secret/a":        none,
		"/nowhere/w/secret/../open":  w,
		"/nowhere/w/top":             none,
		"/nowhere/w/top/a":           none,
		"/nowhere/w/top/a/b":         w,
		"nowhere/w":                  none,
		"/nowhere/w/a\x00b":          none,
		"/nowhere/r/../../nowhere/w": w,
	} {
		if got := s.Level(path); got != want {
			t.Errorf("Level(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestScope_RootCoversEverything(t *testing.T) {
	s := scope(t, []tool.Rule{deep("/", tool.LevelRead)}, []tool.Rule{flat("/", tool.LevelRead)})
	if s.Level("/nowhere/a") != tool.LevelRead {
		t.Error("two below the root is not read")
	}
	if s.Level("/nowhere") != tool.LevelNone || s.Level("/") != tool.LevelNone {
		t.Error("the root and its children are not denied")
	}
}

func TestScope_SummaryListsAllowedTargetsOnly(t *testing.T) {
	for _, c := range []struct {
		name        string
		allow, deny []tool.Rule
		want        string
	}{
		{"one writable", []tool.Rule{deep("/nowhere", tool.LevelWrite)}, nil,
			"Readable:\n  - /nowhere\nWritable:\n  - /nowhere"},
		{"mixed, denied not shown", []tool.Rule{deep("/nowhere/a", tool.LevelRead), flat("/nowhere/b", tool.LevelWrite)},
			[]tool.Rule{deep("/nowhere/b/c", tool.LevelRead)},
			"Readable:\n  - /nowhere/a\n  - /nowhere/b [non-recursive]\nWritable:\n  - /nowhere/b [non-recursive]"},
		{"nothing writable", []tool.Rule{flat("/nowhere/a", tool.LevelRead)}, nil,
			"Readable:\n  - /nowhere/a [non-recursive]\nWritable:"},
	} {
		if got := scope(t, c.allow, c.deny).Summary(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNewScope_RefusesBadRules(t *testing.T) {
	ok := []tool.Rule{deep("/a", tool.LevelRead)}
	for _, c := range []struct {
		name        string
		allow, deny []tool.Rule
		want        string
	}{
		{"none", nil, nil, "scope.allow needs at least one rule"},
		{"relative allow", []tool.Rule{deep("x", tool.LevelRead)}, nil, "path must be absolute (scope.allow.target): x"},
		{"relative deny", ok, []tool.Rule{deep("./x", tool.LevelRead)}, "path must be absolute (scope.deny.target): ./x"},
		{"no level", []tool.Rule{{Target: "/x"}}, nil, "scope.allow.permission of /x must be read or write"},
	} {
		if _, err := tool.NewScope(c.allow, c.deny); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestParseLevel_KnowsTwoWords(t *testing.T) {
	for _, l := range []tool.Level{tool.LevelRead, tool.LevelWrite} {
		if got, err := tool.ParseLevel(l.String()); err != nil || got != l {
			t.Errorf("ParseLevel(%q) = %v, %v", l, got, err)
		}
	}
	for _, word := range []string{"", "none", "Read", "rw"} {
		if _, err := tool.ParseLevel(word); err == nil {
			t.Errorf("ParseLevel(%q) succeeded", word)
		}
	}
}

func TestScope_JudgesWhereLinksLead(t *testing.T) {
	dir := tempDir(t)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{in, out, filepath.Join(in, "sub")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"in/escape":   out,
		"in/relative": "../out",
		"in/dangling": filepath.Join(out, "later"),
		"in/chain":    "escape",
		"in/home":     "sub",
		"in/loop":     "loop",
		"out/back":    filepath.Join(in, "sub"),
		"alias":       in,
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := scope(t, []tool.Rule{deep(filepath.Join(dir, "alias"), tool.LevelWrite)}, []tool.Rule{deep(filepath.Join(in, "home", "deny"), tool.LevelRead)})
	const w, none = tool.LevelWrite, tool.LevelNone
	for path, want := range map[string]tool.Level{
		"in":                w,
		"alias/x":           w,
		"in/escape":         none,
		"in/escape/x/y":     none,
		"in/relative/x":     none,
		"in/dangling":       none,
		"in/chain/x":        none,
		"in/home/x":         w,
		"in/home/deny/x":    none,
		"in/sub/deny":       none,
		"in/loop":           none,
		"in/loop/x":         none,
		"out/back/x":        w,
		"out/x":             none,
		"in/missing/a/b":    w,
		"in/missing/../../": none,
	} {
		if got := s.Level(dir + "/" + path); got != want {
			t.Errorf("Level(%s) = %v, want %v", path, got, want)
		}
	}
	if want := "Readable:\n  - " + in + "\nWritable:\n  - " + in; s.Summary() != want {
		t.Errorf("summary %q, want %q", s.Summary(), want)
	}
}

func TestScope_SaysWhatIsWrongWithAPath(t *testing.T) {
	dir := tempDir(t)
	s := scope(t, []tool.Rule{deep(dir, tool.LevelRead)}, nil)
	given := dir + "/a/../b"
	for _, c := range []struct {
		path string
		ask  func(string) (tool.Place, error)
		want error
	}{
		{"b", s.Readable, &tool.PathError{Err: tool.ErrNotAbsolute, Path: "b"}},
		{"", s.Writable, &tool.PathError{Err: tool.ErrNotAbsolute, Path: ""}},
		{"/nowhere/b", s.Readable, &tool.PathError{Err: tool.ErrOutside, Path: "/nowhere/b"}},
		{"/nowhere/b", s.Writable, &tool.PathError{Err: tool.ErrOutside, Path: "/nowhere/b"}},
		{given, s.Writable, &tool.PathError{Err: tool.ErrReadOnly, Path: given}},
		{given, s.Readable, nil},
	} {
		p, err := c.ask(c.path)
		if c.want == nil {
			if err != nil || p.String() != given || p.Real() != dir+"/b" {
				t.Errorf("%q: %v at %s, %v", c.path, p, p.Real(), err)
			}
			continue
		}
		if err == nil || err.Error() != c.want.Error() || !errors.Is(err, errors.Unwrap(c.want)) {
			t.Errorf("%q: %v, want %v", c.path, err, c.want)
		}
	}
}

// genRules draws rules over a small set of nested paths that exist nowhere.
func genRules(t *rapid.T, label string, atLeast int) []tool.Rule {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tool.Rule {
		return tool.Rule{
			Target:    genPath(t, 3),
			Level:     rapid.SampledFrom([]tool.Level{tool.LevelRead, tool.LevelWrite}).Draw(t, "level"),
			Recursive: rapid.Bool().Draw(t, "recursive"),
		}
	}), atLeast, 4).Draw(t, label)
}

func genPath(t *rapid.T, most int) string {
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab"}), 0, most).Draw(t, "names")
	return "/" + strings.Join(append([]string{"nowhere"}, names...), "/")
}

func genScope(t *rapid.T, label string) *tool.Scope {
	s, err := tool.NewScope(genRules(t, label+" allow", 1), genRules(t, label+" deny", 0))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// allPaths are all paths of up to five names that rules of genRules can tell
// apart.
var allPaths = func() []string {
	paths := []string{"/", "/nowhere"}
	level := []string{"/nowhere"}
	for range 5 {
		var next []string
		for _, p := range level {
			for _, n := range []string{"a", "b", "ab", "other"} {
				next = append(next, p+"/"+n)
			}
		}
		paths = append(paths, next...)
		level = next
	}
	return paths
}()

func TestScope_NarrowIsTheLowerOfBothLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genScope(t, "a"), genScope(t, "b")
		n := a.Narrow(b)
		for range 30 {
			p := genPath(t, 6)
			if got, want := n.Level(p), min(a.Level(p), b.Level(p)); got != want {
				t.Fatalf("%s: %v, want %v\n%s\nnarrowed by\n%s\ngives\n%s", p, got, want, a.Summary(), b.Summary(), n.Summary())
			}
		}
		if !a.Covers(n) || !b.Covers(n) {
			t.Fatal("narrowing made it wider")
		}
	})
}

func TestScope_CoversMeansNoPathIsHigher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genScope(t, "a"), genScope(t, "b")
		higher := slices.ContainsFunc(allPaths, func(p string) bool { return b.Level(p) > a.Level(p) })
		if a.Covers(b) == higher {
			t.Fatalf("Covers = %v, but a path higher: %v", !higher, higher)
		}
	})
}

func TestScope_NarrowByAProjectFile(t *testing.T) {
	user := scope(t, []tool.Rule{deep("/nowhere/repo", tool.LevelWrite)}, nil)
	project := scope(t, []tool.Rule{deep("/nowhere", tool.LevelRead), deep("/nowhere/repo/src", tool.LevelWrite)}, nil)
	if user.Covers(project) {
		t.Error("a wider project scope counts as covered")
	}
	n := user.Narrow(project)
	if want := "Readable:\n  - /nowhere/repo\n  - /nowhere/repo/src\nWritable:\n  - /nowhere/repo/src"; n.Summary() != want {
		t.Errorf("summary %q, want %q", n.Summary(), want)
	}
	apart := user.Narrow(scope(t, []tool.Rule{deep("/nowhere/else", tool.LevelWrite)}, nil))
	if apart.Level("/nowhere/repo/a") != tool.LevelNone || apart.Level("/nowhere/else/a") != tool.LevelNone {
		t.Error("scopes that share nothing leave something")
	}
}
