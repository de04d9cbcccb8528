package pod

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"podium.local/llm"
	"podium.local/session"
	"podium.local/tool"
)

// Limits of the summary worker.
const (
	summaryMaxTokens = 4096
	recentFiles      = 5
)

// summary is what the worker gave. Its usage counts also when it failed.
type summary struct {
	text       string
	files      []autoRead
	references []string
	usage      *session.Usage
}

// autoRead is a slice of a file that the next context begins with.
type autoRead struct{ name, text string }

const (
	summarySystem = `You write the summary that replaces the older part of a conversation between a user and an agent. The agent goes on from your summary alone, so whatever it still needs must stand in it.`

	summaryOpening = `Below is the older part of the conversation. Call write_summary once with a summary of 1000 to 2000 tokens, without code, under these five headings:

## Completed tasks
## Active task
## Key decisions
## User directives
(word for word)
## Current work
`
	summaryFiles = `
These files were touched last. If the agent will need one of them at once, look at it with Read and mark the lines it needs with mark_read_required; name others with add_reference.
`
	summaryClosing = `That is the conversation. Now call write_summary.`
	nudgeSummary   = `You have not called write_summary yet. Call it now with the summary.`
	nudgeFiles     = `The summary is noted. If one of the files touched last will be needed at once, mark it with mark_read_required; else say that you are done.`
)

// errNoSummary is the failure of a worker that wrote none.
var errNoSummary = errors.New("compact worker did not produce a summary (write_summary was never called)")

// worker is one throw-away conversation that ends in a summary. Nothing of it
// reaches the clients or the log; its tokens are counted.
type worker struct {
	p        *Pod
	provider llm.Provider
	model    string
	reader   tool.Tool // nil when there is none
	out      summary
	budget   int64 // tokens of file text that are left; negative: no bound
	messages []llm.Message
	usage    llm.Usage
	// broken says that a request has no end, so that what it costs is not known.
	broken   bool
	requests int
	occupied int64 // measured by the newest request, with its answer
	unread   int64 // bytes added since
}

// summarise has the items summarised, within the limits of the settings.
func (p *Pod) summarise(ctx context.Context, items []session.Item) (summary, error) {
	o := p.o.Compaction
	ctx, cancel := context.WithTimeoutCause(ctx, o.Deadline,
		fmt.Errorf("the summary was not written within %s", o.Deadline))
	defer cancel()
	w := &worker{p: p, provider: o.Provider, model: o.Model, budget: o.AutoReadBudget}
	if w.budget == 0 {
		w.budget = -1
	}
	if o.Read != nil {
		w.reader = o.Read()
	}
	err := w.work(ctx, items)
	w.out.usage = priced(o.Price, w.model, w.usage)
	if w.broken {
		w.out.usage = brokenOff(w.usage)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return w.out, context.Cause(ctx)
	case err != nil:
		return w.out, err
	case w.out.text == "":
		return w.out, errNoSummary
	}
	return w.out, nil
}

// work runs the conversation: until the model asks for nothing more, and once
// again after a nudge when something is missing.
func (w *worker) work(ctx context.Context, items []session.Item) error {
	recent := touched(items)
	opening := summaryOpening
	if len(recent) > 0 && w.reader != nil {
		opening += summaryFiles + "- " + strings.Join(recent, "\n- ") + "\n"
	}
	// Half of what the worker may hold is left for what it reads and writes.
	text := overview(items, int(w.p.o.Compaction.MaxInput/2)*4)
	w.say(opening + "\n" + text + "\n\n" + summaryClosing)
	if err := w.converse(ctx); err != nil {
		return err
	}
	switch {
	case w.out.text == "":
		w.say(nudgeSummary)
	case len(w.out.files) == 0 && len(recent) > 0 && w.reader != nil:
		w.say(nudgeFiles)
	default:
		return nil
	}
	return w.converse(ctx)
}

func (w *worker) say(text string) {
	w.unread += int64(len(text))
	w.messages = appendBlock(w.messages, llm.RoleUser, llm.Text{Text: text})
}

// converse asks until an answer calls no tool.
func (w *worker) converse(ctx context.Context) error {
	o := w.p.o.Compaction
	for {
		if w.requests++; w.requests > o.MaxTurns {
			return fmt.Errorf("compact worker made more than %d requests", o.MaxTurns)
		}
		if n := w.occupied + w.unread/4; n > o.MaxInput {
			return fmt.Errorf("compact worker input exceeded %d tokens", o.MaxInput)
		}
		calls, err := w.ask(ctx)
		if err != nil {
			return err
		}
		for _, c := range calls {
			r := w.call(ctx, c)
			w.unread += int64(len(r.Text()))
			w.messages = appendBlock(w.messages, llm.RoleUser, llm.ToolResult{CallID: c.ID, Text: r.Text(), IsError: r.IsError})
		}
		if len(calls) == 0 {
			return nil
		}
	}
}

