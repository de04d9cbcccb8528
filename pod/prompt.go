package pod

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"podium.local/protocol"
	"podium.local/session"
)

// agentsFile is the file in the working folder whose text goes into the
// prompt, maxAgentsFile how many bytes of it.
const (
	agentsFile    = "AGENTS.md"
	maxAgentsFile = 64 << 10
)

// buildPrompt puts the system prompt together, once a process: a prompt that
// stays the same keeps the vendor's cache warm. It returns what a person
// should know about AGENTS.md.
func buildPrompt(o *Options) (prompt string, notices []protocol.Notification) {
	parts := []string{}
	if o.Instruction != "" {
		parts = append(parts, strings.TrimRight(o.Instruction, "\n"))
	}
	// The folder ends its line: a path may hold any character a sentence ends with.
	boundaries := "# Working boundaries\n\nWorking folder: " + o.Dir
	if o.ScopeSummary != "" {
		boundaries += "\n\nFile tools reach these paths and no others:\n\n" + o.ScopeSummary
	}
	parts = append(parts, boundaries)
	text, problem := readAgentsFile(o.Dir)
	if problem != "" {
		notices = append(notices, protocol.Notification{
			Level: protocol.LevelWarn, Source: protocol.SourceAgentsMD, Message: problem,
		})
	}
	if text != "" {
		parts = append(parts, "# Project notes ("+agentsFile+")\n\n"+text)
	}
	return strings.Join(parts, "\n\n") + "\n", notices
}

// readAgentsFile returns the text that goes into the prompt, and what is
// wrong with the file. A file that is not there is no problem.
func readAgentsFile(dir string) (text, problem string) {
	b, err := readInside(dir, agentsFile, maxAgentsFile+utf8.UTFMax)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ""
	}
	if err != nil {
		return "", fmt.Sprintf("%s cannot be read and is left out of the prompt: %v", agentsFile, err)
	}
	text = session.Clip(string(b), maxAgentsFile)
	if !utf8.ValidString(text) {
		return "", agentsFile + " is not UTF-8 and is left out of the prompt"
	}
	if len(b) > maxAgentsFile {
		problem = fmt.Sprintf("%s is longer than %d KiB: only its beginning is in the prompt", agentsFile, maxAgentsFile>>10)
	}
	return strings.TrimRight(text, "\n"), problem
}

// readInside reads the beginning of a regular file of a folder. A link that
// leads out of the folder is refused: in a folder that came from elsewhere it
// could name any file of the user.
func readInside(dir, name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// O_NONBLOCK: opening a FIFO must not wait for a writer.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return io.ReadAll(io.LimitReader(f, most))
}
