package tui

import "strings"

// NoCommand says what to do with a line that looks like a command and is none.
const NoCommand = "no such command; a space before it sends it to the pod as text"

// commands are the lines that mean something here.
var commands = []struct{ name, about string }{
	{"/compact", "summarise the conversation and go on with the summary"},
	{"/help", "all keys"},
	{"/pause", "pause the run"},
	{"/resume", "go on with the paused run"},
	{"/cancel", "cancel the run, and clear the queue"},
	{"/quit", "leave; the pod lives on"},
}

// commandsLike are the commands that begin with word, none for a whole one.
func commandsLike(word string) (names []string) {
	for _, c := range commands {
		if c.name == word {
			return nil
		}
		if strings.HasPrefix(c.name, word) {
			names = append(names, c.name)
		}
	}
	return names
}

// aboutCommand says what a command does; empty for what is none.
func aboutCommand(name string) string {
	for _, c := range commands {
		if c.name == name {
			return c.about
		}
	}
	return ""
}

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
