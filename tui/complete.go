package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// completion offers the project's files for the word after an @, and commands
// for a slash at the beginning.
type completion struct {
	files []string
	// loaded says that files were listed; loading that they are being.
	loaded, loading bool
	matches         []string
	at              int
	// dismissed is the word for which the person closed the list.
	dismissed string
}

// offered is how many files or commands are shown at a time.
const offered = 6

// word is the @word before the cursor, or the /word that is all; from is where
// its mark is.
func (c *completion) word(e *editor) (word string, from int, ok bool) {
	before := e.text[:e.at]
	if strings.HasPrefix(before, "/") && e.at == len(e.text) && !strings.ContainsFunc(before, unicode.IsSpace) {
		return before, 0, true
	}
	from = strings.LastIndexByte(before, '@')
	if from < 0 {
		return "", 0, false
	}
	if from > 0 {
		if last := []rune(before[:from]); !unicode.IsSpace(last[len(last)-1]) && last[len(last)-1] != '(' {
			return "", 0, false
		}
	}
	word = before[from:]
	if strings.ContainsFunc(word, unicode.IsSpace) {
		return "", 0, false
	}
	return word, from, true
}

// wantsFiles reports whether a file is being named.
func (c *completion) wantsFiles(e *editor) bool {
	word, _, ok := c.word(e)
	return ok && word[0] == '@'
}

// update finds what fits the word at the cursor.
func (c *completion) update(e *editor) {
	word, _, ok := c.word(e)
	if !ok || c.dismissed == word {
		c.matches, c.at = nil, 0
		return
	}
	c.dismissed = ""
	if word[0] == '/' {
		c.matches = commandsLike(word)
	} else {
		c.matches = match(c.files, word[1:])
	}
	c.at = min(c.at, max(0, len(c.matches)-1))
}

func (c *completion) open() bool { return len(c.matches) > 0 }

func (c *completion) move(by int) {
	if n := len(c.matches); n > 0 {
		c.at = (c.at + by + n) % n
	}
}

// accept puts the chosen file or command into the text.
func (c *completion) accept(e *editor) {
	word, from, ok := c.word(e)
	if !ok || !c.open() {
		return
	}
	chosen := c.matches[c.at]
	e.cut(from, e.at)
	if word[0] == '@' {
		chosen = fileWord(chosen) + " "
	}
	e.insert(chosen)
	c.matches, c.at = nil, 0
}

func (c *completion) dismiss(e *editor) {
	if word, _, ok := c.word(e); ok {
		c.dismissed = word
	}
	c.matches, c.at = nil, 0
}

// match finds the files that hold the letters of word in order; those in
// which they stand together, and near the end, come first.
func match(files []string, word string) []string {
	const most = 50
	type hit struct {
		file  string
		score int
	}
	folded := strings.ToLower(word)
	var hits []hit
	for _, f := range files {
		low := strings.ToLower(f)
		base := low[strings.LastIndexByte(low, '/')+1:]
		switch {
		case strings.HasPrefix(base, folded):
			hits = append(hits, hit{f, len(f)})
		case strings.HasPrefix(low, folded):
			hits = append(hits, hit{f, 1000 + len(f)})
		case strings.Contains(low, folded):
			hits = append(hits, hit{f, 2000 + len(f)})
		case subsequence(low, folded):
			hits = append(hits, hit{f, 3000 + len(f)})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.file, b.file)) })
	var out []string
	for _, h := range hits[:min(most, len(hits))] {
		out = append(out, h.file)
	}
	return out
}

// subsequence reports whether the letters of word stand in s in order.
func subsequence(s, word string) bool {
	for _, r := range word {
		i := strings.IndexRune(s, r)
		if i < 0 {
			return false
		}
		s = s[i+len(string(r)):]
	}
	return true
}
