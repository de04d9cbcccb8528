package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"podium.local/protocol"
)

// kind says what a block shows.
type kind int

const (
	kindInput kind = iota
	kindAnswer
	kindReasoning
	kindTool
	kindSystem
	kindNotice
	kindError
	kindCompact
	kindRunEnd
	kindRaw
	kindGap
)

// compactError begins the line of a compaction that failed.
const compactError = "[compact error] "

// blockLimit is the most bytes of text that one block keeps.
const blockLimit = 256 << 10

// block is one thing in the conversation.
type block struct {
	kind kind
	// text is cleaned; cut says how many bytes more there were.
	text string
	cut  int
	// open says that the block still grows, interrupted that it never became
	// complete.
	open, interrupted bool
	// entryID names its first log entry, items counts its entries; both are zero
	// for what is not in the log.
	entryID string
	items   int
	// factOf names the log entry of which a block that is no item was made.
	factOf string
	// epoch counts the compactions before it: entries of another epoch than the
	// newest cannot be asked for again.
	epoch int
	// unfolded says that the person opened it.
	unfolded bool

	// input: how it came and from whom ("" is this client or unknown); system:
	// what it is called instead.
	input protocol.InputKind
	from  string
	// notice: the word in front; level of a notification.
	level protocol.NotificationLevel
	// tool, gap: what only they have.
	tool *toolCall
	gap  *gap
	// at is when it was told, for what is not in the log; zero when unknown.
	at time.Time
	// began is when it began to be shown live; compaction and tools show how
	// long they take.
	began time.Time

	md    markdown
	lines []string
	made  int // the renderer's generation for which lines are valid; 0 is never
	// drawn is when the lines of a living block were made, in blinks.
	drawn int64
}

// blink is how long what moves stands still, in milliseconds.
const blink = 250

// toolCall is a call and what became of it.
type toolCall struct {
	id, name string
	// arguments is JSON text, incomplete while the block is open.
	arguments string
	// called says that the call is complete, done that its result is there.
	called, done bool
	// waits says that the answer with the call is not complete: no call is
	// executed before.
	waits  bool
	failed bool
	// lost says that the run ended without a result.
	lost    bool
	summary string
	output  string
	cut     int
	took    time.Duration
}

// gap stands for entries that are not held.
type gap struct {
	// before is the entry after it, first its own oldest one ("" unknown); items
	// is how many it stands for, 0 unknown.
	before, first string
	items         int
	// loading says that they were asked for.
	loading bool
	// gone says that they cannot be asked for; session names where they are.
	gone    bool
	session string
}

// changed makes the block be laid out again.
func (b *block) changed() { b.made = 0 }

// limit cuts a text to what a block keeps.
func limit(s string) (string, int) {
	if len(s) <= blockLimit {
		return s, 0
	}
	return strings.ToValidUTF8(s[:blockLimit], ""), len(s) - blockLimit
}

// size is about how many bytes the block holds.
func (b *block) size() int {
	n := len(b.text)*2 + 256
	if b.tool != nil {
		n += len(b.tool.arguments) + len(b.tool.output)*2
	}
	return n
}

// living reports whether the block looks different as time passes.
func (b *block) living() bool {
	switch b.kind {
	case kindTool:
		return !b.tool.done && !b.tool.lost && !b.tool.waits
	case kindCompact:
		return b.open
	case kindAnswer:
		return b.open && b.md.rest.stale
	default:
		return false
	}
}

// foldable reports whether the block has more to show.
func (b *block) foldable() bool {
	return b.kind == kindTool || b.kind == kindReasoning || b.kind == kindSystem
}

// layout gives the block's lines, without margin, and the shape of the first.
func (b *block) layout(r *renderer, now time.Time) []string {
	moment := now.UnixMilli() / blink
	if b.made == r.generation && (b.drawn == moment || !b.living()) {
		return b.lines
	}
	b.drawn = moment
	b.lines = b.draw(r, now)
	b.made = r.generation
	return b.lines
}

func (b *block) draw(r *renderer, now time.Time) []string {
	switch b.kind {
	case kindInput:
		return b.drawInput(r)
	case kindAnswer:
		lines := b.withCut(r, b.md.lines(r, b.text, !b.open))
		if b.interrupted {
			for i, l := range lines {
				lines[i] = ansi.Strip(l)
			}
			lines = styled(append(lines, interruptedWord), r.soft.Render)
		}
		return lines
	case kindReasoning:
		if b.interrupted {
			return b.drawFolded(r, "thinking", "thought, "+interruptedWord)
		}
		return b.drawFolded(r, "thinking", "thought")
	case kindSystem:
		word := "system"
		if b.from != "" {
			word = b.from
		}
		return b.drawFolded(r, word, word)
	case kindTool:
		return b.drawTool(r, now)
	case kindNotice:
		style := r.waiting
		if b.level == protocol.LevelError {
			style = r.failed
		}
		return styled(r.wrapAll(b.text, r.width), style.Render)
	case kindError:
		return styled(r.wrapAll(b.text, r.width), r.failed.Render)
	case kindCompact:
		return b.drawCompact(r, now)
	case kindRunEnd:
		return b.drawRunEnd(r)
	case kindGap:
		return []string{r.soft.Render(r.fit(b.gap.words(), r.width))}
	default:
		return styled(r.wrapAll(b.text, r.width), r.soft.Render)
	}
}

func styled(lines []string, style func(...string) string) []string {
	for i, l := range lines {
		if l != "" {
			lines[i] = style(l)
		}
	}
	return lines
}

// withCut says that a text was too long to be kept.
func (b *block) withCut(r *renderer, lines []string) []string {
	if b.cut > 0 {
		lines = append(lines, r.moreWords(b.cut))
	}
	return lines
}

