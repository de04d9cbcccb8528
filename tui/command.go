package tui

import "strings"

// NoCommand says what to do with a line that looks like a command and is none.
const NoCommand = "no such command; a space before it sends it to the pod as text"

// IsCommand reports whether a line asks for a command: its first word is a
// slash and letters. A path has another slash in it.
func IsCommand(line string) bool {
	word, ok := strings.CutPrefix(line, "/")
	if !ok {
		return false
	}
	word, _, _ = strings.Cut(word, "\n")
	word, _, _ = strings.Cut(word, " ")
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") == ""
}
