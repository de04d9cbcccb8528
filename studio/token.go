package studio

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// tokenPath is the route that trades a one-time code for the token.
const tokenPath = "/api/token"

// codeLife is how long a one-time code is good for.
const codeLife = 60 * time.Second

// tokenForm is what a token file may hold.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{32,128}$`)

// Token reads the bearer token of this installation from path and makes one
// when there is none. The file is readable by its owner only; a file that
// others could read, or that is not a plain file, is refused.
func Token(path string) (string, error) {
	token, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("making the folder of the studio token: %w", err)
	}
	// Written beside and linked into place: a reader never sees half a token, and
	// the loser of a race reads the winner's.
	temp, err := os.CreateTemp(filepath.Dir(path), ".studio.token-*")
	if err != nil {
		return "", fmt.Errorf("making the studio token: %w", err)
	}
	defer os.Remove(temp.Name())
	token = randomText(32)
	_, err = io.WriteString(temp, token+"\n")
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return "", fmt.Errorf("making the studio token: %w", err)
	}
	if err := os.Link(temp.Name(), path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return readToken(path)
		}
		return "", fmt.Errorf("making the studio token: %w", err)
	}
	return token, nil
}

func readToken(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("reading the studio token: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("reading the studio token: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("reading the studio token: %s is not a plain file; remove it and start studio again", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("reading the studio token: others may read %s; run chmod 600 on it, or remove it to get a new token", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, 256))
	if err != nil {
		return "", fmt.Errorf("reading the studio token: %w", err)
	}
	token := trimBlank(string(text))
	if !tokenForm.MatchString(token) {
		return "", fmt.Errorf("reading the studio token: %s does not hold a token; remove it to get a new one", path)
	}
	return token, nil
}

// randomText is n random bytes in base64url.
func randomText(n int) string {
	raw := make([]byte, n)
	rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

// codes holds the one-time codes that were given out and are still good. A
// handful at most: each is printed for a person.
type codes struct {
	mu  sync.Mutex
	out []code
}

type code struct {
	text  string
	until time.Time
}

// maxCodes is how many codes may be open at once; the oldest goes first.
const maxCodes = 16

func (c *codes) issue(now time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep(now)
	if len(c.out) == maxCodes {
		c.out = c.out[1:]
	}
	text := randomText(24)
	c.out = append(c.out, code{text, now.Add(codeLife)})
	return text
}

// redeem takes a code back; it is good once.
func (c *codes) redeem(text string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep(now)
	for i := range c.out {
		if subtle.ConstantTimeCompare([]byte(c.out[i].text), []byte(text)) == 1 {
			c.out = append(c.out[:i], c.out[i+1:]...)
			return true
		}
	}
	return false
}

func (c *codes) sweep(now time.Time) {
	kept := c.out[:0]
	for _, one := range c.out {
		if now.Before(one.until) {
			kept = append(kept, one)
		}
	}
	c.out = kept
}

// Code makes a one-time code that a page can trade for the token within 60
// seconds.
func (s *Server) Code() string { return s.codes.issue(s.now()) }

// tokenRequest is the body of the code exchange.
type tokenRequest struct {
	Code string `json:"code" doc:"The one-time code that podium studio printed."`
}

// tokenResponse is the token that the page keeps in memory.
type tokenResponse struct {
	Token string `json:"token"`
}

// exchangeCode answers POST /api/token.
func (s *Server) exchangeCode(r *request) (any, error) {
	body, err := r.bodyObject()
	if err != nil {
		return nil, err
	}
	text, err := body.requiredText("code")
	if err != nil {
		return nil, err
	}
	if !s.codes.redeem(text, s.now()) {
		return nil, &problem{status: http.StatusUnauthorized, detail: "Unauthorized"}
	}
	r.header().Set("Cache-Control", "no-store")
	token := s.cfg.Token
	if token == "" {
		token = s.cfg.LocalToken
	}
	return tokenResponse{Token: token}, nil
}
