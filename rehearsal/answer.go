package rehearsal

import (
	"bytes"
	"strings"
	"time"
)

// answer is a reply made ready for one request: templates filled in, names
// given, usage known.
type answer struct {
	prompt  *prompt
	ids     ids
	created time.Time
	parts   []part
	stop    Stop
	usage   Usage
	// reasoningField is Script.ReasoningField.
	reasoningField string
}

// part is one block of an answer.
type part struct {
	kind partKind
	// text is the block's text, or a call's arguments as JSON text.
	text string
	// name is a call's tool.
	name string
	// n counts the parts of this kind before it.
	n int
	// after is the number of the reasoning part before a call, -1 for none.
	after int
}

type partKind int

const (
	partText partKind = iota
	partReasoning
	partCall
)

// number fills in the counts of the parts.
func number(parts []part) {
	var count [3]int
	for i := range parts {
		p := &parts[i]
		p.n, p.after = count[p.kind], count[partReasoning]-1
		count[p.kind]++
	}
}

// refused reports whether the text is the vendor's refusal instead.
func (a *answer) refused() bool { return a.stop == StopRefusal }

// texts joins the parts of one kind.
func (a *answer) texts(kind partKind) string {
	var b strings.Builder
	for _, p := range a.parts {
		if p.kind == kind {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// encoder writes one answer in a wire's form. The streaming methods append
// server-sent events to w and are called in the order of the stream; whole is
// the same answer as one JSON document.
type encoder interface {
	open(w *events)
	start(w *events, i int, p part)
	delta(w *events, i int, p part, piece string)
	done(w *events, i int, p part)
	close(w *events)
	// fail writes the wire's error in the form that kind asks for, where the wire
	// has several.
	fail(w *events, r refusal, kind FaultKind)
	ping(w *events)
	whole() object
}

func (a *answer) encoder() encoder {
	switch a.prompt.wire {
	case WireAnthropic:
		return &anthropicEncoder{answer: a}
	case WireResponses:
		return &responsesEncoder{answer: a}
	default:
		return &chatEncoder{answer: a}
	}
}

// events collects server-sent events until they are flushed.
type events struct{ bytes.Buffer }

// named writes an event with a name, as Anthropic and the Responses wire do.
func (e *events) named(name string, data object) {
	e.WriteString("event: " + name + "\n")
	e.data(data)
}

// data writes an event without a name.
func (e *events) data(data object) {
	e.WriteString("data: ")
	e.Write(encode(data))
	e.WriteString("\n\n")
}

// pieces cuts text into deltas.
func pieces(text, chunk string) []string {
	switch chunk {
	case "whole":
		if text == "" {
			return nil
		}
		return []string{text}
	case "char":
		return strings.Split(text, "")
	case "line":
		return nonEmpty(strings.SplitAfter(text, "\n"))
	default:
		return words(text)
	}
}

func nonEmpty(s []string) []string {
	if n := len(s); n > 0 && s[n-1] == "" {
		return s[:n-1]
	}
	return s
}

// words cuts before each word, as models do: white space belongs to the word
// that follows it.
func words(text string) (out []string) {
	start, inWord := 0, false
	for i, r := range text {
		space := r == ' ' || r == '\n' || r == '\t' || r == '\r'
		if space && inWord {
			out = append(out, text[start:i])
			start = i
		}
		inWord = !space
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// argumentRunes is the size of one delta of a call's arguments.
const argumentRunes = 16

func argumentPieces(text, chunk string) (out []string) {
	if chunk == "whole" || chunk == "char" {
		return pieces(text, chunk)
	}
	runes := 0
	start := 0
	for i := range text {
		if runes == argumentRunes {
			out = append(out, text[start:i])
			start, runes = i, 0
		}
		runes++
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}