// ask makes one request and adds its answer to the conversation.
func (w *worker) ask(ctx context.Context) ([]llm.ToolCall, error) {
	zero := 0.0
	req := llm.Request{
		Model: w.model, System: summarySystem, Messages: w.messages, Tools: w.specs(),
		MaxTokens: summaryMaxTokens, Temperature: &zero,
	}
	retry := w.p.o.Retry
	for attempt := 1; ; attempt++ {
		a, err := collect(ctx, w.provider, req, w.p.o.Timeouts)
		w.spend(a.usage)
		if err != nil {
			w.broken = w.broken || a.begun || ctx.Err() != nil
			wait, again := retry.after(attempt, err)
			if !again || ctx.Err() != nil ||
				!w.p.waitToRetry(ctx, attempt, retry.Attempts, wait, fmt.Errorf("the summary request failed: %w", err)) {
				return nil, err
			}
			continue
		}
		for _, b := range a.blocks {
			w.messages = appendBlock(w.messages, llm.RoleAssistant, b)
		}
		return a.calls, nil
	}
}

// spend adds a request's usage and takes its measurement.
func (w *worker) spend(u llm.Usage) {
	add := func(sum **int64, n *int64) {
		if n == nil {
			return
		}
		total := *n
		if *sum != nil {
			total += **sum
		}
		*sum = &total
	}
	add(&w.usage.Input, u.Input)
	add(&w.usage.Output, u.Output)
	add(&w.usage.CacheRead, u.CacheRead)
	add(&w.usage.CacheWrite, u.CacheWrite)
	add(&w.usage.Reasoning, u.Reasoning)
	if u.Input != nil {
		w.occupied, w.unread = *u.Input, 0
		if u.Output != nil {
			w.occupied += *u.Output
		}
	}
}

// touched are the files that the newest calls named, newest first.
func touched(items []session.Item) []string {
	var paths []string
	for _, i := range slices.Backward(items) {
		if i.Kind != session.KindToolCall || len(paths) == recentFiles {
			continue
		}
		var args struct {
			FilePath string `json:"file_path"`
		}
		if json.Unmarshal(i.Call.Arguments, &args) == nil && args.FilePath != "" && !slices.Contains(paths, args.FilePath) {
			paths = append(paths, args.FilePath)
		}
	}
	return paths
}

// overview renders the conversation for the worker in at most so many bytes:
// first long paragraphs are shortened, then those in the middle are left out.
func overview(items []session.Item, most int) string {
	for _, longest := range []int{most, 8000, 2000, 500, 200} {
		if parts := paragraphs(items, longest); size(parts) <= most || longest == 200 {
			return strings.Join(dropMiddle(parts, most), "\n\n")
		}
	}
	return ""
}

func paragraphs(items []session.Item, longest int) []string {
	var parts []string
	add := func(who, text string) {
		if cut := session.Clip(text, longest); cut != text {
			text = cut + " […]"
		}
		parts = append(parts, who+" "+text)
	}
	for _, i := range items {
		switch i.Kind {
		case session.KindToolCall:
			add("[ToolCall]", i.Call.Name)
		case session.KindToolResult:
			add("[ToolResult]", i.Result.Summary)
		case session.KindReasoning:
		case session.KindText:
			add("[Assistant]", i.Text)
		default:
			who := "[User]"
			if i.Role == session.RoleSystem {
				who = "[System]"
			}
			add(who, i.Text)
		}
	}
	return parts
}

func size(parts []string) (n int) {
	for _, p := range parts {
		n += len(p) + 2
	}
	return n
}

// dropMiddle keeps the beginning, where the task was given, and as much of
// the end as fits.
func dropMiddle(parts []string, most int) []string {
	if size(parts) <= most {
		return parts
	}
	var head, tail []string
	left := most - 64 // for the note
	for len(head) < len(parts) && len(parts[len(head)])+2 <= left-most*3/4 {
		left -= len(parts[len(head)]) + 2
		head = append(head, parts[len(head)])
	}
	rest := parts[len(head):]
	for n := len(rest) - 1; n >= 0 && len(rest[n])+2 <= left; n-- {
		left -= len(rest[n]) + 2
		tail = append(tail, rest[n])
	}
	slices.Reverse(tail)
	note := fmt.Sprintf("[%d paragraphs are left out here]", len(rest)-len(tail))
	return append(append(head, note), tail...)
}
