package listing

import (
	"encoding/base64"
	"testing"
	"time"
)

// Signer signs payloads of a test's own making with a keyring's active key.
func Signer(t testing.TB, k *Keyring) func(payload string) string {
	t.Helper()
	keys, err := k.Keys()
	if err != nil {
		t.Fatal(err)
	}
	return func(payload string) string {
		signed := cursorPrefix + "." + keys.active + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
		return signed + "." + base64.RawURLEncoding.EncodeToString(macOf(keys.keys[keys.active].secret, signed))
	}
}

// Seal signs a cursor bound to nothing in particular.
func Seal(t testing.TB, k *Keyring, o Order, key Key, issued time.Time) string {
	t.Helper()
	keys, err := k.Keys()
	if err != nil {
		t.Fatal(err)
	}
	return keys.seal(cursor{endpoint: Runs, row: 1, comparison: 1, eligibility: 1, fingerprint: "f", order: o, key: key,
		store: "local", incarnation: "i", scope: scope, issued: issued, expires: issued.Add(24 * time.Hour)})
}

// Unseal reads a cursor back.
func Unseal(t testing.TB, k *Keyring, text string, now time.Time) (Order, Key, error) {
	t.Helper()
	keys, err := k.Keys()
	if err != nil {
		t.Fatal(err)
	}
	tok, err := parseToken(text)
	if err != nil {
		return "", Key{}, err
	}
	c, err := keys.open(tok, now)
	return c.order, c.key, err
}

// ParseCursor is how far a cursor gets without a key: the text it stands for.
func ParseCursor(text string) (string, error) {
	t, err := parseToken(text)
	return t.signed + "." + base64.RawURLEncoding.EncodeToString(t.mac), err
}

// RewritePayload reads a payload and writes it again.
func RewritePayload(text []byte) ([]byte, error) {
	c, err := parsePayload(text)
	if err != nil {
		return nil, err
	}
	return c.payload(), nil
}

// RewriteKeys reads a keyring's content and writes it again.
func RewriteKeys(text []byte) ([]byte, error) {
	k, err := parseKeys(text)
	if err != nil {
		return nil, err
	}
	return k.encode(), nil
}

// Sign is a raw signature without the domain of cursors.
func Sign(secret []byte, signed string) []byte { return macOf(secret, signed) }
