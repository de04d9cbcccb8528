package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Paths are the folders Podium lives in. None is created by looking it up.
type Paths struct {
	// Data holds the store, keyrings, the studio's token and artifacts.
	Data string
	// Config holds config.toml.
	Config string
	// Run holds one folder a pod, with its socket.
	Run string
}

// LocatePaths finds the folders: all below PODIUM_HOME when that is set, else
// the XDG places. Where XDG_RUNTIME_DIR is not set, Run is a folder per user
// below the temporary folder.
func LocatePaths(lookup func(string) (string, bool)) (Paths, error) {
	if home := value(lookup, "PODIUM_HOME"); home != "" {
		home, err := filepath.Abs(home)
		if err != nil {
			return Paths{}, fmt.Errorf("make PODIUM_HOME absolute: %w", err)
		}
		return Paths{Data: home, Config: home, Run: filepath.Join(home, "run")}, nil
	}
	data, err := xdgFolder(lookup, "XDG_DATA_HOME", ".local", "share")
	if err != nil {
		return Paths{}, err
	}
	conf, err := xdgFolder(lookup, "XDG_CONFIG_HOME", ".config")
	if err != nil {
		return Paths{}, err
	}
	p := Paths{Data: data, Config: conf}
	if run := value(lookup, "XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		p.Run = filepath.Join(run, "podium")
	} else {
		temp := value(lookup, "TMPDIR")
		if !filepath.IsAbs(temp) {
			temp = "/tmp"
		}
		p.Run = filepath.Join(temp, "podium-"+strconv.Itoa(os.Getuid()))
	}
	return p, nil
}

// xdgFolder is podium's folder in an XDG base folder. A relative base counts
// as unset, as the XDG specification has it.
func xdgFolder(lookup func(string) (string, bool), name string, fallback ...string) (string, error) {
	base := value(lookup, name)
	if !filepath.IsAbs(base) {
		home := value(lookup, "HOME")
		if !filepath.IsAbs(home) {
			return "", fmt.Errorf("find the folder for podium: neither %s nor HOME is an absolute path; set PODIUM_HOME to a folder", name)
		}
		base = filepath.Join(append([]string{home}, fallback...)...)
	}
	return filepath.Join(base, "podium"), nil
}

func value(lookup func(string) (string, bool), name string) string {
	v, _ := lookup(name)
	return v
}

// File is the user's configuration file.
func (p Paths) File() string { return filepath.Join(p.Config, "config.toml") }

// StateDB is the default store.
func (p Paths) StateDB() string { return filepath.Join(p.Data, "state.db") }

// Keyrings is the folder of the listing's signing keys.
func (p Paths) Keyrings() string { return filepath.Join(p.Data, "keyrings") }

// StudioToken is the file of the token that Studio makes for itself.
func (p Paths) StudioToken() string { return filepath.Join(p.Data, "studio.token") }

// Artifacts is the folder that runs leave files in.
func (p Paths) Artifacts() string { return filepath.Join(p.Data, "artifacts") }

// TrustFile records the project files that the user trusts.
func (p Paths) TrustFile() string { return filepath.Join(p.Data, "trust.json") }

// MakeRun makes the folder of the sockets and insists that nobody else can
// look into it: below the temporary folder somebody may have made it first.
func (p Paths) MakeRun() error {
	if err := MakeDir(p.Run); err != nil {
		return err
	}
	return p.CheckRun()
}

// CheckRun is what MakeRun insists on, of a folder that is there.
func (p Paths) CheckRun() error {
	if err := CheckDir(p.Run); err != nil {
		return err
	}
	info, err := os.Lstat(p.Run)
	if err != nil {
		return fmt.Errorf("check the folder for sockets: %w", err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("check the folder for sockets: %s is a symbolic link; remove it or set PODIUM_HOME", p.Run)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("check the folder for sockets: %s has mode %04o, so other users could reach the pods; chmod 700 it or set PODIUM_HOME", p.Run, perm)
	}
	return nil
}

// MakeDir makes a folder (and what is missing above it) with mode 0700. One
// that exists must be a folder of this user that nobody else can write to.
func MakeDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return cannotMake(path, err)
	}
	return CheckDir(path)
}

// cannotMake says why a folder cannot be made, and what to do.
func cannotMake(path string, err error) error {
	next := "set PODIUM_HOME to a folder that you can write to"
	var at *fs.PathError
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("make folder %s: something on the way is a file; move it away or %s", path, next)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		next = "free some space or " + next
	}
	if errors.As(err, &at) && at.Path == path {
		err = at.Err
	}
	return fmt.Errorf("make folder %s: %w; %s", path, err, next)
}

// TryDir is MakeDir for somebody who only asks: what is there is checked, and
// of what is missing the first folder is made and removed again.
func TryDir(path string) error {
	if err := CheckDir(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above := filepath.Dir(path)
	for {
		_, err := os.Stat(above)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || above == filepath.Dir(above) {
			return cannotMake(path, err)
		}
		above = filepath.Dir(above)
	}
	probe, err := os.MkdirTemp(above, ".podium-*")
	if err == nil {
		err = os.Remove(probe)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = fmt.Errorf("in %s: %w", above, at.Err) // nobody knows the name of the probe
	}
	if err != nil {
		return cannotMake(path, err)
	}
	return nil
}

// CheckDir is what MakeDir insists on, of a folder that is there; the error is
// fs.ErrNotExist when it is not.
func CheckDir(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("check folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("check folder: %s is not a folder; move it away or set PODIUM_HOME", path)
	}
	if uid, ok := owner(info); ok && uid != os.Geteuid() {
		return fmt.Errorf("check folder: %s belongs to user %d, not to you (%d); set PODIUM_HOME to a folder of yours", path, uid, os.Geteuid())
	}
	if perm := info.Mode().Perm(); perm&0o022 != 0 {
		return fmt.Errorf("check folder: %s has mode %04o, so other users could change what is in it; chmod go-w it or set PODIUM_HOME", path, perm)
	}
	return nil
}

// owner is the user a file belongs to, where the platform says.
func owner(info fs.FileInfo) (int, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
