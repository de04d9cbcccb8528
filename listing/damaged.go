package listing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrDamaged means that a keyring's file is there and can sign nothing: its
// content is none that this program wrote, or others could read it. Renew
// makes another in its place.
var ErrDamaged = errors.New("the keyring is damaged")

// damage says what is wrong with a damaged file.
type damage struct{ text string }

func (d *damage) Error() string        { return d.text }
func (d *damage) Is(target error) bool { return target == ErrDamaged }

// asideLayout is the time in the name of a file that was moved aside, in UTC.
const asideLayout = "20060102T150405Z"

// Renew moves a damaged keyring aside, as PATH.damaged-TIME with mode 0600, and
// makes a new one: no cursor that was signed before verifies any more. A
// keyring that is sound stays, and aside is empty then.
func (k *Keyring) Renew(ctx context.Context, now time.Time) (keys *Keys, aside string, err error) {
	defer func() { err = k.explain("renew", err) }()
	unlock, err := k.lock(ctx)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	// Another process may have renewed it meanwhile.
	keys, _, err = k.read()
	if err == nil || !errors.Is(err, ErrDamaged) {
		return keys, "", err
	}
	temp, err := k.writeTemp(newKeys(now))
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, removeTemp(temp)) }()
	if aside, err = freeName(k.path + ".damaged-" + now.UTC().Format(asideLayout)); err != nil {
		return nil, "", err
	}
	if err := os.Rename(k.path, aside); err != nil {
		return nil, "", err
	}
	if err := os.Chmod(aside, 0o600); err != nil {
		return nil, aside, err
	}
	// A link fails where a rename would replace what a daemon just made.
	if err := os.Link(temp, k.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, aside, err
	}
	if err := syncFolder(k.path); err != nil {
		return nil, aside, err
	}
	keys, _, err = k.read()
	return keys, aside, err
}

// freeName is name, or name with a number when a file has it already.
func freeName(name string) (string, error) {
	free := name
	for n := 2; ; n++ {
		switch _, err := os.Lstat(free); {
		case errors.Is(err, fs.ErrNotExist):
			return free, nil
		case err != nil:
			return "", err
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}