// moreWords say how much is not shown.
func (r *renderer) moreWords(bytes int) string {
	return r.soft.Render(r.fit(fmt.Sprintf("%s %s more; podium history has all of it", r.ellipsis, bytesWords(bytes)), r.width))
}

// interruptedWord marks what never became complete.
const interruptedWord = "interrupted"

func (b *block) drawInput(r *renderer) []string {
	var head string
	switch {
	case b.input == protocol.InputNotification:
		head = "note"
	case b.input == protocol.InputPodEvent:
		head = "child pod"
	}
	if b.from != "" {
		if head != "" {
			head += " "
		}
		head += "from " + b.from
	}
	const most = 200 // lines of an input shown
	lines := r.wrapAll(b.text, r.textWidth())
	if len(lines) > most {
		lines = styled(lines[:most:most], r.bold.Render)
		shown := 0
		for _, l := range lines {
			shown += len(ansi.Strip(l)) + 1
		}
		lines = append(lines, r.moreWords(max(0, len(b.text)-shown)+b.cut))
	} else {
		lines = b.withCut(r, styled(lines, r.bold.Render))
	}
	if head != "" {
		lines = append([]string{r.soft.Render(r.fit(head, r.width))}, lines...)
	}
	return lines
}

// drawFolded shows one line until it is opened.
func (b *block) drawFolded(r *renderer, open, closed string) []string {
	if b.unfolded || r.detail {
		head := closed
		if b.open {
			head = open
		}
		return append([]string{r.soft.Render(head)}, b.withCut(r, styled(r.wrapAll(b.text, r.textWidth()), r.soft.Render))...)
	}
	if b.open {
		// The newest words say more about where a thought goes than the first.
		tail := b.text[max(0, len(b.text)-4*r.width):]
		return []string{r.soft.Render(r.fit(open+"  "+newest(r, strings.ToValidUTF8(tail, ""), r.width-len(open)-2), r.width))}
	}
	return []string{r.soft.Render(r.fit(closed+"  "+firstLine(b.text), r.width))}
}

// newest is the end of a text that fits the width.
func newest(r *renderer, text string, width int) string {
	line := cleanLine(text)
	if over := r.method.StringWidth(line) - width; over > 0 && width > 1 {
		line = r.ellipsis + r.method.TruncateLeft(line, over+len([]rune(r.ellipsis)), "")
	}
	return line
}

func (b *block) drawCompact(r *renderer, now time.Time) []string {
	lines := r.wrapAll(b.text, r.width)
	style := r.compacting
	switch {
	case b.cancelled():
		style = r.soft
	case b.level == protocol.LevelError:
		style = r.failed
	}
	lines = styled(lines, style.Render)
	if b.open && !b.began.IsZero() {
		lines[len(lines)-1] += "  " + r.soft.Render(clock(now.Sub(b.began)))
	}
	return lines
}

// cancelled reports whether a compaction ended because somebody wanted it to.
func (b *block) cancelled() bool { return b.text == compactError+"Cancelled" }

func (b *block) drawRunEnd(r *renderer) []string {
	text := r.fit(b.text, r.width-6)
	left := strings.Repeat(r.rule2(), 2) + " "
	rest := r.textWidth() - r.method.StringWidth(text) - 4
	line := r.theme.rule.Render(left) + r.soft.Render(text)
	if rest > 0 {
		line += " " + r.theme.rule.Render(strings.Repeat(r.rule2(), rest))
	}
	return []string{line}
}

// rule2 is the stroke of a horizontal rule.
func (r *renderer) rule2() string { return r.shapes.rule }

// shape is what stands in the margin beside the block's first line.
func (b *block) shape(r *renderer, now time.Time) string {
	switch b.kind {
	case kindInput:
		if b.from != "" || b.input != "" && b.input != protocol.InputText {
			return r.waiting.Render(r.other)
		}
		return r.user.Render(r.theme.shapes.user)
	case kindAnswer:
		if b.interrupted {
			return r.soft.Render(r.theme.shapes.cancelled)
		}
		return " "
	case kindReasoning, kindSystem:
		return r.soft.Render(r.thought)
	case kindTool:
		return b.tool.shape(r, now)
	case kindNotice:
		if b.level == protocol.LevelError {
			return r.failed.Render(r.theme.shapes.failed)
		}
		return r.waiting.Render(r.note)
	case kindError:
		return r.failed.Render(r.theme.shapes.failed)
	case kindCompact:
		switch {
		case b.open:
			return r.compacting.Render(r.theme.shapes.compacting)
		case b.cancelled():
			return r.soft.Render(r.theme.shapes.cancelled)
		case b.level == protocol.LevelError:
			return r.failed.Render(r.theme.shapes.failed)
		default:
			return r.compacting.Render(r.done)
		}
	default:
		return " "
	}
}

// joins reports whether a block stands right below the one before it, without
// a blank line.
func (b *block) joins(before *block) bool {
	if before == nil {
		return true
	}
	quiet := func(k kind) bool { return k == kindTool || k == kindReasoning || k == kindNotice || k == kindSystem }
	return quiet(b.kind) && quiet(before.kind)
}

// plain is the block's text for the clipboard.
func (b *block) plain() string {
	if b.kind != kindTool {
		return b.text
	}
	t := b.tool
	parts := []string{t.name + " " + t.arguments, t.summary}
	if t.output != t.summary {
		parts = append(parts, t.output)
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

func (g *gap) words() string {
	switch {
	case g.gone && g.session != "":
		return "earlier: podium history " + g.session
	case g.gone:
		return "earlier entries are no longer held"
	case g.items > 0:
		return fmt.Sprintf("%d entries, loading", g.items)
	default:
		return "earlier entries, loading"
	}
}
