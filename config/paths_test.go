package config_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/config"
)

func TestLocatePaths_FollowsTheVariables(t *testing.T) {
	t.Parallel()
	perUser := "podium-" + strconv.Itoa(os.Getuid())
	for name, c := range map[string]struct {
		env  map[string]string
		want config.Paths
	}{
		"PODIUM_HOME holds all": {
			map[string]string{"PODIUM_HOME": "/p", "HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/r"},
			config.Paths{Data: "/p", Config: "/p", Run: "/p/run"},
		},
		"XDG": {
			map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/r"},
			config.Paths{Data: "/d/podium", Config: "/c/podium", Run: "/r/podium"},
		},
		"XDG without HOME": {
			map[string]string{"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"},
			config.Paths{Data: "/d/podium", Config: "/c/podium", Run: "/tmp/" + perUser},
		},
		"HOME alone": {
			map[string]string{"HOME": "/h", "TMPDIR": "/t"},
			config.Paths{Data: "/h/.local/share/podium", Config: "/h/.config/podium", Run: "/t/" + perUser},
		},
		"relative and empty count as unset": {
			map[string]string{"PODIUM_HOME": "", "HOME": "/h", "XDG_DATA_HOME": "d", "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": "r", "TMPDIR": "t"},
			config.Paths{Data: "/h/.local/share/podium", Config: "/h/.config/podium", Run: "/tmp/" + perUser},
		},
	} {
		got, err := config.LocatePaths(func(name string) (string, bool) { v, ok := c.env[name]; return v, ok })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	got, err := config.LocatePaths(func(name string) (string, bool) { return "rel", name == "PODIUM_HOME" })
	if err != nil || !filepath.IsAbs(got.Data) {
		t.Errorf("relative PODIUM_HOME: %+v, %v", got, err)
	}
}

func TestMakeDir_MakesPrivateFolders(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := config.MakeDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		info, err := os.Stat(d)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", d, info.Mode(), err)
		}
	}
}

func TestMakeDir_RefusesWhatOthersCouldChange(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := p.write(filepath.Join(p.home, "file"), "")
	open := filepath.Join(p.home, "open")
	p.must(os.Mkdir(open, 0o700))
	p.must(os.Chmod(open, 0o770))
	for dir, want := range map[string]string{
		file:                          "something on the way is a file",
		filepath.Join(file, "x"):      "something on the way is a file",
		open:                          "has mode 0770, so other users could change",
		"/proc/podium-cannot-be-made": "set PODIUM_HOME to a folder that you can write to",
	} {
		if err := config.MakeDir(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error %v\nholds not %q", dir, err, want)
		}
	}
}

func TestMakeRun_InsistsOnAFolderOfThisUserAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	run := config.Paths{Run: filepath.Join(p.home, "run")}
	if err := run.MakeRun(); err != nil {
		t.Fatal(err)
	}
	p.must(os.Chmod(run.Run, 0o750))
	if err := run.MakeRun(); err == nil || !strings.Contains(err.Error(), "mode 0750") {
		t.Errorf("readable by the group: %v", err)
	}
	link := config.Paths{Run: filepath.Join(p.home, "link")}
	p.must(os.Symlink(p.work, link.Run))
	if err := link.MakeRun(); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("a link: %v", err)
	}
}
