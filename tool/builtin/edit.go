package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"podium.local/tool"
)

const editName = "Edit"

// maxEdit is the largest file that Edit takes, in bytes: it holds the old and
// the new text in memory.
const maxEdit = 64 << 20

//go:embed edit.md
var editDescription string

var editSignature = newSignature(editName, editDescription, `{
	"type": "object",
	"properties": {
		"file_path": {"type": "string", "description": "Absolute path of the file"},
		"old_string": {"type": "string", "description": "Text to replace, exactly as it stands in the file"},
		"new_string": {"type": "string", "description": "Text to put in its place"},
		"replace_all": {"type": "boolean", "default": false, "description": "Replace every occurrence instead of the only one"}
	},
	"required": ["file_path", "old_string", "new_string"],
	"additionalProperties": false
}`)

var (
	errNotText     = errors.New("file is not valid UTF-8; Edit changes text only")
	errTooLarge    = fmt.Errorf("file is larger than the %d MiB that Edit takes", maxEdit>>20)
	errNoMatch     = errors.New("string not found in file")
	errNoMatchCRLF = errors.New(`string not found in file, whose lines end in \r\n; give old_string with them`)
)

// edit replaces text in a file that the model has read.
type edit struct {
	scope   *tool.Scope
	tracker *Tracker
}

type editArgs struct {
	Path string `json:"file_path"`
	Old  string `json:"old_string"`
	New  string `json:"new_string"`
	All  bool   `json:"replace_all"`
}

func (*edit) Spec() tool.Spec { return editSignature.spec }

func (e *edit) Run(ctx context.Context, args json.RawMessage) tool.Result {
	var a editArgs
	if err := editSignature.decode(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	switch {
	case a.Old == "":
		return tool.InvalidArgument(errors.New("old_string must not be empty; use Write to create a file"))
	case a.Old == a.New:
		return tool.InvalidArgument(errors.New("old_string and new_string are the same; nothing to change"))
	}
	place, err := e.scope.Writable(a.Path)
	if err != nil {
		return tool.Failed(err)
	}
	e.tracker.files.Lock()
	defer e.tracker.files.Unlock()
	dir, err := e.scope.OpenParent(place)
	if err != nil {
		return tool.Failed(err)
	}
	defer dir.Close()
	text := bounded{max: maxEdit}
	old, err := e.tracker.unchanged(ctx, dir, place, &text)
	if text.over {
		err = &tool.PathError{Err: errTooLarge, Path: a.Path}
	}
	if err != nil {
		return tool.Failed(err)
	}
	changed, at, n, err := a.apply(text.buf.String())
	if err != nil {
		return tool.Failed(&tool.PathError{Err: err, Path: a.Path})
	}
	if err := e.tracker.replace(ctx, dir, place, []byte(changed), old); err != nil {
		return tool.Failed(err)
	}
	return tool.Result{
		Summary: fmt.Sprintf("Edited %s (%d replacement(s))", a.Path, n),
		Content: preview(changed, at, at+len(a.New)),
	}
}

// apply gives the changed text, where the first replacement begins in it and
// how many there were.
func (a editArgs) apply(text string) (changed string, at, n int, err error) {
	if !utf8.ValidString(text) {
		return "", 0, 0, errNotText
	}
	at = strings.Index(text, a.Old)
	if at < 0 {
		if strings.Contains(a.Old, "\n") && strings.Contains(text, strings.ReplaceAll(a.Old, "\n", "\r\n")) {
			return "", 0, 0, errNoMatchCRLF
		}
		return "", 0, 0, errNoMatch
	}
	if a.All {
		return strings.ReplaceAll(text, a.Old, a.New), at, strings.Count(text, a.Old), nil
	}
	// An overlapping occurrence is as much a place that could be meant.
	_, first := utf8.DecodeRuneInString(a.Old)
	if strings.Contains(text[at+first:], a.Old) {
		return "", 0, 0, fmt.Errorf("string is not unique in file (%d occurrences); add surrounding lines or pass replace_all",
			max(strings.Count(text, a.Old), 2))
	}
	return text[:at] + a.New + text[at+len(a.Old):], at, 1, nil
}

// preview shows the lines of text[from:to] and three lines around them,
// numbered; the middle of a long change is left out.
func preview(text string, from, to int) string {
	const around, long = 3, 20
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	first := strings.Count(text[:from], "\n")
	last := first + strings.Count(strings.TrimSuffix(text[from:to], "\n"), "\n")
	begin, end := max(first-around, 0), min(last+around+1, len(lines))
	var b strings.Builder
	for i := begin; i < end; i++ {
		if gap := last - first + 1 - 2*around; gap > long && i == first+around {
			fmt.Fprintf(&b, "     …\t(%d lines)\n", gap)
			i += gap
		}
		fmt.Fprintf(&b, "%6d\t%s\n", i+1, strings.TrimRight(lines[i], "\r\n"))
	}
	return b.String()
}

// bounded collects at most max bytes and remembers whether there were more.
type bounded struct {
	buf  bytes.Buffer
	max  int
	over bool
}

var errOver = errors.New("too long")

func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.max {
		b.over = true
		return 0, errOver
	}
	return b.buf.Write(p)
}
