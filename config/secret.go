package config

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is text that must not be printed. Only Reveal gives it.
type Secret struct{ text string }

const redacted = "[redacted]"

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal is the text itself, for the one place that sends it.
func (s Secret) Reveal() string { return s.text }

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.text == "" }

// String says whether there is a secret.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// Format prints String for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue is String, for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is String, for encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
