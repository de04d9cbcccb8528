package tui

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Lines shown of a call before and after it is opened.
const (
	foldedDiff   = 12
	unfoldedMost = 2000
)

// mainArguments are the arguments that tell a person what a call is about, in
// order of preference.
var mainArguments = []string{"file_path", "command", "pattern", "path", "url", "query", "description", "name"}

// about is the argument that matters, as far as it has arrived.
func (t *toolCall) about() string {
	args := t.parsed()
	for _, key := range mainArguments {
		if v, ok := args[key].(string); ok && v != "" {
			return firstLine(v)
		}
	}
	if t.called && len(args) > 0 {
		return cleanLine(t.arguments)
	}
	return ""
}

// parsed is the arguments' object; while they arrive, its complete members.
func (t *toolCall) parsed() map[string]any {
	var args map[string]any
	if json.Unmarshal([]byte(t.arguments), &args) == nil {
		return args
	}
	const most = 64 << 10 // a beginning is enough to say what a call is about
	text := t.arguments[:min(len(t.arguments), most)]
	args = map[string]any{}
	dec := json.NewDecoder(strings.NewReader(text))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return args
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		var v any
		if dec.Decode(&v) != nil {
			break
		}
		if k, ok := key.(string); ok {
			args[k] = v
		}
	}
	return args
}

// shape is the mark of the call's state.
func (t *toolCall) shape(r *renderer, now time.Time) string {
	switch {
	case t.failed:
		return r.failed.Render(r.theme.shapes.failed)
	case t.done:
		return r.completed.Render(r.theme.shapes.done)
	case t.lost:
		return r.soft.Render(r.cancelled)
	case t.waits:
		return r.soft.Render(r.theme.shapes.idle)
	default:
		return r.running.Render(r.spin(now))
	}
}

// spin is the moving arc of what runs.
func (r *renderer) spin(now time.Time) string {
	return r.arc[int(now.UnixMilli()/blink)%len(r.arc)]
}

func (b *block) drawTool(r *renderer, now time.Time) []string {
	t := b.tool
	open := b.unfolded || r.detail
	lines := []string{t.line(r, b.began, now, open)}
	lines = append(lines, t.change(r, open)...)
	if open {
		lines = append(lines, t.detail(r)...)
	}
	return lines
}

// line is the call on one line: name, argument, time, outcome.
func (t *toolCall) line(r *renderer, began, now time.Time, open bool) string {
	var tail []string
	switch {
	case !t.done && t.lost && !t.called:
		tail = append(tail, interruptedWord)
	case !t.done && t.lost:
		tail = append(tail, "no result")
	case !t.done && !t.called:
		tail = append(tail, fmt.Sprintf("arguments %s", bytesWords(len(t.arguments))))
	case !t.done && t.waits:
		tail = append(tail, "waiting")
	case !t.done:
		tail = append(tail, "running")
		if !began.IsZero() {
			tail = append(tail, clock(now.Sub(began)))
		}
	default:
		if t.took > 0 {
			tail = append(tail, seconds(t.took))
		}
		if o := t.outcome(); o != "" {
			tail = append(tail, r.near(o))
		}
	}
	name := cleanLine(t.name)
	about := r.near(t.about())
	rest := strings.Join(tail, r.dot)
	fold := ""
	if t.done && (t.output != "" || t.arguments != "" && t.arguments != "{}") {
		fold = " " + r.folded
		if open {
			fold = " " + r.theme.shapes.open
		}
	}
	room := r.width - r.method.StringWidth(name) - r.method.StringWidth(fold)
	if about != "" {
		room--
	}
	rest = r.fit(rest, max(room-min(r.method.StringWidth(about), room/2)-r.method.StringWidth(r.dot), 0))
	about = r.fit(about, max(room-r.method.StringWidth(rest)-r.method.StringWidth(r.dot), 0))
	line := r.bold.Render(r.fit(name, r.width))
	if about != "" {
		line += " " + about
	}
	if rest != "" {
		style := r.soft
		if t.failed {
			style = r.failed
		}
		line += style.Render(r.dot + rest)
	}
	return line + r.soft.Render(fold)
}

