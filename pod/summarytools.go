package pod

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"podium.local/llm"
	"podium.local/tool"
)

// Names of the summary worker's own tools.
const (
	toolWriteSummary = "write_summary"
	toolMarkRequired = "mark_read_required"
	toolAddReference = "add_reference"
)

// specs are the tools the worker offers. Without a reader there is no file to
// mark.
func (w *worker) specs() []llm.ToolSpec {
	specs := []llm.ToolSpec{
		{
			Name:        toolWriteSummary,
			Description: "Store the summary. A later call replaces the earlier one.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"the whole summary"}},"required":["text"],"additionalProperties":false}`),
		},
		{
			Name:        toolAddReference,
			Description: "Name a file that the agent may want to read later. Only its path is kept.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string","description":"absolute path"}},"required":["file_path"],"additionalProperties":false}`),
		},
	}
	if w.reader == nil {
		return specs
	}
	r := w.reader.Spec()
	return append(specs,
		llm.ToolSpec{
			Name:        toolMarkRequired,
			Description: "Put lines of a file in front of the agent at once. They cost tokens of a small budget: mark only what it needs.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string","description":"absolute path"},"offset":{"type":"integer","minimum":0,"description":"first line, from 0"},"limit":{"type":"integer","minimum":1,"description":"number of lines"}},"required":["file_path"],"additionalProperties":false}`),
		},
		llm.ToolSpec{Name: r.Name, Description: r.Description, Schema: r.Schema})
}

// call executes one call of the worker.
func (w *worker) call(ctx context.Context, c llm.ToolCall) tool.Result {
	switch c.Name {
	case toolWriteSummary:
		return w.writeSummary(c.Arguments)
	case toolAddReference:
		return w.addReference(c.Arguments)
	}
	if w.reader != nil {
		switch c.Name {
		case toolMarkRequired:
			return w.markRequired(ctx, c.Arguments)
		case w.reader.Spec().Name:
			return w.reader.Run(ctx, c.Arguments)
		}
	}
	return tool.Unknown(c.Name)
}

func (w *worker) writeSummary(args json.RawMessage) tool.Result {
	var a struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	if a.Text == "" {
		return tool.InvalidArgument(errors.New("text is empty"))
	}
	w.out.text = a.Text
	return tool.Result{Summary: "summary stored"}
}

func (w *worker) addReference(args json.RawMessage) tool.Result {
	var a struct {
		FilePath string `json:"file_path"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	if a.FilePath == "" {
		return tool.InvalidArgument(errors.New("file_path is empty"))
	}
	if !slices.Contains(w.out.references, a.FilePath) {
		w.out.references = append(w.out.references, a.FilePath)
	}
	return tool.Result{Summary: "reference noted: " + a.FilePath}
}

// markRequired reads the lines with the file reader, so that its rules hold,
// and keeps what it gave.
func (w *worker) markRequired(ctx context.Context, args json.RawMessage) tool.Result {
	var a struct {
		FilePath string `json:"file_path"`
		Offset   int    `json:"offset"`
		Limit    *int   `json:"limit"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	read := w.reader.Run(ctx, args)
	if read.IsError {
		return read
	}
	cost := (int64(len(read.Content)) + 3) / 4
	if w.budget >= 0 && cost > w.budget {
		return tool.InvalidArgument(fmt.Errorf("these lines take %d tokens, the budget has %d left: mark fewer lines", cost, w.budget))
	}
	w.out.files = append(w.out.files, autoRead{name: a.FilePath + lineRange(a.Offset, a.Limit), text: read.Content})
	if w.budget < 0 {
		return tool.Result{Summary: "marked " + a.FilePath}
	}
	w.budget -= cost
	text := fmt.Sprintf("marked %s; %d tokens of the budget are left", a.FilePath, w.budget)
	if w.budget < w.p.o.Compaction.AutoReadBudget/2 {
		text += ": mark only what is needed at once"
	}
	return tool.Result{Summary: text}
}

// lineRange is how a slice is named, in lines from 1.
func lineRange(offset int, limit *int) string {
	switch {
	case limit != nil:
		return fmt.Sprintf(":%d-%d", offset+1, offset+*limit)
	case offset > 0:
		return fmt.Sprintf(":%d-", offset+1)
	default:
		return ""
	}
}
