package builtin

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"podium.local/tool"
)

const writeName = "Write"

//go:embed write.md
var writeDescription string

var writeSignature = newSignature(writeName, writeDescription, `{
	"type": "object",
	"properties": {
		"file_path": {"type": "string", "description": "Absolute path of the file"},
		"content": {"type": "string", "description": "What the file is to hold, all of it"}
	},
	"required": ["file_path", "content"],
	"additionalProperties": false
}`)

var (
	errNotRead  = errors.New("file has not been read in this session; read it first")
	errModified = errors.New("file was modified externally after last read")
)

// write creates a file or replaces all of one that the model has read.
type write struct {
	scope   *tool.Scope
	tracker *Tracker
}

func (*write) Spec() tool.Spec { return writeSignature.spec }

func (w *write) Run(ctx context.Context, args json.RawMessage) tool.Result {
	var a struct {
		Path    string `json:"file_path"`
		Content string `json:"content"`
	}
	if err := writeSignature.decode(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	place, err := w.scope.Writable(a.Path)
	if err != nil {
		return tool.Failed(err)
	}
	w.tracker.files.Lock()
	defer w.tracker.files.Unlock()
	dir, err := w.scope.MakeParent(place)
	if err != nil {
		return tool.Failed(err)
	}
	defer dir.Close()
	verb := "Overwrote"
	old, err := w.tracker.unchanged(ctx, dir, place, io.Discard)
	if errors.Is(err, tool.ErrNotFound) {
		verb = "Created"
	} else if err != nil {
		return tool.Failed(err)
	}
	content := []byte(a.Content)
	if err := w.tracker.replace(ctx, dir, place, content, old); err != nil {
		return tool.Failed(err)
	}
	return tool.Result{Summary: fmt.Sprintf("%s %s (%d bytes)", verb, a.Path, len(content))}
}

// unchanged reads a file that is about to be changed into to, and gives its
// mode and owner. The error is a *tool.PathError when the model has not seen
// the file as it is, or may not change it.
func (t *Tracker) unchanged(ctx context.Context, dir *tool.Dir, place tool.Place, to io.Writer) (fs.FileInfo, error) {
	f, err := dir.OpenUpdate(filepath.Base(place.Real()))
	var pe *tool.PathError
	if errors.As(err, &pe) {
		return nil, &tool.PathError{Err: pe.Err, Path: place.String()}
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	seen, ok := t.last(place.Real())
	if !ok {
		return nil, &tool.PathError{Err: errNotRead, Path: place.String()}
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(hash, to), contextReader{ctx, f}); err != nil {
		return nil, fmt.Errorf("read %s: %w", place, cause(err))
	}
	if sum(hash.Sum(nil)) != seen {
		return nil, &tool.PathError{Err: errModified, Path: place.String()}
	}
	return f.Stat()
}

// replace writes a file as a whole and notes its new content. A call that was
// cancelled before this point changes nothing.
func (t *Tracker) replace(ctx context.Context, dir *tool.Dir, place tool.Place, content []byte, old fs.FileInfo) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := dir.Replace(filepath.Base(place.Real()), content, old); err != nil {
		return err
	}
	t.note(place.Real(), sha256.Sum256(content))
	return nil
}
