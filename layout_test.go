package podium_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "podium.local"

// part is a row of the import table: a package, the parts of ours that it may
// import, those that its tests may import besides, and why not more.
type part struct {
	name    string
	imports string
	tests   string
	why     string
}

const (
	noAdapters = "adapters never import each other; name what is needed as an interface here and let cmd/podium pass it in"
	valuesOnly = "it is joined to the others by values that cmd/podium hands over"
)

// layout is the import table of the README. Test helpers have rows of their
// own; everything may be tested with them.
var layout = []part{
	{name: "", why: "the root holds documents and this test"},
	{name: "protocol", why: "it is the vocabulary that pods and clients of any age share"},
	{name: "client", imports: "protocol", tests: "pod session llm tool", why: "a program that only talks to a pod must not carry the runtime"},
	{name: "session", imports: "protocol", why: "what a conversation is stays free of databases, models and sockets"},
	{name: "llm", why: "a model call is described without the parts that make one"},
	{name: "llm/internal/vendor", imports: "llm", why: "it is what the vendors' adapters have in common"},
	{name: "llm/anthropic", imports: "llm llm/internal/vendor", why: "no vendor's adapter knows another"},
	{name: "llm/openai", imports: "llm llm/internal/vendor", why: "no vendor's adapter knows another"},
	{name: "llm/catalog", imports: "llm", why: "prices and context sizes are data"},
	{name: "rehearsal", why: "it speaks the vendors' wires from the outside, so that it can prove the adapters"},
	{name: "tool", why: "what an agent may do is decided without knowing the agent"},
	{name: "tool/builtin", imports: "tool", why: "a tool sees its arguments and its scope, nothing of the pod"},
	{name: "pod", imports: "protocol session llm tool", tests: "client store", why: "the runtime names what it needs of a store in ports.go"},
	{name: "listing", why: "the bounded walk knows neither SQL nor HTTP"},
	{name: "store", imports: "protocol session listing", why: noAdapters},
	{name: "transcript", imports: "protocol session", tests: "store", why: noAdapters},
	{name: "studio", imports: "protocol client session listing web", tests: "store pod llm tool", why: noAdapters},
	{name: "web", why: "it is the page, embedded"},
	{name: "tui", imports: "protocol client", tests: "pod session llm tool", why: noAdapters},
	{name: "config", why: valuesOnly},
	{name: "cmd/podium", imports: "*", why: "it is the only place where parts meet"},

	{name: "pod/podtest", imports: "pod protocol session llm tool", why: "it runs a pod inside a test, without a database or a vendor"},
	{name: "llm/llmtest", imports: "llm rehearsal", why: "it is the contract every provider's tests run"},
	{name: "web/e2e/seed", imports: "protocol session store", why: "it fills a store for the page's browser tests"},
	{name: "store/storetest", imports: "store session protocol listing", why: "it makes stores for tests"},
}

// helpers may be imported by every test.
var helpers = []string{"llm/llmtest", "pod/podtest", "store/storetest", "rehearsal"}

// pkg is what go list says of a package.
type pkg struct {
	ImportPath, Name, Dir, Doc         string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
}

func (p pkg) part() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// packages lists the packages of the module, those behind our build tags too.
func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "soak", "-json=ImportPath,Name,Dir,Doc,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
		// go test keeps a result until a file that the test itself looked at changes;
		// what go list looks at does not count.
		for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			if _, err := os.Stat(filepath.Join(p.Dir, file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

func TestLayout_PartsImportOnlyWhatTheTableAllows(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, sentence := range judge(p) {
			t.Error(sentence)
		}
	}
}

// judge says in sentences what is wrong with the imports of a package.
func judge(p pkg) []string {
	i := slices.IndexFunc(layout, func(r part) bool { return r.name == p.part() })
	if i < 0 {
		return []string{fmt.Sprintf("package %s has no row in the import table of layout_test.go and the README: say there what it may import, and why", p.ImportPath)}
	}
	row := layout[i]
	var wrong []string
	check := func(imports, allowed []string, who string) {
		for _, imported := range imports {
			name, ours := strings.CutPrefix(imported, module+"/")
			if !ours || row.imports == "*" || slices.Contains(allowed, name) {
				continue
			}
			may := "none of ours"
			if len(allowed) > 0 {
				may = "only " + strings.Join(allowed, ", ")
			}
			wrong = append(wrong, fmt.Sprintf("%s imports %s and may import %s: %s", who, name, may, row.why))
		}
	}
	allowed := strings.Fields(row.imports)
	check(p.Imports, allowed, p.part())
	tests := slices.Concat(allowed, strings.Fields(row.tests), helpers, []string{row.name})
	check(slices.Concat(p.TestImports, p.XTestImports), tests, "a test of "+p.part())
	return wrong
}

func TestLayout_ForbiddenImportIsASentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    pkg
		want string
	}{
		{pkg{ImportPath: module + "/session", Imports: []string{"fmt", module + "/protocol"}}, ""},
		{pkg{ImportPath: module + "/session", Imports: []string{module + "/store"}},
			"session imports store and may import only protocol: what a conversation is stays free of databases, models and sockets"},
		{pkg{ImportPath: module + "/listing", Imports: []string{module + "/session"}},
			"listing imports session and may import none of ours: the bounded walk knows neither SQL nor HTTP"},
		{pkg{ImportPath: module + "/llm/openai", XTestImports: []string{module + "/llm/llmtest", module + "/llm/openai"}}, ""},
		{pkg{ImportPath: module + "/llm/openai", TestImports: []string{module + "/llm/anthropic"}},
			"a test of llm/openai imports llm/anthropic and may import only"},
		{pkg{ImportPath: module + "/cmd/podium", Imports: []string{module + "/store", module + "/studio"}}, ""},
		{pkg{ImportPath: module + "/another"}, "has no row in the import table"},
	} {
		got := strings.Join(judge(c.p), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.p.ImportPath, got, c.want)
		}
	}
}

