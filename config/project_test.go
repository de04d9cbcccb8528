package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/config"
)

func TestFindProject_IsTheNearestUpward(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	outer := p.write(filepath.Join(filepath.Dir(p.work), ".podium", "config.toml"), "[worker]\ninstruction = \"outer\"")
	deep := filepath.Join(p.work, "a", "b")
	p.must(os.MkdirAll(deep, 0o700))
	load := func() config.Config {
		c, _ := p.mustLoad(func(o *config.Options) { o.WorkDir = deep })
		return c
	}
	if got := load(); got.Project.File != outer || got.Worker.Instruction != "outer" {
		t.Errorf("project %+v", got.Project)
	}
	p.write(p.projectFile(), "[worker]\ninstruction = \"inner\"")
	if got := load(); got.Project.Dir != p.work || got.Worker.Instruction != "inner" {
		t.Errorf("project %+v", got.Project)
	}
	got, _ := p.mustLoad(func(o *config.Options) { o.NoProject = true })
	if got.Project != nil || got.Worker.Instruction != "" {
		t.Errorf("NoProject read %+v", got.Project)
	}
}

func TestFindProject_APodiumFolderWithoutAFileIsNone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, entry := range []string{"folder", "file", "link"} {
		p.must(os.RemoveAll(filepath.Dir(p.projectFile())))
		switch entry {
		case "folder":
			p.must(os.Mkdir(filepath.Dir(p.projectFile()), 0o700))
		case "file":
			p.write(filepath.Dir(p.projectFile()), "")
		case "link":
			p.must(os.Symlink(p.home, filepath.Dir(p.projectFile())))
		}
		if got, _ := p.mustLoad(); got.Project != nil {
			t.Errorf("%s: found %+v", entry, got.Project)
		}
	}
}

// PODIUM_HOME=~/.podium makes the user's file look like the project file of
// everything in the home folder.
func TestFindProject_TheUsersOwnFileIsNoProjectFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.home = filepath.Join(p.env["HOME"], ".podium")
	p.env["PODIUM_HOME"] = p.home
	target := p.write(filepath.Join(p.env["HOME"], "dotfiles", "podium.toml"), "[worker]\nallow_bash = true")
	p.must(os.Mkdir(p.home, 0o700))
	p.must(os.Symlink(target, p.userFile()))
	got, notices := p.mustLoad()
	if got.Project != nil || len(notices) > 0 || !got.Worker.AllowBash {
		t.Errorf("project %+v, notices %v, bash %v", got.Project, notices, got.Worker.AllowBash)
	}
}

func TestFindProject_RefusesWhatIsNoPlainFileOfTheProject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(p *place, file string)
		want string
	}{
		"a link": {func(p *place, file string) {
			p.must(os.Symlink(p.write(filepath.Join(p.home, "elsewhere"), ""), file))
		}, "is a symbolic link"},
		"a linked folder": {func(p *place, file string) {
			p.must(os.Remove(filepath.Dir(file)))
			p.write(filepath.Join(p.home, "config.toml.d", "config.toml"), "")
			p.must(os.Symlink(filepath.Join(p.home, "config.toml.d"), filepath.Dir(file)))
		}, "is a symbolic link"},
		"a FIFO":   {func(p *place, file string) { p.must(syscall.Mkfifo(file, 0o600)) }, "not a regular file"},
		"a folder": {func(p *place, file string) { p.must(os.Mkdir(file, 0o700)) }, "not a regular file"},
		"huge":     {func(p *place, file string) { p.write(file, strings.Repeat("#", 256<<10+1)) }, "at most 262144 are read"},
		"broken":   {func(p *place, file string) { p.write(file, "[worker]\nx = 1") }, ":2: unknown key worker.x"},
		"bad":      {func(p *place, file string) { p.write(file, "[worker]\nmax_turns = 0") }, ":2: worker.max_turns: 0 is not between"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.must(os.Mkdir(filepath.Dir(p.projectFile()), 0o700))
			c.make(p, p.projectFile())
			_, _, err := p.load()
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), filepath.Dir(p.projectFile())) {
				t.Errorf("error %v\nholds not %q or not the place", err, c.want)
			}
		})
	}
}

