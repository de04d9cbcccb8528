package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Tool is a program whose session files are read.
type Tool string

// The tools.
const (
	ClaudeCode Tool = "claude-code"
	Codex      Tool = "codex"
)

// Tools lists them.
func Tools() []Tool { return []Tool{ClaudeCode, Codex} }

// provider is the vendor of the tool's models.
func (t Tool) provider() string {
	if t == Codex {
		return "openai"
	}
	return "anthropic"
}

// folders are the folders below dir that hold session files; dir itself when
// it is not the tool's own folder.
func (t Tool) folders(dir string) ([]string, error) {
	names := []string{"projects"}
	if t == Codex {
		names = []string{"sessions", "archived_sessions"}
	}
	var found []string
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			found = append(found, path)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("look for %s sessions: %w; name their folder", t, err)
	}
	return []string{dir}, nil
}

// session reports whether a file of that name can hold a session.
func (t Tool) session(name string) bool {
	if !strings.HasSuffix(name, ".jsonl") {
		return false
	}
	switch name {
	case "history.jsonl", "session_index.jsonl":
		return false
	}
	return true
}

// compressed reports whether the file holds a session in a form that is not
// read.
func compressed(name string) bool {
	return strings.HasSuffix(name, ".jsonl.zst") || strings.HasSuffix(name, ".jsonl.gz")
}
