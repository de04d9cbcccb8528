package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"podium.local/tool"
)

const (
	readName = "Read"
	// maxRead is the size of the largest file that is read, in bytes. All of a
	// file is read whatever part is shown, and writers wait meanwhile.
	maxRead = 256 << 20
)

//go:embed read.md
var readDescription string

var readSignature = newSignature(readName, readDescription, `{
	"type": "object",
	"properties": {
		"file_path": {"type": "string", "description": "Absolute path of the file"},
		"offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Lines to skip from the start"},
		"limit": {"type": "integer", "minimum": 1, "default": 2000, "description": "Lines to return at most"}
	},
	"required": ["file_path"],
	"additionalProperties": false
}`)

// read shows a file as numbered lines and notes what it holds.
type read struct {
	scope   *tool.Scope
	tracker *Tracker
	limit   int
}

func (*read) Spec() tool.Spec { return readSignature.spec }

func (r *read) Run(ctx context.Context, args json.RawMessage) tool.Result {
	a := struct {
		Path   string `json:"file_path"`
		Offset int    `json:"offset"`
		Limit  int    `json:"limit"`
	}{Limit: 2000}
	if err := readSignature.decode(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	place, err := r.scope.Readable(a.Path)
	if err != nil {
		return tool.Failed(err)
	}
	r.tracker.files.RLock()
	defer r.tracker.files.RUnlock()
	f, err := r.scope.OpenFile(place)
	if err != nil {
		return tool.Failed(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxRead {
		return tool.InvalidArgument(fmt.Errorf("%s has %d bytes, the most that can be read is %d: find what you need with Grep, or copy a part of it to another file", a.Path, info.Size(), maxRead))
	}
	l, err := numberLines(ctx, f, a.Offset, a.Limit, r.limit)
	if err != nil {
		return tool.ExecutionFailed(fmt.Errorf("read %s: %w", a.Path, cause(err)))
	}
	r.tracker.note(place.Real(), l.sum)
	if a.Offset > 0 && a.Offset >= l.total {
		return tool.InvalidArgument(fmt.Errorf("offset %d is past the end: %s has %d line(s)", a.Offset, a.Path, l.total))
	}
	summary := fmt.Sprintf("Read %d line(s) from %s", l.shown, a.Path)
	if l.shown < l.total {
		summary = fmt.Sprintf("Read %d line(s) [%d..%d] of %d from %s", l.shown, a.Offset+1, a.Offset+l.shown, l.total, a.Path)
	}
	return tool.Result{Summary: summary, Content: l.text.String(), Full: l.text.Len()}
}

// numbered is part of a file as numbered lines, and what the whole of it is.
type numbered struct {
	text         *tool.Clip
	shown, total int
	sum          sum
}

// numberLines reads the whole of a file, holding no more of it than keep
// bytes, and takes the lines from offset on, limit of them. Bytes that are no
// UTF-8 come out as U+FFFD.
func numberLines(ctx context.Context, f io.Reader, offset, limit, keep int) (numbered, error) {
	n := numbered{text: tool.NewClip(keep)}
	hash := sha256.New()
	lines := newLineReader(io.TeeReader(contextReader{ctx, f}, hash), keep)
	for {
		line, cut, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return n, err
		}
		n.total++
		if n.total <= offset || n.total-offset > limit {
			continue
		}
		n.shown++
		fmt.Fprintf(n.text, "%6d\t%s", n.total, bytes.ToValidUTF8(line, replacement))
		n.text.Skip(cut)
		n.text.WriteString("\n")
	}
	hash.Sum(n.sum[:0])
	return n, nil
}