func TestLoad_IgnoredKeyIsNoticedWithFileLineAndWayOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.projectFile(), "[worker]\nallow_bash = true\n[studio]\nport = 1\n")
	_, notices := p.mustLoad()
	want := []string{
		p.projectFile() + ":2: worker.allow_bash: ignored: this project file is not trusted; podium trust " + p.work + " changes that",
		p.projectFile() + ":4: studio.port: ignored: only your own configuration may set this",
	}
	var got []string
	for _, n := range notices {
		got = append(got, n.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	p.trust()
	p.write(p.projectFile(), "[worker]\nallow_bash = true\n")
	c, notices := p.mustLoad()
	if c.Worker.AllowBash || len(notices) != 1 || !strings.Contains(notices[0].Text, "the file changed since you trusted it") {
		t.Errorf("after a change: bash %v, notices %v", c.Worker.AllowBash, notices)
	}
}

func TestLoad_FolderNamesCannotActOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work = filepath.Join(p.work, "a\x1b[2Jb\u202ec")
	p.write(p.projectFile(), "[worker]\nallow_bash = true\n")
	_, notices := p.mustLoad()
	for _, n := range notices {
		safe(t, n.String())
	}
	p.write(p.projectFile(), "[worker]\nmax_turns = 0\nx = 1\n")
	_, _, err := p.load()
	if err == nil {
		t.Fatal("no error")
	}
	safe(t, err.Error())
}

func TestLoad_UntrustedScopeOnlyNarrows(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), fmt.Sprintf(`
[[scope.allow]]
target = %q
permission = "write"
[[scope.deny]]
target = "/user/deny"
permission = "write"
`, p.work))
	p.write(p.projectFile(), `
[[scope.allow]]
target = "src"
permission = "write"
[[scope.allow]]
target = "/etc"
permission = "read"
[[scope.deny]]
target = "secrets"
permission = "read"
`)
	got, notices := p.mustLoad()
	want := config.Scope{
		Allow: []config.Rule{{Target: p.work, Permission: config.PermissionWrite, Recursive: true}},
		Deny: []config.Rule{
			{Target: "/user/deny", Permission: config.PermissionWrite, Recursive: true},
			{Target: filepath.Join(p.work, "secrets"), Permission: config.PermissionRead, Recursive: true},
		},
		Within: []config.Rule{
			{Target: filepath.Join(p.work, "src"), Permission: config.PermissionWrite, Recursive: true},
			{Target: "/etc", Permission: config.PermissionRead, Recursive: true},
		},
	}
	if diff := cmp.Diff(want, got.Scope); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(notices) != 1 || notices[0].Key != "scope.allow[1].target" || notices[0].Line != 6 {
		t.Errorf("notices %v", notices)
	}
}

func TestLoad_InstructionComesFromThePromptsFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	secret := p.write(filepath.Join(p.home, "secret"), "hunter2")
	prompts := filepath.Join(filepath.Dir(p.projectFile()), "prompts")
	p.write(filepath.Join(prompts, "review.md"), "Review with care.\n")
	p.write(filepath.Join(prompts, "latin.md"), "caf\xe9")
	p.write(filepath.Join(prompts, "huge.md"), strings.Repeat("x", 64<<10+1))
	p.must(os.Symlink(secret, filepath.Join(prompts, "link.md")))
	p.must(syscall.Mkfifo(filepath.Join(prompts, "fifo.md"), 0o600))
	p.write(filepath.Join(p.home, "prompts", "mine.md"), "Mine.")
	for name, c := range map[string]struct{ file, text, want, wantErr string }{
		"own file":              {p.projectFile(), "$workspace/review", "Review with care.\n", ""},
		"user's file":           {p.userFile(), "$user/mine", "Mine.", ""},
		"built in":              {p.userFile(), "$podium/default", "", ""},
		"text":                  {p.projectFile(), "Be $brief.", "Be $brief.", ""},
		"user's from a project": {p.projectFile(), "$user/mine", "", "names no instruction"},
		"out of the folder":     {p.projectFile(), "$workspace/../../../../podium/secret", "", "escapes"},
		"link out":              {p.projectFile(), "$workspace/link", "", "escapes"},
		"FIFO":                  {p.projectFile(), "$workspace/fifo", "", "not a regular file"},
		"too long":              {p.projectFile(), "$workspace/huge", "", "at most 65536"},
		"not text":              {p.projectFile(), "$workspace/latin", "", "not UTF-8"},
		"no name":               {p.projectFile(), "$workspace/", "", "names no instruction"},
	} {
		p.write(p.userFile(), "")
		p.write(p.projectFile(), "")
		p.write(c.file, fmt.Sprintf("[worker]\ninstruction = %q", c.text))
		got, _, err := p.load()
		if c.wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), c.wantErr) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: error %v\nholds not %q", name, err, c.wantErr)
			}
			continue
		}
		if err != nil || got.Worker.Instruction != c.want {
			t.Errorf("%s: %q, %v", name, got.Worker.Instruction, err)
		}
	}
}

