package listing

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of a keyring.
const (
	maxKeyID = 32
	// maxKeys is more than one key a quarter of an hour for a day.
	maxKeys        = 100
	secretBytes    = 32
	keyringVersion = 1
)

// Keys are the signing keys of one moment. Active signs; all that are not
// retired verify. They do not change.
type Keys struct {
	active string
	keys   map[string]key
}

// key is one signing key.
type key struct {
	secret  []byte
	created time.Time
	// retire is when the key stops verifying; zero for the active one.
	retire time.Time
}

// retired reports whether the key's time is over.
func (k key) retired(now time.Time) bool { return !k.retire.IsZero() && !now.Before(k.retire) }

// KeyInfo is what may be shown of a key.
type KeyInfo struct {
	ID        string
	Active    bool
	CreatedAt time.Time
	// RetiresAt is when the key stops verifying; zero for the active one.
	RetiresAt time.Time
}

// Infos describes the keys, newest first.
func (k *Keys) Infos() []KeyInfo {
	infos := make([]KeyInfo, 0, len(k.keys))
	for id, key := range k.keys {
		infos = append(infos, KeyInfo{ID: id, Active: id == k.active, CreatedAt: key.created, RetiresAt: key.retire})
	}
	slices.SortFunc(infos, func(a, b KeyInfo) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		if a.Active != b.Active {
			return b2i(b.Active) - b2i(a.Active)
		}
		return slices.Compare([]byte(a.ID), []byte(b.ID))
	})
	return infos
}

// newKeys is a keyring with one key.
func newKeys(now time.Time) *Keys {
	k := &Keys{keys: map[string]key{}}
	k.add(now)
	return k
}

// add makes a new active key.
func (k *Keys) add(now time.Time) {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails
	for {
		var id [6]byte
		rand.Read(id[:])
		k.active = hex.EncodeToString(id[:])
		if _, taken := k.keys[k.active]; !taken {
			break
		}
	}
	k.keys[k.active] = key{secret: secret, created: now.Truncate(time.Second)}
}

// clone copies the keys that are not retired.
func (k *Keys) clone(now time.Time) *Keys {
	keys := maps.Clone(k.keys)
	maps.DeleteFunc(keys, func(_ string, key key) bool { return key.retired(now) })
	return &Keys{active: k.active, keys: keys}
}

// rotated has a new active key; the one before it verifies for keep more.
func (k *Keys) rotated(now time.Time, keep time.Duration) *Keys {
	out := k.clone(now)
	old := out.keys[k.active]
	// Whole seconds are stored: a cursor of this second must not outlive its key.
	old.retire = now.Add(keep + time.Second).Truncate(time.Second)
	out.keys[k.active] = old
	out.add(now)
	return out
}

// ErrUnknownKey means that there is no such key to revoke.
var ErrUnknownKey = errors.New("no such key")

// revoked lacks a key; a new one becomes active in place of an active one.
func (k *Keys) revoked(id string, now time.Time) (*Keys, error) {
	if _, ok := k.keys[id]; !ok {
		return nil, ErrUnknownKey
	}
	out := k.clone(now)
	delete(out.keys, id)
	if id == k.active {
		out.add(now)
	}
	return out, nil
}

// validKeyID reports whether text has the form of a key id.
func validKeyID(text string) bool {
	if text == "" || len(text) > maxKeyID {
		return false
	}
	for _, c := range []byte(text) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// keyringJSON is the file's content.
type keyringJSON struct {
	Version int       `json:"version"`
	Active  string    `json:"active"`
	Keys    []keyFile `json:"keys"`
}

type keyFile struct {
	ID        string `json:"id"`
	Secret    string `json:"secret"`
	CreatedAt int64  `json:"created_at"`
	RetireAt  *int64 `json:"retire_at"`
}

// encode writes the file's content, oldest key first.
func (k *Keys) encode() []byte {
	file := keyringJSON{Version: keyringVersion, Active: k.active}
	infos := k.Infos()
	slices.Reverse(infos)
	for _, info := range infos {
		key := k.keys[info.ID]
		out := keyFile{ID: info.ID, Secret: base64.RawURLEncoding.EncodeToString(key.secret), CreatedAt: key.created.Unix()}
		if !key.retire.IsZero() {
			at := key.retire.Unix()
			out.RetireAt = &at
		}
		file.Keys = append(file.Keys, out)
	}
	text, err := json.Marshal(file, jsontext.WithIndent("  "))
	if err != nil {
		panic("listing: a keyring has no JSON form: " + err.Error())
	}
	return append(text, '\n')
}

// parseKeys reads a keyring file. Its errors show nothing of its content.
func parseKeys(text []byte) (*Keys, error) {
	var file keyringJSON
	if err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, &damage{"it is not a keyring of this program"}
	}
	if file.Version > keyringVersion {
		return nil, fmt.Errorf("its version is %d and this program reads %d; use the podium that made it, or move it away", file.Version, keyringVersion)
	}
	if file.Version != keyringVersion {
		return nil, &damage{fmt.Sprintf("its version is %d", file.Version)}
	}
	if n := len(file.Keys); n == 0 || n > maxKeys {
		return nil, &damage{fmt.Sprintf("it has %d keys, not 1 to %d", n, maxKeys)}
	}
	k := &Keys{active: file.Active, keys: make(map[string]key, len(file.Keys))}
	for i, f := range file.Keys {
		secret, err := decode64(f.Secret)
		switch {
		case !validKeyID(f.ID):
			return nil, &damage{fmt.Sprintf("key %d has no valid id", i+1)}
		case k.keys[f.ID].secret != nil:
			return nil, &damage{fmt.Sprintf("key %d has the id of another", i+1)}
		case err != nil || len(secret) != secretBytes:
			return nil, &damage{fmt.Sprintf("key %d has no secret of %d bytes", i+1, secretBytes)}
		case f.CreatedAt < 0 || f.CreatedAt > maxUnix || f.RetireAt != nil && (*f.RetireAt < 0 || *f.RetireAt > maxUnix):
			return nil, &damage{fmt.Sprintf("key %d has a time out of range", i+1)}
		case (f.RetireAt == nil) != (f.ID == file.Active):
			return nil, &damage{fmt.Sprintf("key %d is active and retires, or neither", i+1)}
		}
		key := key{secret: secret, created: time.Unix(f.CreatedAt, 0)}
		if f.RetireAt != nil {
			key.retire = time.Unix(*f.RetireAt, 0)
		}
		k.keys[f.ID] = key
	}
	if k.keys[k.active].secret == nil {
		return nil, &damage{"its active key is not among its keys"}
	}
	return k, nil
}
