package studio_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"podium.local/studio"
)

func TestToken_IsMadeOnceAndReadByItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "studio.token")
	var wg sync.WaitGroup
	tokens := make(chan string, 8)
	for range cap(tokens) {
		wg.Go(func() {
			token, err := studio.Token(path)
			if err != nil {
				t.Error(err)
			}
			tokens <- token
		})
	}
	wg.Wait()
	close(tokens)
	first := <-tokens
	for token := range tokens {
		if token != first || len(token) < 32 {
			t.Errorf("two tokens for one file: %q and %q", first, token)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if hidden, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".studio.token-*")); err != nil || len(hidden) != 0 {
		t.Errorf("left behind: %v", hidden)
	}
}

func TestToken_AFileThatIsNotSafeIsRefused(t *testing.T) {
	good := strings.Repeat("a", 43) + "\n"
	tests := []struct {
		name, want string
		make       func(path string) error
	}{
		{"others may read it", "chmod 600", func(p string) error { return os.WriteFile(p, []byte(good), 0o644) }},
		{"it holds something else", "does not hold a token", func(p string) error { return os.WriteFile(p, []byte("hello"), 0o600) }},
		{"it is empty", "does not hold a token", func(p string) error { return os.WriteFile(p, nil, 0o600) }},
		{"it is a folder", "not a plain file", func(p string) error { return os.Mkdir(p, 0o700) }},
		{"it is a FIFO", "not a plain file", func(p string) error { return syscall.Mkfifo(p, 0o600) }},
		{"it is a link", "reading the studio token", func(p string) error {
			if err := os.WriteFile(p+".real", []byte(good), 0o600); err != nil {
				return err
			}
			return os.Symlink(p+".real", p)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "studio.token")
			if err := tt.make(path); err != nil {
				t.Fatal(err)
			}
			token, err := studio.Token(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "aaaa") {
				t.Errorf("%q %v", token, err)
			}
		})
	}
}
