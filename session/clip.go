package session

import "unicode/utf8"

// Clip cuts a text to at most size bytes, between two characters. What a
// session has of foreign texts is bounded by it: names, folders, previews.
func Clip(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
