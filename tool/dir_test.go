package tool_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"podium.local/tool"
)

// tree is a folder in/ that may be written and a folder out/ that may not be
// touched, side by side.
type tree struct {
	t       testing.TB
	in, out string
	scope   *tool.Scope
}

func newTree(t testing.TB) tree {
	dir := tempDir(t)
	tr := tree{t: t, in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out")}
	tr.mkdir(tr.in)
	tr.mkdir(tr.out)
	tr.write(tr.out+"/secret", "secret")
	tr.scope = scope(t, []tool.Rule{deep(tr.in, tool.LevelWrite)}, nil)
	return tr
}

func (tr tree) must(err error) {
	tr.t.Helper()
	if err != nil {
		tr.t.Fatal(err)
	}
}

func (tr tree) mkdir(path string) {
	tr.t.Helper()
	tr.must(os.MkdirAll(path, 0o700))
}

func (tr tree) write(path, content string) {
	tr.t.Helper()
	tr.mkdir(filepath.Dir(path))
	tr.must(os.WriteFile(path, []byte(content), 0o600))
}

func (tr tree) link(path, target string) {
	tr.t.Helper()
	tr.must(os.Symlink(target, path))
}

func (tr tree) place(path string) tool.Place {
	tr.t.Helper()
	p, err := tr.scope.Writable(path)
	tr.must(err)
	return p
}

// swap makes path a link to target.
func (tr tree) swap(path, target string) {
	tr.t.Helper()
	tr.must(os.Rename(path, path+".moved"))
	tr.link(path, target)
}

func wantPathError(t *testing.T, err, rule error, path string) {
	t.Helper()
	var pe *tool.PathError
	if !errors.As(err, &pe) || !errors.Is(err, rule) || pe.Path != path {
		t.Errorf("%v, want %v: %s", err, rule, path)
	}
}

func TestScope_OpenFileReadsThroughLinksInside(t *testing.T) {
	tr := newTree(t)
	tr.write(tr.in+"/a/file", "text")
	tr.link(tr.in+"/link", "a/file")
	f, err := tr.scope.OpenFile(tr.place(tr.in + "/link"))
	tr.must(err)
	defer f.Close()
	if text, _ := io.ReadAll(f); string(text) != "text" {
		t.Errorf("read %q", text)
	}
}

func TestScope_OpenFileRefusesWhatIsNoFile(t *testing.T) {
	tr := newTree(t)
	tr.mkdir(tr.in + "/dir")
	tr.write(tr.in+"/file", "")
	tr.must(unix.Mkfifo(tr.in+"/fifo", 0o600))
	l, err := net.Listen("unix", tr.in+"/socket")
	tr.must(err)
	defer l.Close()
	for path, want := range map[string]error{
		"dir":       tool.ErrDirectory,
		"fifo":      tool.ErrNotRegular,
		"socket":    tool.ErrNotRegular,
		"missing":   tool.ErrNotFound,
		"no/folder": tool.ErrNotFound,
		"file/x":    tool.ErrNotFound,
		"":          tool.ErrDirectory,
	} {
		p := tr.place(tr.in + "/" + path)
		_, err := tr.scope.OpenFile(p)
		wantPathError(t, err, want, p.String())
	}
}

func TestScope_OpenFileRefusesDevices(t *testing.T) {
	s := scope(t, []tool.Rule{deep("/dev", tool.LevelRead)}, nil)
	p, err := s.Readable("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.OpenFile(p)
	wantPathError(t, err, tool.ErrNotRegular, "/dev/null")
}

func TestScope_OpenDirRefusesWhatIsNoFolder(t *testing.T) {
	tr := newTree(t)
	tr.write(tr.in+"/file", "")
	tr.must(unix.Mkfifo(tr.in+"/fifo", 0o600))
	for path, want := range map[string]error{
		"file":    tool.ErrNotDirectory,
		"fifo":    tool.ErrNotDirectory,
		"missing": tool.ErrNotFound,
	} {
		p := tr.place(tr.in + "/" + path)
		_, err := tr.scope.OpenDir(p)
		wantPathError(t, err, want, p.String())
	}
}

func TestScope_LinkSwappedInAfterTheCheckIsNotFollowed(t *testing.T) {
	for _, swapped := range []string{"a", "a/b", "a/b/secret"} {
		t.Run(swapped, func(t *testing.T) {
			tr := newTree(t)
			tr.write(tr.in+"/a/b/secret", "mine")
			tr.write(tr.out+"/b/secret", "secret")
			p := tr.place(tr.in + "/a/b/secret")
			folder := tr.place(tr.in + "/a/b")
			target := map[string]string{"a": tr.out, "a/b": tr.out + "/b", "a/b/secret": tr.out + "/secret"}[swapped]
			tr.swap(tr.in+"/"+swapped, target)

			_, err := tr.scope.OpenFile(p)
			wantPathError(t, err, tool.ErrOutside, p.String())
			if swapped == "a/b/secret" {
				return
			}
			_, err = tr.scope.OpenDir(folder)
			wantPathError(t, err, tool.ErrOutside, tr.in+"/a/b")
			_, err = tr.scope.MakeParent(p)
			wantPathError(t, err, tool.ErrOutside, tr.in+"/"+swapped)
		})
	}
}

func TestScope_AllowedTargetSwappedForALinkIsNotFollowed(t *testing.T) {
	tr := newTree(t)
	tr.write(tr.in+"/secret", "mine")
	p := tr.place(tr.in + "/secret")
	tr.swap(tr.in, tr.out)
	_, err := tr.scope.OpenFile(p)
	wantPathError(t, err, tool.ErrOutside, p.String())
	if got := tr.scope.Level(p.String()); got != tool.LevelNone {
		t.Errorf("level %v after the swap", got)
	}
}

func TestDir_ReplaceTakesTheNameOfALinkNotItsTarget(t *testing.T) {
	tr := newTree(t)
	d, err := tr.scope.MakeParent(tr.place(tr.in + "/file"))
	tr.must(err)
	defer d.Close()
	tr.link(tr.in+"/file", tr.out+"/secret")
	tr.must(d.Replace("file", []byte("new"), nil))
	if got, _ := os.ReadFile(tr.out + "/secret"); string(got) != "secret" {
		t.Errorf("the target of the link holds %q", got)
	}
	if info, _ := os.Lstat(tr.in + "/file"); !info.Mode().IsRegular() {
		t.Error("the link is still there")
	}
}

func TestDir_AsksTheScopeForEachName(t *testing.T) {
	tr := newTree(t)
	tr.write(tr.in+"/keys/key", "k")
	tr.write(tr.in+"/frozen/file", "f")
	keys, key := tr.place(tr.in+"/keys"), tr.place(tr.in+"/keys/key")
	tr.scope = scope(t, []tool.Rule{deep(tr.in, tool.LevelWrite)},
		[]tool.Rule{deep(tr.in+"/keys", tool.LevelRead), deep(tr.in+"/frozen", tool.LevelWrite)})
	d, err := tr.scope.OpenDir(tr.place(tr.in))
	tr.must(err)
	defer d.Close()
	_, err = d.OpenDir("keys")
	wantPathError(t, err, tool.ErrOutside, tr.in+"/keys")
	frozen, err := d.OpenDir("frozen")
	tr.must(err)
	defer frozen.Close()
	_, err = frozen.OpenUpdate("file")
	wantPathError(t, err, tool.ErrReadOnly, tr.in+"/frozen/file")
	wantPathError(t, frozen.Replace("file", nil, nil), tool.ErrReadOnly, tr.in+"/frozen/file")
	// Places that another scope found fine are judged by this one.
	_, err = tr.scope.OpenDir(keys)
	wantPathError(t, err, tool.ErrOutside, tr.in+"/keys")
	_, err = tr.scope.OpenFile(key)
	wantPathError(t, err, tool.ErrOutside, tr.in+"/keys/key")
}

func TestScope_MakeParentStaysInTheScope(t *testing.T) {
	tr := newTree(t)
	later := filepath.Dir(tr.in) + "/later"
	deepLater := filepath.Dir(tr.in) + "/x/later"
	tr.write(tr.in+"/file", "")
	tr.scope = scope(t,
		[]tool.Rule{deep(tr.in, tool.LevelWrite), deep(later, tool.LevelWrite), deep(deepLater, tool.LevelWrite), flat(tr.out, tool.LevelWrite)},
		[]tool.Rule{flat(tr.in+"/no", tool.LevelWrite)})
	for path, want := range map[string]error{
		tr.in + "/a/b/c/file": nil,
		later + "/a/file":     nil,
		deepLater + "/file":   fs.ErrNotExist,
		tr.in + "/file/x":     tool.ErrNotDirectory,
		// The folder between may not be made, though the file might be.
		tr.in + "/no/a/b/file": tool.ErrReadOnly,
	} {
		d, err := tr.scope.MakeParent(tr.place(path))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		if err == nil {
			if d.Path() != filepath.Dir(path) {
				t.Errorf("%s: got %s", path, d.Path())
			}
			d.Close()
		}
	}
	if _, err := os.Stat(filepath.Dir(deepLater)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder outside was made")
	}
}

func TestScope_ASingleFileMayBeTheTarget(t *testing.T) {
	tr := newTree(t)
	tr.scope = scope(t, []tool.Rule{flat(tr.out+"/secret", tool.LevelWrite)}, nil)
	p := tr.place(tr.out + "/secret")
	f, err := tr.scope.OpenFile(p)
	tr.must(err)
	f.Close()
	d, err := tr.scope.OpenParent(p)
	tr.must(err)
	defer d.Close()
	tr.must(d.Replace("secret", []byte("new"), nil))
	if _, err := tr.scope.Readable(tr.out + "/other"); !errors.Is(err, tool.ErrOutside) {
		t.Errorf("a neighbour: %v", err)
	}
	wantPathError(t, d.Replace("other", nil, nil), tool.ErrOutside, tr.out+"/other")
}

func TestDir_ReplaceKeepsTheModeAndLeavesNothingBehind(t *testing.T) {
	tr := newTree(t)
	path := tr.in + "/run.sh"
	tr.write(path, "old")
	tr.must(os.Chmod(path, 0o751))
	d, err := tr.scope.OpenParent(tr.place(path))
	tr.must(err)
	defer d.Close()
	f, err := d.OpenUpdate("run.sh")
	tr.must(err)
	old, err := f.Stat()
	tr.must(err)
	f.Close()
	tr.must(d.Replace("run.sh", []byte("new"), old))
	info, err := os.Stat(path)
	tr.must(err)
	if got, _ := os.ReadFile(path); string(got) != "new" || info.Mode() != 0o751 {
		t.Errorf("%q with mode %v", got, info.Mode())
	}
	// A folder cannot be replaced by a file: the write fails and cleans up.
	tr.mkdir(tr.in + "/dir/full")
	if err := d.Replace("dir", []byte("new"), nil); err == nil {
		t.Error("a folder was replaced")
	}
	entries, err := d.ReadNames(-1)
	tr.must(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"dir", "run.sh"}) {
		t.Errorf("left behind: %v", names)
	}
}

func TestDir_NewFileGetsTheUsersMask(t *testing.T) {
	tr := newTree(t)
	d, err := tr.scope.MakeParent(tr.place(tr.in + "/file"))
	tr.must(err)
	defer d.Close()
	tr.must(d.Replace("file", nil, nil))
	tr.must(os.WriteFile(tr.in+"/plain", nil, 0o666))
	got, err := os.Stat(tr.in + "/file")
	tr.must(err)
	want, err := os.Stat(tr.in + "/plain")
	tr.must(err)
	if got.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v", got.Mode(), want.Mode())
	}
}
