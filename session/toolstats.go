package session

import (
	"strconv"
	"strings"
)

// fileTools are the tools whose argument names a file.
var fileTools = map[string]bool{
	"": true, "read": true, "read_file": true, "write": true, "write_file": true, "edit": true, "edit_file": true,
	"multiedit": true, "notebookedit": true,
}

// TouchedFile is the file that a tool call is about, empty for none. filePath
// and path are the call's arguments of those names.
func TouchedFile(function, filePath, path string) string {
	name := strings.ReplaceAll(strings.ToLower(function), "-", "_")
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	if !fileTools[name] {
		return ""
	}
	if filePath != "" {
		return filePath
	}
	return path
}

// OutputFailed judges a tool's output where nothing else says whether the
// call failed: by the exit code that its first lines name, or by a missing
// file among words of failure.
func OutputFailed(output string) bool {
	for _, line := range splitLines(output, 8) {
		lower := strings.ToLower(line)
		code := ""
		switch {
		case strings.Contains(lower, "process exited with code"):
			if words := strings.Fields(line); len(words) > 0 {
				code = strings.TrimRight(words[len(words)-1], ".")
			}
		case strings.HasPrefix(lower, "exit code:"):
			code = strings.TrimSpace(line[len("exit code:"):])
		default:
			continue
		}
		if n, err := strconv.Atoi(code); err == nil && n != 0 {
			return true
		}
		break
	}
	lower := strings.ToLower(output)
	if !strings.Contains(lower, "no such file or directory") {
		return false
	}
	head := lower
	if runes := []rune(lower); len(runes) > 300 {
		head = string(runes[:300])
	}
	for _, word := range []string{"error:", "failed", "permission denied", "not found"} {
		if strings.Contains(head, word) {
			return true
		}
	}
	return false
}

// splitLines is the first n lines of a text.
func splitLines(text string, n int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if len(lines) == n {
			break
		}
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines
}
