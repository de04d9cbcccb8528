package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"podium.local/config"
)

func TestTrust_CoversOneContentInOneFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const text = "[worker]\nallow_bash = true\n"
	p.write(p.projectFile(), text)
	bash := func() bool {
		c, _ := p.mustLoad()
		return c.Worker.AllowBash
	}
	if bash() {
		t.Error("honoured without trust")
	}
	p.trust()
	if !bash() {
		t.Error("not honoured with trust")
	}
	p.write(p.projectFile(), text+"# changed\n")
	if bash() {
		t.Error("honoured after a change")
	}
	p.write(p.projectFile(), text)
	if !bash() {
		t.Error("not honoured after the change was taken back")
	}

	other := filepath.Join(filepath.Dir(p.work), "copy")
	p.write(filepath.Join(other, ".podium", "config.toml"), text)
	if c, _ := p.mustLoad(func(o *config.Options) { o.WorkDir = other }); c.Worker.AllowBash {
		t.Error("honoured in another folder with the same content")
	}
	link := filepath.Join(p.home, "link")
	p.must(os.Symlink(p.work, link))
	if c, _ := p.mustLoad(func(o *config.Options) { o.WorkDir = link }); !c.Worker.AllowBash {
		t.Error("not honoured through a link to the folder")
	}

	c, _ := p.mustLoad()
	if n, err := config.RevokeTrust(c.Paths, link); n != 1 || err != nil {
		t.Errorf("revoke: %d, %v", n, err)
	}
	if bash() {
		t.Error("honoured after it was revoked")
	}
}

func TestTrust_RecordIsPrivateAndLeavesNoScraps(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.projectFile(), "")
	p.trust()
	info, err := os.Stat(filepath.Join(p.home, "trust.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("trust.json: %v, %v", info, err)
	}
	entries, err := os.ReadDir(p.home)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "trust.json" && e.Name() != "trust.json.lock" {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

func TestTrust_ConcurrentChangesAreAllKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	paths := config.Paths{Data: p.home, Config: p.home}
	var dirs []string
	for i := range 8 {
		dir := filepath.Join(p.work, string(rune('a'+i)))
		p.write(filepath.Join(dir, ".podium", "config.toml"), "")
		dirs = append(dirs, dir)
	}
	var wg sync.WaitGroup
	for _, dir := range dirs {
		wg.Go(func() {
			project, err := config.FindProject(paths, "", dir)
			if err == nil {
				err = config.AddTrust(paths, project, now)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := config.Trusted(paths)
	if err != nil || len(all) != len(dirs) {
		t.Errorf("%d records, %v", len(all), err)
	}
}

func TestTrust_RecordThatCannotBeBelievedStopsTheLoad(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"not JSON":      {"{", 0o600, "remove the file and trust your projects again"},
		"unknown field": {`{"version":1,"trusted":[],"x":1}`, 0o600, `unknown field "x"`},
		"newer":         {`{"version":2,"trusted":[]}`, 0o600, "it has version 2, this podium reads 1"},
		"not ours":      {`{"version":1,"trusted":[]}`, 0o620, "can be changed by others"},
		"huge":          {strings.Repeat(" ", 4<<20+1), 0o600, "at most 4194304 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			file := p.write(filepath.Join(p.home, "trust.json"), c.text)
			p.must(os.Chmod(file, c.mode))
			if _, _, err := p.load(); err != nil {
				t.Errorf("without a project file: %v", err)
			}
			p.write(p.projectFile(), "")
			_, _, err := p.load()
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
				t.Errorf("error %v\nholds not %q or not the file", err, c.want)
			}
		})
	}
}

func TestWeigh_WhatTrustAddsToTheScopeNeedsTrust(t *testing.T) {
	t.Parallel()
	deny := []config.Rule{{Target: "/secret", Permission: config.PermissionRead, Recursive: true}}
	for name, c := range map[string]struct {
		file string
		deny []config.Rule
		want config.Need
	}{
		"within the user's":         {"[[scope.allow]]\ntarget = \"sub\"\npermission = \"write\"", nil, config.NeedNothing},
		"outside the user's":        {"[[scope.allow]]\ntarget = \"/\"\npermission = \"read\"", nil, config.NeedTrust},
		"inline and outside":        {"[scope]\nallow = [{target = \"..\", permission = \"read\"}]", nil, config.NeedTrust},
		"another deny":              {"[[scope.deny]]\ntarget = \"x\"\npermission = \"read\"", nil, config.NeedNothing},
		"a deny in place of yours":  {"[[scope.deny]]\ntarget = \"x\"\npermission = \"read\"", deny, config.NeedTrust},
		"no deny in place of yours": {"[scope]\ndeny = []", deny, config.NeedTrust},
		"your deny again":           {"[[scope.deny]]\ntarget = \"/secret\"\npermission = \"read\"", deny, config.NeedNothing},
	} {
		p := newPlace(t)
		p.write(p.projectFile(), c.file)
		mine, _ := p.mustLoad(func(o *config.Options) { o.NoProject = true })
		mine.Scope.Deny = c.deny
		with, _ := p.mustLoad()
		with.Project.Weigh(mine.Scope)
		for _, s := range with.Project.Settings {
			if s.Needs != c.want {
				t.Errorf("%s: %s needs %s, want %s", name, s.Key, s.Needs, c.want)
			}
		}
		if len(with.Project.Settings) == 0 {
			t.Errorf("%s: no settings", name)
		}
	}
}
