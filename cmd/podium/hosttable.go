package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"podium.local/pod"
	"podium.local/session"
	"podium.local/studio"
)

// hostTable is this machine's process table as Studio asks for it.
type hostTable struct{}

// Probe asks the oracle that podium ps asks.
func (hostTable) Probe(p session.Process) studio.Liveness {
	switch pod.Probe(p) {
	case pod.Alive:
		return studio.Alive
	case pod.Dead:
		return studio.Dead
	default:
		return studio.Unknown
	}
}

// Hostname is what pods record; empty when the machine does not know.
func (hostTable) Hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// Commands lists every process's command line: from /proc where there is one,
// else from ps.
func (hostTable) Commands(ctx context.Context) ([]string, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err == nil && len(files) > 0 {
		return procCommands(ctx, files)
	}
	out, err := exec.CommandContext(ctx, "ps", "-axo", "command=").Output()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return strings.Split(string(out), "\n"), nil
}

func procCommands(ctx context.Context, files []string) ([]string, error) {
	lines := make([]string, 0, len(files))
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it ended meanwhile, or is not ours to read
		}
		lines = append(lines, string(bytes.ReplaceAll(bytes.TrimRight(text, "\x00"), []byte{0}, []byte{' '})))
	}
	return lines, nil
}
