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

func TestReadme_ExampleLoads(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```toml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("README.md has no example of config.toml")
	}
	p := newPlace(t)
	p.write(p.userFile(), example)
	c, notices := p.mustLoad()
	if c.Model.Provider == "" || c.Model.ID == "" || len(c.Scope.Allow) != 1 || len(notices) > 0 {
		t.Errorf("the example gives %v and %v", c, notices)
	}
}
