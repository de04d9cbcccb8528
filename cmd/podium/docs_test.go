package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// documents are the pages whose command lines must be true.
var documents = []string{"README.md", "docs/operations.md", "docs/rehearsal.md", "docs/terminal.md"}

func TestDocs_NameCommandsAndFlagsThatExist(t *testing.T) {
	t.Parallel()
	for _, file := range documents {
		for _, line := range commandLines(t, file) {
			root := newRootCommand(&app{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
			cmd, _, err := root.Find(strings.Fields(line))
			if err != nil || cmd == root {
				t.Errorf("%s: podium %s: there is no such command", file, line)
				continue
			}
			for _, flag := range regexp.MustCompile(`(?:^|\s)(-[a-z]|--[a-z-]+)\b`).FindAllStringSubmatch(line, -1) {
				name := strings.TrimLeft(flag[1], "-")
				if cmd.Flags().Lookup(name) == nil && (len(name) > 1 || cmd.Flags().ShorthandLookup(name) == nil) {
					t.Errorf("%s: podium %s: %s has no flag %s", file, line, cmd.CommandPath(), flag[1])
				}
			}
		}
	}
}

// A command that the README does not name is one that nobody finds.
func TestDocs_ReadmeNamesEveryCommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var check func(cmd *cobra.Command, path string)
	check = func(cmd *cobra.Command, path string) {
		for _, c := range cmd.Commands() {
			name := path + " " + c.Name()
			if c.HasSubCommands() {
				check(c, name)
			} else if c.Name() != "version" && !strings.Contains(string(text), name) {
				t.Errorf("README.md does not name %s", name)
			}
		}
	}
	check(newRootCommand(&app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}), "podium")
}

// commandLines gives what follows "podium" in the code blocks of a page,
// without explanations behind a gap. A line that runs one command for another
// gives both.
func commandLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, block := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
			for part := range strings.SplitSeq(line, " -- ") {
				if rest, ok := strings.CutPrefix(part, "podium "); ok {
					lines = append(lines, regexp.MustCompile(`"[^"]*"`).ReplaceAllString(rest, "TEXT"))
				}
			}
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no command line at all", file)
	}
	return lines
}
