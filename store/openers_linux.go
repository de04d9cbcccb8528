package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// openers names the other processes of this user that have a file open.
func openers(path string) (who []string) {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return nil
	}
	self, seen := strconv.Itoa(os.Getpid()), map[string]bool{}
	for _, link := range links {
		pid := strings.Split(link, "/")[2]
		if pid == self || seen[pid] {
			continue
		}
		if opened, err := os.Stat(link); err != nil || !os.SameFile(info, opened) {
			continue
		}
		seen[pid] = true
		// The name alone: arguments may hold what nobody should read.
		name, err := os.ReadFile(filepath.Join("/proc", pid, "comm"))
		if err != nil {
			name = []byte("a program")
		}
		who = append(who, fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), pid))
	}
	return who
}
