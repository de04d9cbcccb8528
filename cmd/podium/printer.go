package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"podium.local/protocol"
)

// printer writes a pod's events as plain lines: the model's words to out,
// everything about them (tool calls, notices, errors) to notes. When both are
// the same terminal the result reads as one conversation.
type printer struct {
	out, notes io.Writer
	// open says that the last thing written to out did not end its line.
	open bool
	// called remembers, by call id, what a tool line is about until its result.
	called map[string]toolCall
	// dir is the agent's folder, left out of the paths in tool lines; empty when
	// it is not known.
	dir string
	// speaker marks the model's words as a history does; spoken says that those
	// of the open block are.
	speaker, spoken bool
}

// toolCall is a call by its name and the argument that matters.
type toolCall struct{ name, about string }

func newPrinter(out, notes io.Writer) *printer {
	return &printer{out: out, notes: notes, called: map[string]toolCall{}}
}

// event writes one event.
func (p *printer) event(e protocol.Event) {
	switch d := e.Data.(type) {
	case protocol.TextDelta:
		p.words(d.Text)
	case protocol.TextDone, protocol.TurnEnd:
		p.endLine()
		p.spoken = false
	case protocol.ToolCallDone:
		p.called[d.ID] = toolCall{d.Name, mainArgument(d.Arguments)}
	case protocol.ToolResult:
		mark := "> "
		if p.speaker {
			mark = "  >    "
		}
		p.note("%s%s", mark, p.tool(d.ID, outcome(d)))
	case protocol.Notification:
		p.note("[notice] %s: %s", d.Source, d.Message)
	case protocol.CompactStart:
		p.note("[compact] starting")
	case protocol.CompactDone:
		p.note("[compact] done (new session %s)", d.NewSessionID.Short())
	case protocol.CompactFailed:
		p.note("[compact error] %s", d.Error)
	case protocol.Error:
		p.note("[error] %s: %s", d.Code, d.Message)
	case protocol.RunEnd:
		p.endLine()
		p.spoken = false
		if d.Result != protocol.RunFinished {
			p.note("[run] %s", d.Result)
		}
	case protocol.Unknown:
		p.note("[%s] %s", d.Name, d.Data)
	}
}

// words writes a piece of the model's text.
func (p *printer) words(text string) {
	text = printable(text)
	if text == "" {
		return
	}
	if p.speaker && !p.spoken {
		p.spoken = true
		io.WriteString(p.out, "agent  ")
	}
	io.WriteString(p.out, text)
	p.open = !strings.HasSuffix(text, "\n")
}

// endLine closes a line that is still open.
func (p *printer) endLine() {
	if p.open {
		io.WriteString(p.out, "\n")
		p.open = false
	}
}

// note writes one line about the conversation.
func (p *printer) note(format string, args ...any) {
	p.endLine()
	fmt.Fprintln(p.notes, strings.TrimRight(printable(fmt.Sprintf(format, args...)), " \n"))
}

// said is what a person or a program said to the pod.
func (p *printer) said(kind protocol.InputKind, text string) {
	switch kind {
	case protocol.InputText:
		p.note("\nyou    %s", text)
	case protocol.InputNotification:
		p.note("\nnote   %s", text)
	case protocol.InputPodEvent:
		p.note("\npod    %s", firstLine(text))
	default:
		p.note("system %s", firstLine(text))
	}
}

// tool is the line of a call that has its result: name, argument, outcome. An
// outcome that says what the argument says stands alone.
func (p *printer) tool(id, outcome string) string {
	call := p.called[id]
	delete(p.called, id)
	line := outcome
	if call.about == "" || !strings.Contains(outcome, call.about) {
		line = strings.Join(slices.DeleteFunc([]string{call.name, call.about, outcome}, func(s string) bool { return s == "" }), "  ")
	}
	if p.dir != "" {
		line = strings.ReplaceAll(line, p.dir+"/", "")
	}
	return line
}

// outcome is the short form of a tool result: its summary, else its first
// line.
func outcome(r protocol.ToolResult) string {
	text := r.Output
	if r.Summary != nil {
		text = *r.Summary
	}
	return toolOutcome(text, r.IsError)
}

// toolOutcome is the line of a tool's result; a failed one begins with the word.
func toolOutcome(text string, failed bool) string {
	line := firstLine(text)
	if failed {
		return "failed: " + strings.TrimPrefix(line, "Tool execution failed: ")
	}
	return line
}

// firstLine is a text's first line, marked when there is more.
func firstLine(text string) string {
	first, _, more := strings.Cut(text, "\n")
	if more {
		first += " …"
	}
	return first
}

// mainArgument picks the argument that tells a person what a call is about.
func mainArgument(arguments string) string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return ""
	}
	for _, key := range []string{"file_path", "command", "pattern", "path"} {
		if v, ok := args[key].(string); ok {
			return firstLine(v)
		}
	}
	return ""
}

// printable removes what could command a terminal: escape sequences and
// control characters other than newline and tab. Model output, tool output
// and names are foreign text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, ansi.Strip(s))
}

// printableName is printable for a name that shares its line with others: what
// would break the line is escaped.
func printableName(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable(s))
}

// age says how long ago t was, in the two largest units that matter.
func age(now, t time.Time) string {
	if t.IsZero() || now.Before(t) {
		return "—"
	}
	s := int64(now.Sub(t).Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %ds", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%dh %dm", s/3600, s/60%60)
	default:
		return fmt.Sprintf("%dd %dh", s/86400, s/3600%24)
	}
}

// money is a cost for a person; nil is unknown and never 0. partial marks a
// total in which some requests had no price.
func money(usd *float64, partial bool) string {
	if usd == nil {
		return "—"
	}
	lower := ""
	if partial {
		lower = "≥ "
	}
	if c := *usd; c > 0 && c < 0.01 {
		return fmt.Sprintf("%s$%.4f", lower, c)
	}
	return fmt.Sprintf("%s$%.2f", lower, *usd)
}
