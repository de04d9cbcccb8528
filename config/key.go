package config

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

const maxKeyBytes = 16 << 10

// usualVariable is where a provider's key is looked for; a local server has
// none.
var usualVariable = map[Provider]string{
	ProviderAnthropic:  "ANTHROPIC_API_KEY",
	ProviderOpenAI:     "OPENAI_API_KEY",
	ProviderOpenAIChat: "OPENAI_API_KEY",
	ProviderGemini:     "GEMINI_API_KEY",
}

// APIKey finds the key for m: the variable, then the file. It is empty when
// none is wanted, or none is found and the server may do without. The text of
// a key is in no error.
func (c Config) APIKey(m Model) (Secret, error) {
	if m.Auth.Kind == AuthNone {
		return Secret{}, nil
	}
	name := m.Auth.Env
	if name == "" {
		name = usualVariable[m.Provider]
	}
	if name != "" {
		if text := strings.TrimSpace(value(c.lookup, name)); text != "" {
			return keyOf(text, "the variable "+name)
		}
	}
	if m.Auth.File != "" {
		return readKeyFile(m.Auth.File)
	}
	own := m.BaseURL == "" && m.Provider != ProviderOllama
	if m.Auth.Kind == AuthAPIKey || own {
		return Secret{}, missingKey(m.Provider, name)
	}
	return Secret{}, nil
}

func missingKey(p Provider, variable string) error {
	if variable == "" {
		return fmt.Errorf("no key for %s: name a variable or a file in model.auth of your configuration, or set model.auth.kind to none", p)
	}
	return fmt.Errorf("no key for %s: set %s, or name a file in model.auth.file of your configuration", p, variable)
}

func readKeyFile(file string) (Secret, error) {
	open := func() (*os.File, error) { return os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) }
	text, info, err := readRegular(open, maxKeyBytes)
	if err != nil {
		return Secret{}, fmt.Errorf("read key file %s: %w", file, err)
	}
	if foreign(info) {
		return Secret{}, fmt.Errorf("read key file %s: it belongs to another user; copy it", file)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return Secret{}, fmt.Errorf("read key file %s: other users can read it (mode %04o); chmod 600 it", file, perm)
	}
	key := strings.TrimSpace(string(text))
	if key == "" {
		return Secret{}, fmt.Errorf("read key file %s: it is empty", file)
	}
	return keyOf(key, "the file "+file)
}

// keyOf refuses a key that no header can carry.
func keyOf(text, from string) (Secret, error) {
	for _, r := range text {
		if r <= ' ' || r > '~' {
			return Secret{}, fmt.Errorf("use the key from %s: it holds a blank, a line break or a non-ASCII character; it should be one word", from)
		}
	}
	return NewSecret(text), nil
}