// outcome is the short form of the result.
func (t *toolCall) outcome() string {
	text := t.summary
	if text == "" {
		text = t.output
	}
	line := firstLine(text)
	if about := t.about(); about != "" {
		line = withoutArgument(line, about)
	}
	if t.failed {
		for _, prefix := range []string{"Tool execution failed: ", "Execution failed: "} {
			line = strings.TrimPrefix(line, prefix)
		}
		return "failed: " + shorter(line)
	}
	return shorter(strings.TrimPrefix(line, t.name+" "))
}

var (
	eitherPlural = regexp.MustCompile(`(\d+) ([a-z]+(?: [a-z]+)?)\((e?s)\)`)
	exitCode     = regexp.MustCompile(`^Exit code:? (\d+)`)
)

// shorter says a tool's own words in fewer: the call's name stands before
// them.
func shorter(line string) string {
	line = exitCode.ReplaceAllString(line, "exit $1")
	return eitherPlural.ReplaceAllStringFunc(line, func(s string) string {
		m := eitherPlural.FindStringSubmatch(s)
		if m[1] == "1" {
			return "1 " + m[2]
		}
		return m[1] + " " + m[2] + m[3]
	})
}

// change shows what Edit and Write do to a file.
func (t *toolCall) change(r *renderer, open bool) []string {
	if !t.called || t.failed {
		return nil
	}
	args := t.parsed()
	str := func(key string) string { s, _ := args[key].(string); return clean(s) }
	var rows []diffRow
	switch t.name {
	case "Edit":
		rows = diffLines(str("old_string"), str("new_string"))
	case "Write":
		rows = diffLines("", str("content"))
	default:
		return nil
	}
	most := foldedDiff
	if open {
		most = unfoldedMost
	}
	var out []string
	for i, row := range rows {
		if i == most {
			out = append(out, r.soft.Render(fmt.Sprintf("  %s %d more lines", r.ellipsis, len(rows)-i)))
			break
		}
		style := r.soft
		switch row.mark {
		case '+':
			style = r.added
		case '-':
			style = r.removed
		}
		out = append(out, style.Render(r.fit(string(row.mark)+" "+row.text, r.width)))
	}
	return out
}

// detail is the whole call and its result.
func (t *toolCall) detail(r *renderer) []string {
	var lines []string
	if t.name != "Edit" && t.name != "Write" {
		args := t.parsed()
		for _, key := range sortedKeys(args) {
			value, ok := args[key].(string)
			if !ok {
				b, _ := json.Marshal(args[key]) // it came from JSON
				value = string(b)
			}
			for i, l := range r.wrapAll(clean(value), r.width-len(key)-4) {
				head := strings.Repeat(" ", len(key)+2)
				if i == 0 {
					head = cleanLine(key) + ": "
				}
				lines = append(lines, r.soft.Render("  "+head)+l)
			}
		}
	}
	if t.output != "" {
		for _, l := range r.wrapAll(t.output, r.width-2) {
			lines = append(lines, "  "+l)
		}
	}
	if more := len(lines) - unfoldedMost; more > 0 {
		lines = append(lines[:unfoldedMost:unfoldedMost], r.soft.Render(fmt.Sprintf("  %s %d more lines; podium history has all of it", r.ellipsis, more)))
	}
	if t.cut > 0 {
		lines = append(lines, r.soft.Render(fmt.Sprintf("  %s %s more; podium history has all of it", r.ellipsis, bytesWords(t.cut))))
	}
	return lines
}

// withoutArgument takes out of an outcome what stands beside it anyway.
func withoutArgument(line, about string) string {
	before, after, found := strings.Cut(line, about)
	if !found {
		return line
	}
	before = strings.TrimRight(before, " :")
	for _, word := range []string{"from", "to", "in", "of"} {
		before = strings.TrimSuffix(before, " "+word)
	}
	return strings.Trim(before+" "+strings.TrimLeft(after, " :-"), " ")
}

// near leaves the agent's own folder out of a path.
func (r *renderer) near(text string) string {
	if r.dir == "" {
		return text
	}
	return strings.ReplaceAll(text, strings.TrimSuffix(r.dir, "/")+"/", "")
}
