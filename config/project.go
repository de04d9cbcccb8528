package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	maxProjectBytes = 256 << 10
	maxUserBytes    = 1 << 20
)

// Project is a project file as it was found.
type Project struct {
	// Dir is the folder it speaks for, symbolic links resolved; File is the file.
	Dir, File string
	// SHA256 is the hash of its content, in hex.
	SHA256 string
	// Trusted says that the user trusts this content in this folder.
	Trusted bool
	// Settings are its keys in the order of the file.
	Settings []Setting `json:"-"`

	doc *document
	// err is what is wrong with the content.
	err error
	// foreign is set when the file belongs to another user.
	foreign bool
	// stale says that other content in this folder was trusted.
	stale bool
}

// Setting is one key that a project file sets.
type Setting struct {
	Key  string
	Line int
	// Value is the TOML text of the value on one line, cut to 200 characters and
	// safe to print.
	Value string
	Needs Need
}

// Need says when a project's key is honoured.
type Need string

// The needs.
const (
	// NeedNothing is honoured always.
	NeedNothing Need = "nothing"
	// NeedTrust is honoured once the file is trusted.
	NeedTrust Need = "trust"
	// NeedUser is never honoured: only the user's own file may set it.
	NeedUser Need = "user"
)

// FindProject looks for the nearest .podium/config.toml from dir upward and
// says whether it is trusted. It is nil when there is none. The user's own
// file is not a project file, even where it has that name (PODIUM_HOME may be
// ~/.podium). A file that a link leads to, that is not a plain file, or that
// is too large is an error.
func FindProject(paths Paths, home, dir string) (*Project, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("look for a project file: %w", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if file := projectFile(dir); !sameFile(file, paths.File()) {
			p, err := readProject(dir, home, foreign)
			if err != nil {
				return nil, fmt.Errorf("read project file: %w", err)
			}
			if p != nil {
				if err := p.lookUpTrust(paths); err != nil {
					return nil, err
				}
				if p.err != nil && (p.Trusted || !p.foreign) {
					return nil, fmt.Errorf("read project file: %w", p.err)
				}
				return p, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return nil, nil
		}
	}
}

func projectFile(dir string) string { return filepath.Join(dir, ".podium", "config.toml") }

// readProject reads the project file of exactly this folder; nil when there is
// none. What is wrong with it is in err of the Project, since a file of
// another user must not stop anybody.
func readProject(dir, home string, foreign func(fs.FileInfo) bool) (*Project, error) {
	file := projectFile(dir)
	folder := filepath.Dir(file)
	info, err := os.Lstat(folder)
	switch {
	case absent(err) || err == nil && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0:
		return nil, nil
	case err != nil:
		return nil, err
	}
	p := &Project{Dir: dir, File: file, foreign: foreign(info), doc: &document{file: file}}
	text, info, err := readProjectText(info, file)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		p.err = err
		return p, nil
	}
	sum := sha256.Sum256(text)
	p.SHA256, p.foreign = hex.EncodeToString(sum[:]), p.foreign || foreign(info)
	doc, err := parse(file, text)
	if err == nil {
		err = doc.layer.settle(origin{
			where: doc.where, dir: dir, home: home,
			prompts: map[string]string{"workspace": filepath.Join(folder, "prompts")},
		})
	}
	if err != nil {
		p.err = err
		return p, nil
	}
	p.doc = doc
	for _, e := range doc.entries {
		if e.value != "" {
			p.Settings = append(p.Settings, Setting{Key: e.key.String(), Line: e.line, Value: e.shown(), Needs: needOf(e.key)})
		}
	}
	return p, nil
}

// readProjectText reads the file below a .podium folder, whose description is
// given, and follows no link.
func readProjectText(folder fs.FileInfo, file string) ([]byte, fs.FileInfo, error) {
	if folder.Mode()&fs.ModeSymlink != 0 {
		if _, err := os.Lstat(file); err != nil {
			return nil, nil, err
		}
		return nil, nil, linked(filepath.Dir(file))
	}
	open := func() (*os.File, error) {
		return os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	}
	text, info, err := readRegular(open, maxProjectBytes)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return nil, nil, linked(file)
	case err != nil && !errors.As(err, new(*fs.PathError)):
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return text, info, err
}

