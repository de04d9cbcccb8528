package config_test

import (
	"os"
	"strings"
	"testing"

	"podium.local/config"
)

// What can be set and is not written down might as well not exist.
func TestKeys_AreAllDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	for _, key := range config.KnownKeys() {
		name := key[strings.LastIndexAny(key, ".")+1:]
		table, _, _ := strings.Cut(key, ".")
		if name == "*" {
			name = "NAME"
		}
		table, _, _ = strings.Cut(table, "[")
		if !strings.Contains(doc, "["+table) || !strings.Contains(doc, name+"`") {
			t.Errorf("docs/operations.md does not explain %s", key)
		}
	}
	for _, name := range config.Variables() {
		if !strings.Contains(doc, "`"+name+"`") {
			t.Errorf("docs/operations.md does not explain %s", name)
		}
	}
}
