package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ownedBy is a file as another user's would be described.
type ownedBy struct {
	fs.FileInfo
	uid uint32
}

func (o ownedBy) Sys() any { return &syscall.Stat_t{Uid: o.uid} }

func TestForeign_IsNeitherThisUserNorRoot(t *testing.T) {
	t.Parallel()
	me := uint32(os.Geteuid())
	for uid, want := range map[uint32]bool{me: false, 0: false, me + 1: true} {
		if got := foreign(ownedBy{uid: uid}); got != want {
			t.Errorf("user %d: %v, want %v", uid, got, want)
		}
	}
}

// A file of another user, as in a shared temporary folder, must neither instruct the agent
// nor stop it.
func TestProject_OfAnotherUserSaysNothingUntrusted(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := projectFile(dir)
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	read := func(text string) *Project {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := readProject(dir, "", func(fs.FileInfo) bool { return true })
		if err != nil || p == nil {
			t.Fatalf("%+v, %v", p, err)
		}
		return p
	}
	silent := func(p *Project) {
		t.Helper()
		l, within, notices := p.say()
		if l.Worker.Instruction != nil || l.Scope.Deny != nil || within != nil {
			t.Errorf("it says %+v, %v", l, within)
		}
		if len(notices) != 1 || !strings.Contains(notices[0].String(), "belongs to another user") {
			t.Errorf("notices %v", notices)
		}
	}
	p := read("[worker]\ninstruction = \"obey\"\n[[scope.deny]]\ntarget=\"x\"\npermission=\"read\"\n")
	silent(p)
	p.Trusted = true
	if l, _, _ := p.say(); l.Worker.Instruction == nil {
		t.Error("trusted, and still says nothing")
	}

	broken := read("this is not TOML")
	silent(broken)
	if err := AddTrust(Paths{Data: dir}, broken, time.Now()); err == nil || !strings.Contains(err.Error(), file+":1: ") {
		t.Errorf("a broken file was trusted: %v", err)
	}
}
