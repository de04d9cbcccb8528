package store

import "strings"

// squeeze reduces a definition to what decides whether two are the same: case,
// blanks and quotes do not.
func squeeze(sql string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '\r', '"', '`', '[', ']':
			return -1
		}
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, sql)
}