// Whatever an untrusted project file says, nothing outside the free keys
// differs from what it is without the file, and the scope has lost at most.
func TestLoad_UntrustedProjectFileNeverGainsAnything(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, k := range keyCases {
		texts = append(texts, k.toml)
	}
	p := newPlace(t)
	p.write(p.userFile(), "[model]\nscheme = \"anthropic\"\nmodel_id = \"m\"\nauth = {file = \"k\"}\n[[scope.deny]]\ntarget = \"x\"\npermission = \"read\"\n")
	bare, _ := p.mustLoad()
	rapid.Check(t, func(rt *rapid.T) {
		var doc strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(rt, "parts") {
			part := rapid.SampledFrom(texts).Draw(rt, fmt.Sprint("part", i))
			if rapid.Bool().Draw(rt, fmt.Sprint("dotted", i)) {
				part = dotted(part)
			}
			doc.WriteString(part + "\n")
		}
		p.write(p.projectFile(), doc.String())
		got, _, err := p.load()
		if err != nil { // two parts opened the same table
			if !strings.Contains(err.Error(), p.projectFile()) {
				rt.Fatalf("error %v does not name the file", err)
			}
			return
		}
		if len(got.Scope.Deny) < len(bare.Scope.Deny) {
			rt.Fatalf("a deny rule is gone: %v", got.Scope.Deny)
		}
		for i, d := range bare.Scope.Deny {
			if got.Scope.Deny[i] != d {
				rt.Fatalf("deny rule %v became %v", d, got.Scope.Deny[i])
			}
		}
		summary := got.Compaction.Model
		got.Scope.Deny, got.Scope.Within = bare.Scope.Deny, bare.Scope.Within
		got.Worker.Instruction, got.Worker.ToolOutput = bare.Worker.Instruction, bare.Worker.ToolOutput
		got.Compaction = bare.Compaction
		got.Compaction.Model = summary
		if diff := cmp.Diff(bare, got, same...); diff != "" {
			rt.Fatalf("%s\n(-without +with):\n%s", doc.String(), diff)
		}
	})
}

// dotted writes "[table]\nkey = value" as "table.key = value".
func dotted(s string) string {
	head, rest, ok := strings.Cut(s, "]\n")
	if !ok || strings.HasPrefix(s, "[[") || strings.Contains(rest, "\n") {
		return s
	}
	return head[1:] + "." + rest
}

func FuzzLoad(f *testing.F) {
	for _, k := range keyCases {
		f.Add(k.toml)
	}
	f.Add("a = [[[{b = 1}]]]")
	f.Add("[[scope.allow]]\ntarget = \"\\u202e\"\npermission = \"write\"")
	f.Add("\xff\xfe")
	p := newPlace(f)
	bare, _ := p.mustLoad()
	place := *p
	f.Fuzz(func(t *testing.T, text string) {
		p := place
		p.TB = t
		p.write(p.projectFile(), text)
		got, notices, err := p.load()
		if err != nil {
			if !strings.Contains(err.Error(), p.work) {
				t.Errorf("error %q does not name the file", err)
			}
			safe(t, err.Error())
			return
		}
		for _, n := range notices {
			safe(t, n.String())
		}
		for _, s := range got.Project.Settings {
			safe(t, s.Key+s.Value)
			if s.Line < 1 || s.Line > strings.Count(text, "\n")+1 {
				t.Errorf("%s is said to be in line %d", s.Key, s.Line)
			}
		}
		got.Scope.Deny, got.Scope.Within = nil, nil
		got.Worker.Instruction, got.Worker.ToolOutput = bare.Worker.Instruction, bare.Worker.ToolOutput
		summary := got.Compaction.Model
		got.Compaction = bare.Compaction
		got.Compaction.Model = summary
		if diff := cmp.Diff(bare, got, same...); diff != "" {
			t.Errorf("(-without +with):\n%s", diff)
		}
	})
}

// safe fails on text that would act on a terminal.
func safe(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069) {
			t.Errorf("text %q holds %U", s, r)
		}
	}
}
