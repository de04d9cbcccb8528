package pod_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
)

// promptOf runs a pod once in dir and returns the system prompt it sent and
// what people were told at the start.
func promptOf(t *testing.T, dir string) (string, []protocol.Notification) {
	t.Helper()
	provider := podtest.NewProvider()
	p := podtest.Start(t, pod.Options{
		Dir: dir, Provider: provider, Instruction: "Be brief.\n", ScopeSummary: "Readable:\n  - /w",
	})
	c := p.Dial()
	var notices []protocol.Notification
	c.Send(protocol.Run{Input: "hi"})
	for _, ev := range c.UntilName(protocol.EventRunEnd) {
		if n, ok := ev.Data.(protocol.Notification); ok {
			notices = append(notices, n)
		}
	}
	return provider.Requests()[0].System, notices
}

func TestPrompt_HoldsInstructionBoundariesAndProjectNotes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Run the tests.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	prompt, notices := promptOf(t, dir)
	at := -1
	for _, part := range []string{"Be brief.", dir, "Readable:\n  - /w", "Run the tests."} {
		i := strings.Index(prompt, part)
		if i <= at {
			t.Errorf("%q is missing or out of order in %q", part, prompt)
		}
		at = i
	}
	if len(notices) > 0 {
		t.Errorf("people are told %+v", notices)
	}
}

func TestPrompt_SaysWhatIsWrongWithAgentsMD(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(content string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(content), 0o600) }
	}
	for name, c := range map[string]struct {
		make     func(path string) error
		told, in string
	}{
		"longer than the cap":  {write(strings.Repeat("設", 64<<10/3+10)), "longer than 64 KiB", "設"},
		"not UTF-8":            {write("a\xffb"), "not UTF-8", ""},
		"a folder":             {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file", ""},
		"a pipe":               {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file", ""},
		"a link to the inside": {func(path string) error { return os.Symlink("README", path) }, "", "from the readme"},
		"a link to elsewhere":  {func(path string) error { return os.Symlink(secret, path) }, "left out of the prompt", ""},
		"not there":            {func(string) error { return nil }, "", ""},
		"empty":                {write(""), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "README"), []byte("from the readme"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := c.make(filepath.Join(dir, "AGENTS.md")); err != nil {
				t.Fatal(err)
			}
			prompt, notices := promptOf(t, dir)
			switch {
			case c.told == "" && len(notices) > 0:
				t.Errorf("people are told %+v", notices)
			case c.told != "" && (len(notices) != 1 || notices[0].Source != protocol.SourceAgentsMD || !strings.Contains(notices[0].Message, c.told)):
				t.Errorf("people are told %+v, want %q", notices, c.told)
			}
			if !strings.Contains(prompt, c.in) || strings.Contains(prompt, "secret") || strings.Contains(prompt, "\xff") {
				t.Errorf("prompt: %q", prompt)
			}
			if len(prompt) > 66<<10 {
				t.Errorf("the prompt has %d bytes", len(prompt))
			}
		})
	}
}
