package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"podium.local/config"
)

// place is a machine of its own: a home, a working folder and an environment.
type place struct {
	testing.TB
	home, work string
	env        map[string]string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{TB: t, home: filepath.Join(root, "podium"), work: filepath.Join(root, "src", "shop")}
	for _, dir := range []string{p.home, p.work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = map[string]string{"PODIUM_HOME": p.home, "HOME": root}
	return p
}

func (p *place) lookup(name string) (string, bool) {
	v, ok := p.env[name]
	return v, ok
}

// write puts a file of mode 0600 below the place's root and gives its path.
func (p *place) write(path, text string) string {
	p.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	return path
}

func (p *place) userFile() string    { return filepath.Join(p.home, "config.toml") }
func (p *place) projectFile() string { return filepath.Join(p.work, ".podium", "config.toml") }

func (p *place) load(change ...func(*config.Options)) (config.Config, []config.Notice, error) {
	p.Helper()
	o := config.Options{Env: p.lookup, WorkDir: p.work}
	for _, c := range change {
		c(&o)
	}
	return config.Load(o)
}

func (p *place) mustLoad(change ...func(*config.Options)) (config.Config, []config.Notice) {
	p.Helper()
	c, notices, err := p.load(change...)
	if err != nil {
		p.Fatal(err)
	}
	return c, notices
}

// trust records trust in the place's project file as it is.
func (p *place) trust() {
	p.Helper()
	c, _ := p.mustLoad()
	if err := config.AddTrust(c.Paths, c.Project, now); err != nil {
		p.Fatal(err)
	}
}

// same compares configurations by everything but the project they came from.
var same = []cmp.Option{
	cmpopts.IgnoreUnexported(config.Config{}),
	cmpopts.IgnoreFields(config.Config{}, "Project"),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() }),
}

func ptr[T any](v T) *T { return &v }
