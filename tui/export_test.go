package tui

import "podium.local/protocol"

// Held are how many blocks and gaps a model holds.
func (m *Model) Held() (blocks, gaps, bytes int) {
	for _, b := range m.conv.blocks {
		if b.kind == kindGap {
			gaps++
		}
	}
	return len(m.conv.blocks), gaps, m.conv.bytes()
}

// Text is what is being written, pastes in full.
func (m *Model) Text() string { return m.editor.value() }

// Cursor is the cursor's byte offset.
func (m *Model) CursorAt() int { return m.editor.at }

// KeyHelp are the keys that ? lists.
func KeyHelp() [][2]string { return keyHelp }

// Clean, OnlyStyles and DiffLines are tested alone.
var (
	Clean      = clean
	OnlyStyles = onlyStyles
)

// Diff gives the rows of a diff as lines.
func Diff(before, after string) []string {
	var out []string
	for _, r := range diffLines(before, after) {
		out = append(out, string(r.mark)+r.text)
	}
	return out
}

// Segments are the finished pieces of a Markdown text that arrives in parts.
func Segments(parts []string) []string {
	var m markdown
	text := ""
	for i, p := range parts {
		text += p
		m.extend(text, i == len(parts)-1)
	}
	var out []string
	for _, s := range m.segments {
		out = append(out, s.text)
	}
	return out
}

// Event shows one event of a pod, without a pod.
func (m *Model) Event(d protocol.EventData) { m.event(protocol.Event{Data: d}) }
