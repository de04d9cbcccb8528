package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Trust is one record: the user trusts this content of the project file in
// this folder. Other content in the same folder, and the same content in
// another folder, are not covered.
type Trust struct {
	Dir       string    `json:"dir"`
	SHA256    string    `json:"sha256"`
	TrustedAt time.Time `json:"trusted_at"`
}

// trustFile is the form on disk.
type trustFile struct {
	Version int     `json:"version"`
	Trusted []Trust `json:"trusted"`
}

const (
	trustVersion  = 1
	maxTrustBytes = 4 << 20
)

// Trusted lists what the user trusts, oldest first.
func Trusted(paths Paths) ([]Trust, error) {
	file := paths.TrustFile()
	open := func() (*os.File, error) {
		return os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	}
	text, info, err := readRegular(open, maxTrustBytes)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read trust record %s: %w", file, err)
	}
	if uid, ok := owner(info); ok && uid != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("read trust record: %s can be changed by others; look at what is in it, then chown it to yourself and chmod 600 it", file)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var f trustFile
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("read trust record %s: %w; remove the file and trust your projects again", file, err)
	}
	if f.Version != trustVersion {
		return nil, fmt.Errorf("read trust record %s: it has version %d, this podium reads %d; use a podium of the same age or remove the file and trust your projects again", file, f.Version, trustVersion)
	}
	return f.Trusted, nil
}

// lookUpTrust compares the file that was found with the record.
func (p *Project) lookUpTrust(paths Paths) error {
	all, err := Trusted(paths)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.Dir == p.Dir {
			p.Trusted = p.Trusted || t.SHA256 == p.SHA256
			p.stale = true
		}
	}
	p.stale = p.stale && !p.Trusted
	return nil
}

// AddTrust records that the user trusts p: the content that was read, whatever
// the file holds by now.
func AddTrust(paths Paths, p *Project, now time.Time) error {
	if p.err != nil {
		return fmt.Errorf("trust %s: %w", p.Dir, p.err)
	}
	return changeTrust(paths, func(all []Trust) []Trust {
		have := func(t Trust) bool { return t.Dir == p.Dir && t.SHA256 == p.SHA256 }
		if slices.ContainsFunc(all, have) {
			return all
		}
		return append(all, Trust{Dir: p.Dir, SHA256: p.SHA256, TrustedAt: now.UTC().Truncate(time.Second)})
	})
}

// RevokeTrust forgets every record of a folder and returns how many there
// were. The folder need not exist any more.
func RevokeTrust(paths Paths, dir string) (int, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return 0, fmt.Errorf("revoke trust: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	removed := 0
	err = changeTrust(paths, func(all []Trust) []Trust {
		kept := slices.DeleteFunc(slices.Clone(all), func(t Trust) bool { return t.Dir == dir })
		removed = len(all) - len(kept)
		return kept
	})
	return removed, err
}

// changeTrust rewrites the record under a lock, so that two commands do not
// lose each other's change.
func changeTrust(paths Paths, change func([]Trust) []Trust) error {
	if err := MakeDir(paths.Data); err != nil {
		return fmt.Errorf("record trust: %w", err)
	}
	lock := flock.New(paths.TrustFile()+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("record trust: lock %s: %w", lock.Path(), err)
	}
	defer lock.Close()
	have, err := Trusted(paths)
	if err != nil {
		return err
	}
	want := change(have)
	if slices.Equal(have, want) {
		return nil
	}
	text, err := json.MarshalIndent(trustFile{Version: trustVersion, Trusted: want}, "", "  ")
	if err != nil {
		return fmt.Errorf("record trust: %w", err)
	}
	if err := writeFile(paths.TrustFile(), append(text, '\n')); err != nil {
		return fmt.Errorf("record trust: %w", err)
	}
	return nil
}

// writeFile replaces a file so that a reader, or a crash, sees the old content
// or the new one whole. Mode 0600.
func writeFile(path string, text []byte) (err error) {
	dir, base := filepath.Split(path)
	f, err := os.CreateTemp(dir, "."+strings.TrimPrefix(base, ".")+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreAbsent(os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
