package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// flash is a line of words that pass.
type flash struct {
	text string
	to   time.Time
	// ofState says that the words are about the state of the moment: they go
	// with it.
	ofState bool
	// ofText says that the words are about what is written: they go with it.
	ofText bool
	// timed is the end for which a timer runs.
	timed time.Time
}

// flashOverMsg comes when the words have stood long enough.
type flashOverMsg struct{}

// flashTime is how long words stand that pass by themselves.
const flashTime = 4 * time.Second

// say shows words that pass.
func (m *Model) say(text string) {
	m.flash.text, m.flash.to, m.flash.ofState, m.flash.ofText = text, m.now.Add(flashTime), false, false
}

// sayOfState shows words that hold in the state of the moment only.
func (m *Model) sayOfState(text string) {
	m.say(text)
	m.flash.ofState = true
}

// unsay takes back what was said of a state that is over.
func (m *Model) unsay() {
	if m.flash.ofState {
		m.flash.text, m.armed = "", ""
	}
}

// passing lets the words end when their time has come.
func (m *Model) passing() tea.Cmd {
	f := &m.flash
	if f.text != "" && !m.now.Before(f.to) {
		f.text = ""
	}
	if f.text == "" || f.timed.Equal(f.to) {
		return nil
	}
	f.timed = f.to
	return tea.Tick(f.to.Sub(m.now), func(time.Time) tea.Msg { return flashOverMsg{} })
}
