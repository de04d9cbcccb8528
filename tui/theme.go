package tui

import (
	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
)

// palette are the page's colours for one scheme.
type palette struct {
	ink, soft, rule, selected, focus, link                                      string
	waiting, running, compacting, paused, idle, unresponsive, failed, completed string
}

var (
	lightPalette = palette{
		ink: "#1c1d1f", soft: "#5a5d63", rule: "#dcdcd8", selected: "#e3ebf8", focus: "#2f6fd0", link: "#1f5fbf",
		waiting: "#9a5b00", running: "#1f62c4", compacting: "#6f45c0", paused: "#51637a", idle: "#6b6e74",
		unresponsive: "#b04a00", failed: "#b8242f", completed: "#33713f",
	}
	darkPalette = palette{
		ink: "#e4e5e7", soft: "#a2a6ad", rule: "#31353b", selected: "#22314a", focus: "#6ea2f2", link: "#86b3f7",
		waiting: "#e2a84a", running: "#7aaaf5", compacting: "#b394f2", paused: "#9db0c8", idle: "#9a9ea6",
		unresponsive: "#f09a5c", failed: "#f2848b", completed: "#84bf8f",
	}
)

// shapes say a state or a kind of line without colour. Each is one column.
type shapes struct {
	waiting, compacting, paused, idle, lost, failed, done, cancelled string
	arc                                                              []string
	user, other, note, thought, open, folded, cursor                 string
	dot, rule, times, up, down, ellipsis, dash                       string
	bar, bullet                                                      string
}

var (
	unicodeShapes = shapes{
		waiting: "◆", compacting: "◒", paused: "‖", idle: "·", lost: "△", failed: "✗", done: "✓", cancelled: "–",
		arc:  []string{"◜", "◝", "◞", "◟"},
		user: "›", other: "»", note: "!", thought: "∴", open: "▾", folded: "▸", cursor: "▌",
		dot: " · ", rule: "─", times: "×", up: "↑", down: "↓", ellipsis: "…", dash: "—",
		bar: "│ ", bullet: "• ",
	}
	asciiShapes = shapes{
		waiting: "*", compacting: "%", paused: "=", idle: ".", lost: "^", failed: "x", done: "+", cancelled: "-",
		arc:  []string{"|", "/", "-", "\\"},
		user: ">", other: "}", note: "!", thought: "~", open: "v", folded: ">", cursor: "|",
		dot: " | ", rule: "-", times: "x", up: "in ", down: "out ", ellipsis: "..", dash: "-",
		bar: "> ", bullet: "- ",
	}
)

// theme is how things look.
type theme struct {
	shapes
	dark                                            bool
	soft, rule, bold, user, link, key               lipgloss.Style
	running, compacting, paused, idle, lost, failed lipgloss.Style
	completed, waiting, selected, added, removed    lipgloss.Style
	tables                                          ansi.StyleConfig
	code                                            string
}

func newTheme(dark, ascii bool) *theme {
	p, code := lightPalette, "github"
	if dark {
		p, code = darkPalette, "github-dark"
	}
	fg := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	t := &theme{
		shapes: unicodeShapes, dark: dark, code: code,
		soft: fg(p.soft), rule: fg(p.rule), bold: lipgloss.NewStyle().Bold(true), user: fg(p.focus).Bold(true), link: fg(p.link),
		key: fg(p.focus), running: fg(p.running), compacting: fg(p.compacting), paused: fg(p.paused), idle: fg(p.idle),
		lost: fg(p.unresponsive), failed: fg(p.failed), completed: fg(p.completed), waiting: fg(p.waiting),
		selected: lipgloss.NewStyle().Background(lipgloss.Color(p.selected)), added: fg(p.completed), removed: fg(p.failed),
	}
	if ascii {
		t.shapes = asciiShapes
	}
	t.tables = tableStyle(p)
	return t
}

// tableStyle is the look of the model's tables, as that of its text: colour
// for links and code alone.
func tableStyle(p palette) ansi.StyleConfig {
	yes, zero := true, uint(0)
	return ansi.StyleConfig{
		Document:      ansi.StyleBlock{Margin: &zero},
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strong:        ansi.StylePrimitive{Bold: &yes},
		Link:          ansi.StylePrimitive{Color: &p.link, Underline: &yes},
		LinkText:      ansi.StylePrimitive{Color: &p.link},
		Image:         ansi.StylePrimitive{Color: &p.link, Underline: &yes},
		ImageText:     ansi.StylePrimitive{Color: &p.soft, Format: "image: {{.text}}"},
		Code:          ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &p.link}},
	}
}