func TestLayout_PackagesAreNamedAfterANoun(t *testing.T) {
	t.Parallel()
	drawers := []string{"util", "utils", "common", "types", "models", "helper", "helpers", "misc", "shared", "base", "lib", "core"}
	for _, p := range packages(t) {
		for _, word := range append(strings.Split(p.part(), "/"), p.Name) {
			if slices.Contains(drawers, word) {
				t.Errorf("package %s is called %s, which says nothing of what is in it: a helper used twice lives with its owner, one used by three deserves a noun", p.ImportPath, word)
			}
		}
	}
}

func TestLayout_EveryPackageIsExplained(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.Doc == "" {
			t.Errorf("package %s has no package comment: say what it is for, what it does not do, and what always holds in it", p.ImportPath)
		}
		if p.Name != "main" && len(p.GoFiles) > 0 && !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("package %s keeps its package comment elsewhere: it belongs into doc.go, where a reader looks first", p.ImportPath)
		}
	}
}

func TestLayout_FilesStayShort(t *testing.T) {
	t.Parallel()
	const most = 500
	for _, file := range sources(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > most && !generated.Match(text) {
			t.Errorf("%s has %d lines, more than %d: find the second noun in it", file, n, most)
		}
	}
}

var generated = regexp.MustCompile(`(?m)^(//|/\*+) Code generated .* DO NOT EDIT`)

// sources lists the source files of the module, tests too.
func sources(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "node_modules", "dist", "testdata", "bin"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if slices.Contains([]string{".go", ".ts", ".tsx", ".css", ".sql"}, path.Ext(file)) {
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("found no source files at all")
	}
	return files
}

// The table of the README is for people; it must list what is there.
func TestReadme_ListsEveryPackage(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\|[^|]*\\| ([^|]*) \\|$").FindAllStringSubmatch(string(readme), -1) {
		rows[m[1]] = m[2]
	}
	for _, p := range packages(t) {
		name := p.part()
		cell, ok := rows[name]
		delete(rows, name)
		if name == "" {
			continue
		}
		if !ok {
			t.Errorf("the package table of README.md has no row for %s", name)
			continue
		}
		i := slices.IndexFunc(layout, func(r part) bool { return r.name == name })
		if i < 0 {
			continue // reported by the import test
		}
		want := strings.ReplaceAll(strings.Join(strings.Fields(layout[i].imports), ", "), "*", "all")
		if want == "" {
			want = "nothing"
		}
		if cell != want {
			t.Errorf("README.md says that %s may import %q, layout_test.go says %q", name, cell, want)
		}
	}
	for name := range rows {
		t.Errorf("README.md has a row for %s, which does not exist", name)
	}
}

// A dependency costs something every year; what, stands in record 0007.
func TestDependencies_AreOnRecord(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	record, err := os.ReadFile("docs/adr/0007-dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)( // indirect)?$`).FindAllStringSubmatch(string(mod), -1) {
		name := regexp.MustCompile(`/v\d+$`).ReplaceAllString(strings.TrimPrefix(m[1], "github.com/"), "") + " " + m[2]
		required[name] = true
		if m[3] == "" && !strings.Contains(string(record), name) {
			t.Errorf("go.mod requires %s; give it a row in docs/adr/0007-dependencies.md: its job, its cost, its licence", name)
		}
	}
	rows := regexp.MustCompile(`(?m)^\| (\S+ v\S+) \|`).FindAllStringSubmatch(string(record), -1)
	if len(rows) == 0 {
		t.Fatal("docs/adr/0007-dependencies.md has no table")
	}
	for _, row := range rows {
		if !required[row[1]] {
			t.Errorf("docs/adr/0007-dependencies.md lists %s, which go.mod does not require", row[1])
		}
	}
}

func TestDocs_LinksAndFilesExist(t *testing.T) {
	t.Parallel()
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/adr/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	source := regexp.MustCompile("`([a-z0-9_/]+/[a-z0-9_]+\\.go)`")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
		for _, m := range source.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
	}
}
