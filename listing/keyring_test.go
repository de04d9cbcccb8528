package listing_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"podium.local/listing"
)

func TestKeyring_IsTheUsersOwnFileWithOneKey(t *testing.T) {
	k := newKeyring(t)
	info, err := os.Stat(k.Path())
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("%v %v", info.Mode(), err)
	}
	keys, err := k.Keys()
	if err != nil {
		t.Fatal(err)
	}
	infos := keys.Infos()
	if len(infos) != 1 || !infos[0].Active || !infos[0].RetiresAt.IsZero() || !infos[0].CreatedAt.Equal(start) {
		t.Errorf("%+v", infos)
	}
	if created, err := k.Ensure(start.Add(time.Minute)); created || err != nil {
		t.Errorf("made again: %v %v", created, err)
	}
}

func TestKeyring_ManyMakersOneKeyring(t *testing.T) {
	path := filepath.Join(t.TempDir(), "local.json")
	var wg sync.WaitGroup
	made := make(chan bool, 20)
	for range 20 {
		wg.Go(func() {
			created, err := listing.NewKeyring(path, listing.DefaultPolicy()).Ensure(start)
			if err != nil {
				t.Error(err)
			}
			made <- created
		})
	}
	wg.Wait()
	close(made)
	n := 0
	for created := range made {
		if created {
			n++
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || n != 1 || len(entries) != 1 {
		t.Errorf("%d made it, %d files, %v", n, len(entries), err)
	}
}

func TestKeyring_RotationKeepsTheOldKeyForAChain(t *testing.T) {
	k := newKeyring(t)
	text := listing.Seal(t, k, listing.Recent, listing.Key{Time: listing.Float(1), ID: "s"}, start)
	keys, err := k.Rotate(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	infos := keys.Infos()
	if len(infos) != 2 || !infos[0].Active || infos[1].Active {
		t.Fatalf("%+v", infos)
	}
	if until := infos[1].RetiresAt.Sub(start); until < 24*time.Hour+5*time.Minute || until > 24*time.Hour+6*time.Minute {
		t.Errorf("the old key verifies for %s", until)
	}
	if _, _, err := listing.Unseal(t, k, text, start.Add(24*time.Hour)); err != nil {
		t.Errorf("signed before the rotation: %v", err)
	}
	fresh := listing.Seal(t, k, listing.Recent, listing.Key{Time: listing.Float(1), ID: "s"}, start)
	if strings.Split(fresh, ".")[1] != infos[0].ID {
		t.Error("the new key does not sign")
	}
	retired := start.Add(25 * time.Hour)
	if _, _, err := listing.Unseal(t, k, text, retired); listing.CodeOf(err) != listing.CursorRestart {
		t.Errorf("signed with a retired key: %v", err)
	}
	if keys, err = k.Rotate(t.Context(), retired); err != nil || len(keys.Infos()) != 2 {
		t.Errorf("%d keys after the first retired, %v", len(keys.Infos()), err)
	}
}

func TestKeyring_RotateMakesOneThatIsMissing(t *testing.T) {
	k := listing.NewKeyring(filepath.Join(t.TempDir(), "local.json"), listing.DefaultPolicy())
	keys, err := k.Rotate(t.Context(), start)
	if err != nil || len(keys.Infos()) != 1 {
		t.Errorf("%v", err)
	}
}

func TestKeyring_RevokingEndsAKeyAtOnce(t *testing.T) {
	k := newKeyring(t)
	text := listing.Seal(t, k, listing.Recent, listing.Key{Time: listing.Float(1), ID: "s"}, start)
	id := strings.Split(text, ".")[1]
	if _, err := k.Revoke(t.Context(), "nosuchkey", start); err == nil || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("an unknown key: %v", err)
	}
	keys, err := k.Revoke(t.Context(), id, start)
	if err != nil || len(keys.Infos()) != 1 || keys.Infos()[0].ID == id || !keys.Infos()[0].Active {
		t.Fatalf("revoking the active key leaves %+v, %v", keys.Infos(), err)
	}
	if _, _, err := listing.Unseal(t, k, text, start); listing.CodeOf(err) != listing.CursorRestart {
		t.Errorf("signed with a revoked key: %v", err)
	}
}

func TestKeyring_ChangesOfOthersAreSeenByTheNextRequest(t *testing.T) {
	k := newKeyring(t)
	first, err := k.Keys()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := k.Keys(); again != first {
		t.Error("an unchanged file was read again")
	}
	other := listing.NewKeyring(k.Path(), listing.DefaultPolicy())
	for n := 2; n < 30; n++ {
		if _, err := other.Rotate(t.Context(), start); err != nil {
			t.Fatal(err)
		}
		if now, err := k.Keys(); err != nil || len(now.Infos()) != n {
			t.Fatalf("after rotation %d: %v", n-1, err)
		}
	}
	if err := os.Remove(k.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Keys(); listing.CodeOf(err) != listing.NotReady || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed keyring: %v", err)
	}
}

func TestKeyring_ConcurrentRotationsLoseNone(t *testing.T) {
	k := newKeyring(t)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, err := listing.NewKeyring(k.Path(), listing.DefaultPolicy()).Rotate(t.Context(), start); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if keys, err := k.Keys(); err != nil || len(keys.Infos()) != 11 {
		t.Errorf("%v", err)
	}
}

func TestKeyring_AnUnsafeFileIsRefused(t *testing.T) {
	write := func(t *testing.T, path string, text []byte, mode fs.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, text, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	good, err := os.ReadFile(newKeyring(t).Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, want string
		make       func(t *testing.T, path string)
	}{
		{"missing", "no such file", func(*testing.T, string) {}},
		{"readable by the group", "other users can read it (mode 0640)", func(t *testing.T, path string) { write(t, path, good, 0o640) }},
		{"readable by all", "other users can read it (mode 0604)", func(t *testing.T, path string) { write(t, path, good, 0o604) }},
		{"a link", "symbolic link", func(t *testing.T, path string) {
			write(t, path+".real", good, 0o600)
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
		}},
		{"a folder", "not a regular file", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"too large", "too large", func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte(" "), 70_000), 0o600) }},
		{"empty", "not a keyring", func(t *testing.T, path string) { write(t, path, nil, 0o600) }},
		{"other content", "not a keyring", func(t *testing.T, path string) { write(t, path, []byte("{}{}"), 0o600) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "local.json")
			tt.make(t, path)
			k := listing.NewKeyring(path, listing.DefaultPolicy())
			for range 2 { // also when it was refused before
				_, err := k.Keys()
				if listing.CodeOf(err) != listing.NotReady || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %s", err, tt.want)
				}
			}
			if tt.name == "missing" {
				return
			}
			if _, err := k.Rotate(t.Context(), start); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("rotating: %v", err)
			}
		})
	}
}