func linked(path string) error {
	return fmt.Errorf("%s is a symbolic link; a project file has to lie in the project itself", path)
}

// shown is the value as a person may see it on one line.
func (e entry) shown() string {
	if e.key.String() == "studio.auth_token" {
		return redacted
	}
	return cut(e.value, 200)
}

// absent reports that there is no file, whichever part of the path is missing
// or is no folder.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// foreign reports that a file belongs neither to this user nor to root.
func foreign(info fs.FileInfo) bool {
	uid, ok := owner(info)
	return ok && uid != os.Geteuid() && uid != 0
}

func cut(s string, runes int) string {
	s = printable(strings.ReplaceAll(s, "\n", `\n`))
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return s
}

// free are the keys that an untrusted project file may set. A trailing dot
// covers what stands below.
var free = []string{"worker.instruction", "worker.tool_output.", "compaction.", "scope."}

// needOf is the one place that says what a project file may set.
func needOf(k key) Need {
	name := k.String()
	covers := func(prefix string) bool {
		return name == prefix || strings.HasSuffix(prefix, ".") && strings.HasPrefix(name, prefix)
	}
	switch {
	case strings.HasPrefix(name, "compaction.model."):
		return NeedTrust
	case slices.ContainsFunc(free, covers):
		return NeedNothing
	case slices.Contains([]string{"store", "stores", "studio", "import"}, k[0]):
		return NeedUser
	default:
		return NeedTrust
	}
}

// Weigh puts what trust would add to the user's scope under NeedTrust. user is
// the scope that holds in the project's folder without the project. Trust lets
// the project's rules replace the user's, so allow rules weigh that give more,
// and deny rules when some of the user's would go.
func (p *Project) Weigh(user Scope) {
	have := p.doc.layer.Scope
	for i, r := range rules(have.Allow) {
		if !user.allows(r) {
			p.needTrust(fmt.Sprintf("scope.allow[%d].", i))
		}
	}
	deny := rules(have.Deny)
	goes := func(r Rule) bool { return !slices.Contains(deny, r) }
	if have.Deny != nil && slices.ContainsFunc(user.Deny, goes) {
		p.needTrust("scope.deny")
	}
}

func (p *Project) needTrust(prefix string) {
	for i := range p.Settings {
		if strings.HasPrefix(p.Settings[i].Key, prefix) {
			p.Settings[i].Needs = NeedTrust
		}
	}
}

// say is the layer that the file contributes, the narrowing of the scope that
// comes instead of rules, and what had to be left out. Both layers are built
// from what is allowed, so a key that somebody adds is refused until it is
// named here.
func (p *Project) say() (l layer, within []ruleLayer, notices []Notice) {
	have := p.doc.layer
	switch {
	case p.Trusted:
		l = layer{Model: have.Model, Worker: have.Worker, Scope: have.Scope, Compaction: have.Compaction, Catalog: have.Catalog}
		notices = p.doc.withoutEffect()
	case p.foreign:
		return layer{}, nil, []Notice{{File: p.File, Text: "the file belongs to another user, so nothing of it is used; podium trust " + p.Dir + " changes that"}}
	default:
		l = layer{
			Worker:     workerLayer{Instruction: have.Worker.Instruction, ToolOutput: have.Worker.ToolOutput},
			Compaction: have.Compaction,
		}
		l.Compaction.Model = modelLayer{}
		within = have.Scope.Allow
	}
	for _, s := range p.Settings {
		switch {
		case s.Needs == NeedUser:
			notices = append(notices, Notice{p.File, s.Line, s.Key, "ignored: only your own configuration may set this"})
		case s.Needs == NeedTrust && !p.Trusted && p.stale:
			notices = append(notices, Notice{p.File, s.Line, s.Key, "ignored: the file changed since you trusted it; look at it again with podium trust " + p.Dir})
		case s.Needs == NeedTrust && !p.Trusted:
			notices = append(notices, Notice{p.File, s.Line, s.Key, "ignored: this project file is not trusted; podium trust " + p.Dir + " changes that"})
		}
	}
	return l, within, notices
}
