package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Found is one bounded look at the sessions of the store.
type Found struct {
	Entries []Entry
	// Examined is how many sessions were looked at.
	Examined int
	// Next goes on behind them; empty when all were seen.
	Next string
}

// searchMsg is what a look found.
type searchMsg struct {
	generation int
	found      Found
	err        error
}

// searchDueMsg says that nobody typed for a while.
type searchDueMsg struct{ generation int }

// typingPause is how long nobody types before the store is searched.
const typingPause = 150 * time.Millisecond

// search is the walk through the sessions that match a word.
type search struct {
	// generation tells an answer to an earlier filter from one to this.
	generation int
	word       string
	entries    []Entry
	examined   int
	next       string
	// looking says that an answer is awaited; begun that one came.
	looking, begun bool
	failure        string
}

// searchWord is what the store is asked for: the longest word of the filter.
func (p *Picker) searchWord() string {
	longest := ""
	for word := range strings.FieldsSeq(p.filter.text) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return longest
}

// filterChanged begins another search when the word for it is another one.
func (p *Picker) filterChanged() tea.Cmd {
	p.refilter()
	if p.filter.text != "" && p.at == 0 {
		p.at = min(1, len(p.shown))
	}
	word := p.searchWord()
	if p.o.Search == nil || word == p.found.word {
		return nil
	}
	p.found = search{generation: p.found.generation + 1, word: word, looking: true, entries: p.found.entries}
	due := searchDueMsg{p.found.generation}
	return tea.Tick(typingPause, func(time.Time) tea.Msg { return due })
}

// look asks for the next sessions.
func (p *Picker) look() tea.Cmd {
	if p.o.Search == nil {
		return nil
	}
	p.found.looking = true
	ctx, generation, word, next := p.ctx, p.found.generation, p.found.word, p.found.next
	return func() tea.Msg {
		found, err := p.o.Search(ctx, word, next)
		return searchMsg{generation, found, err}
	}
}

// searched takes what a look found.
func (p *Picker) searched(msg searchMsg) {
	if msg.generation != p.found.generation {
		return
	}
	s := &p.found
	s.looking = false
	if msg.err != nil {
		s.failure = cleanLine(msg.err.Error())
		return
	}
	if !s.begun {
		s.entries = nil // those of the filter before
	}
	s.begun, s.failure, s.next = true, "", msg.found.Next
	s.examined += msg.found.Examined
	s.entries = append(s.entries, msg.found.Entries...)
	p.keepPlace(p.refilter)
}

// goOn asks for more once the end of the list is reached.
func (p *Picker) goOn() tea.Cmd {
	if p.at < len(p.shown) || p.found.looking || p.found.next == "" {
		return nil
	}
	return p.look()
}

// reach says how far the search has come; empty where there is none.
func (p *Picker) reach() string {
	s := &p.found
	switch {
	case s.failure != "":
		return "the older sessions cannot be searched: " + s.failure
	case s.looking:
		return "looking through the sessions" + p.r.ellipsis
	case !s.begun:
		return ""
	case s.next != "":
		return fmt.Sprintf("looked at the newest %s; End goes on", plural(s.examined, "session"))
	default:
		return fmt.Sprintf("all of %s", plural(s.examined, "session"))
	}
}

// all are the pods and the sessions that none of them holds.
func (p *Picker) all() []Entry {
	held := map[string]bool{}
	for _, e := range p.entries {
		held[e.Session] = true
	}
	return append(slices.Clip(slices.Clone(p.entries)), slices.DeleteFunc(slices.Clone(p.found.entries), func(e Entry) bool { return held[e.Session] })...)
}

// likeness is how well a filter names an entry; less is better.
func (e Entry) likeness(words []string) int {
	name := strings.ToLower(e.name())
	filter := strings.Join(words, " ")
	switch {
	case filter == "" || !strings.Contains(name, filter):
		return 3
	case name == filter:
		return 0
	case strings.HasPrefix(name, filter):
		return 1
	default:
		return 2
	}
}

// Searcher looks through the sessions of the store, the newest first, from
// where next says.
type Searcher func(ctx context.Context, word, next string) (Found, error)