func TestKeyring_OnlyADamagedOneIsRenewedAndItsFileIsKept(t *testing.T) {
	good, err := os.ReadFile(newKeyring(t).Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, text string
		mode       fs.FileMode
		renewed    bool
	}{
		{"sound", string(good), 0o600, false},
		{"cut", `{"version":1`, 0o600, true},
		{"empty", "", 0o600, true},
		{"without a version", `{"active":"a","keys":[]}`, 0o600, true},
		{"of a newer program", strings.Replace(string(good), `"version": 1`, `"version": 2`, 1), 0o600, false},
		{"readable by all", string(good), 0o644, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "local.json")
			k := listing.NewKeyring(path, listing.DefaultPolicy())
			for n := range 2 { // the second file of one second has a name too
				if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, tt.mode); err != nil {
					t.Fatal(err)
				}
				_, broken := k.Keys()
				if errors.Is(broken, listing.ErrDamaged) != tt.renewed {
					t.Errorf("it is refused with %v", broken)
				}
				keys, aside, err := k.Renew(t.Context(), start)
				if !tt.renewed {
					if now, _ := os.ReadFile(path); aside != "" || string(now) != tt.text {
						t.Fatalf("renewed: %v", err)
					}
					continue
				}
				if want := path + ".damaged-" + start.UTC().Format("20060102T150405Z"); err != nil || aside != want+[]string{"", "-2"}[n] {
					t.Fatalf("kept as %q, %v", aside, err)
				}
				info, err := os.Stat(aside)
				kept, _ := os.ReadFile(aside)
				if err != nil || info.Mode() != 0o600 || string(kept) != tt.text {
					t.Errorf("%v %v holds %q", info.Mode(), err, kept)
				}
				if now, err := k.Keys(); err != nil || len(now.Infos()) != 1 || now.Infos()[0].ID != keys.Infos()[0].ID {
					t.Errorf("afterwards: %v", err)
				}
			}
		})
	}
}

func TestKeyring_ContentOutOfItsSchemaIsRefused(t *testing.T) {
	const secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	const good = `{"version":1,"active":"b","keys":[{"id":"a","secret":"` + secret + `","created_at":1,"retire_at":2},{"id":"b","secret":"` + secret + `","created_at":3,"retire_at":null}]}`
	if _, err := listing.RewriteKeys([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"duplicate member":   {`"version":1`, `"version":1,"version":1`},
		"unknown member":     {`"version":1`, `"version":1,"note":""`},
		"other version":      {`"version":1`, `"version":2`},
		"active not there":   {`"active":"b"`, `"active":"c"`},
		"active retires":     {`"created_at":3,"retire_at":null`, `"created_at":3,"retire_at":4`},
		"two without an end": {`"created_at":1,"retire_at":2`, `"created_at":1,"retire_at":null`},
		"same id twice":      {`"id":"a"`, `"id":"b"`},
		"bad id":             {`"id":"a"`, `"id":"a.b"`},
		"short secret":       {secret, secret[:40]},
		"padded secret":      {secret, secret + "="},
		"negative time":      {`"created_at":1`, `"created_at":-1`},
		"no keys":            {good[strings.Index(good, "[")+1 : len(good)-2], ""},
	} {
		bent := strings.Replace(good, change[0], change[1], 1)
		_, err := listing.RewriteKeys([]byte(bent))
		if bent == good || err == nil {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), secret[:20]) {
			t.Errorf("%s: the error shows a secret", name)
		}
	}
}

func FuzzParseKeyring(f *testing.F) {
	k := newKeyring(f)
	if _, err := k.Rotate(f.Context(), start); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(k.Path())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version":1,"active":"","keys":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := listing.RewriteKeys(text)
		if err != nil {
			return
		}
		twice, err := listing.RewriteKeys(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s\nreads as %s, %v", once, twice, err)
		}
	})
}
