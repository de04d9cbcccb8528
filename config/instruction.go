package config

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"
)

const maxInstructionBytes = 64 << 10

// readInstruction gives the text of an instruction: the text itself, or the
// content of the file that $user/NAME or $workspace/NAME names (NAME.md in
// that layer's prompts folder). $podium/default is the built-in one, which is
// the empty text here. The folder is not left, whatever NAME or a link in the
// folder says.
func readInstruction(s string, folders map[string]string) (string, error) {
	if !strings.HasPrefix(s, "$") {
		if len(s) > maxInstructionBytes {
			return "", fmt.Errorf("the text has %d bytes, at most %d are read", len(s), maxInstructionBytes)
		}
		return s, nil
	}
	if s == "$podium/default" {
		return "", nil
	}
	word, name, _ := strings.Cut(s[1:], "/")
	folder, ok := folders[word]
	if !ok || name == "" {
		return "", fmt.Errorf("%q names no instruction: write the text itself, $podium/default, $user/NAME or $workspace/NAME", s)
	}
	name = path.Clean(name) + ".md"
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", fmt.Errorf("%q: open the prompts folder: %w", s, err)
	}
	defer root.Close()
	open := func() (*os.File, error) { return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) }
	text, _, err := readRegular(open, maxInstructionBytes)
	if err != nil {
		return "", fmt.Errorf("%q: read %s: %w", s, path.Join(folder, name), err)
	}
	if !utf8.Valid(text) {
		return "", fmt.Errorf("%q: %s is not UTF-8 text", s, path.Join(folder, name))
	}
	return string(text), nil
}

// readRegular reads a regular file of at most limit bytes, and gives what is
// known about it. Nothing that could block is ever read.
func readRegular(open func() (*os.File, error), limit int64) ([]byte, fs.FileInfo, error) {
	f, err := open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, fmt.Errorf("it is not a regular file (%s)", info.Mode())
	}
	if info.Size() > limit {
		return nil, info, fmt.Errorf("it has %d bytes, at most %d are read", info.Size(), limit)
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, info, err
	}
	if int64(len(text)) > limit {
		return nil, info, fmt.Errorf("it grew beyond %d bytes while it was read", limit)
	}
	return text, info, nil
}
