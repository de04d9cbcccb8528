package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"podium.local/config"
)

// inputHistory keeps what was typed to the agents of one folder, one JSON text
// a line, oldest first.
type inputHistory struct{ path string }

// inputHistoryMost is how much of the file's end is read, in bytes; a file of
// twice that is cut down to it.
const inputHistoryMost = 1 << 20

func newInputHistory(data, dir string) *inputHistory {
	sum := sha256.Sum256([]byte(dir))
	return &inputHistory{filepath.Join(data, "inputs", hex.EncodeToString(sum[:8])+".jsonl")}
}

// Load gives the inputs; lines that cannot be read are passed over.
func (h *inputHistory) Load() ([]string, error) {
	f, err := os.Open(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the earlier inputs: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the earlier inputs: %w", err)
	}
	begin := max(0, info.Size()-inputHistoryMost)
	lines := bufio.NewScanner(io.NewSectionReader(f, begin, inputHistoryMost))
	lines.Buffer(nil, inputHistoryMost+1)
	var inputs []string
	for first := begin > 0; lines.Scan(); first = false {
		var text string
		if !first && json.Unmarshal(lines.Bytes(), &text) == nil {
			inputs = append(inputs, text)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the earlier inputs: %w", err)
	}
	if info.Size() > 2*inputHistoryMost {
		err = h.rewrite(inputs)
	}
	return inputs, err
}

// Append adds one in a single write, so that several terminals may do it.
func (h *inputHistory) Append(text string) error {
	if err := config.MakeDir(filepath.Dir(h.path)); err != nil {
		return fmt.Errorf("keep the input: %w", err)
	}
	line, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("keep the input: %w", err)
	}
	f, err := os.OpenFile(h.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("keep the input: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep the input: %w", err)
	}
	return nil
}

// rewrite replaces the file by the given inputs.
func (h *inputHistory) rewrite(inputs []string) error {
	var b []byte
	for _, text := range inputs {
		line, err := json.Marshal(text)
		if err != nil {
			return fmt.Errorf("shorten the earlier inputs: %w", err)
		}
		b = append(append(b, line...), '\n')
	}
	tmp := h.path + ".new"
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return fmt.Errorf("shorten the earlier inputs: %w", err)
	}
	if err := os.Rename(tmp, h.path); err != nil {
		return fmt.Errorf("shorten the earlier inputs: %w", err)
	}
	return nil
}
