package pod

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"podium.local/session"
)

// Found is what a pod's folder tells about it.
type Found struct {
	Name string
	// Dir is the pod's folder, Socket the path clients connect to.
	Dir, Socket string
	// Held says that a process holds the name: the pod lives, or is starting or
	// ending.
	Held bool
	// PID is the process that last wrote its number, 0 after an orderly end.
	PID int
	// SessionID and State are from status.json, empty when there is none. The
	// store is the authority.
	SessionID string
	State     string
}

// Find looks for one pod by its name; ok is false when it has no folder.
func Find(runDir, name string) (f Found, ok bool, err error) {
	if err := CheckName(name); err != nil {
		return Found{}, false, err
	}
	f, ok = look(runDir, name)
	return f, ok, nil
}

func look(runDir, name string) (Found, bool) {
	dir := filepath.Join(runDir, name)
	f := Found{Name: name, Dir: dir, Socket: filepath.Join(dir, socketFile), Held: held(dir)}
	known := f.Held
	if b, err := os.ReadFile(filepath.Join(dir, statusFile)); err == nil {
		var s savedStatus
		if json.Unmarshal(b, &s) == nil {
			f.SessionID, f.State, known = s.SessionID, s.State, true
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, pidFile)); err == nil {
		f.PID, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		known = true
	}
	return f, known
}

// held reports whether somebody holds the folder's lock. The only way to see
// that is to try a shared lock for a moment, which a pod that starts just then
// waits out.
func held(dir string) bool {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	defer l.Close()
	ok, err := l.TryRLock()
	return err == nil && !ok
}

// Process identifies the process that holds the name. The number alone could be
// another's by now: whoever wrote it had started before.
func (f Found) Process() (session.Process, error) {
	if !f.Held || f.PID == 0 {
		return session.Process{}, fmt.Errorf("no process holds pod %s", f.Name)
	}
	written, err := os.Stat(filepath.Join(f.Dir, pidFile))
	if err != nil {
		return session.Process{}, fmt.Errorf("look which process holds pod %s: %w", f.Name, err)
	}
	p, err := identify(f.PID)
	if err != nil {
		return session.Process{}, err
	}
	if p.CreateTime > session.UnixSeconds(written.ModTime())+sameStart {
		return session.Process{}, fmt.Errorf("process %d began after pod %s wrote its number", f.PID, f.Name)
	}
	return p, nil
}
