package studio

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"unicode/utf8"

	"podium.local/session"
)

// maxFile is how much of an artifact file is shown, in bytes.
const maxFile = 2_000_000

// fileBody is GET /api/runs/{id}/file.
type fileBody struct {
	Path      string `json:"path"`
	Content   string `json:"content"`
	Size      int64  `json:"size" doc:"Bytes of the whole file."`
	Truncated bool   `json:"truncated" doc:"Only the first 2,000,000 bytes are shown."`
}

var fileParams = params{list: []param{
	{name: "path", kind: stringParam, required: true, doc: "File below the artifact folder; relative, or absolute inside it."},
}}

// getFile answers GET /api/runs/{id}/file: the text of a regular file below
// the run's artifact folder, which itself must lie in a folder that the
// configuration names.
func (s *Server) getFile(r *request) (any, error) {
	name, _ := r.values.str("path")
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	row, err := s.cfg.Sources.Sessions.SessionRow(r.Context(), r.id())
	if errors.Is(err, session.ErrNotFound) {
		return nil, failf(http.StatusNotFound, "Run '%s' not found", r.id())
	}
	if err != nil {
		return nil, err
	}
	if row.ArtifactsPath == nil || *row.ArtifactsPath == "" {
		return nil, failf(http.StatusNotFound, "Run '%s' has no artifact root", r.id())
	}
	root, dir, err := s.fence.openRoot(*row.ArtifactsPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failf(http.StatusNotFound, "Run artifact root no longer exists")
	case errors.Is(err, errOutside):
		return nil, failf(http.StatusForbidden, "The artifact folder is outside the folders that may be read; name one of its parents in studio.artifact_roots")
	case err != nil:
		return nil, failf(http.StatusForbidden, "The artifact folder is not accessible")
	}
	defer root.Close()
	rel := filepath.FromSlash(name)
	if filepath.IsAbs(rel) {
		if rel, err = filepath.Rel(dir, filepath.Clean(rel)); err != nil {
			rel = ".."
		}
	}
	rel = filepath.Clean(rel)
	if rel == "." || !filepath.IsLocal(rel) {
		return nil, failf(http.StatusForbidden, "Path '%s' is outside the artifact folder", name)
	}
	file, info, err := openRegular(root, rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failf(http.StatusNotFound, "File '%s' not found", name)
	case err != nil:
		return nil, failf(http.StatusForbidden, "File '%s' is not accessible", name)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, failf(http.StatusForbidden, "File '%s' is not accessible", name)
	}
	content, truncated, ok := shownText(raw)
	if !ok {
		return nil, failf(http.StatusUnsupportedMediaType, "File is not text/UTF-8")
	}
	r.header().Set("Cache-Control", "no-store")
	return fileBody{Path: filepath.ToSlash(rel), Content: content, Size: info.Size(), Truncated: truncated}, nil
}

// shownText cuts a text at the limit; a character that the cut splits becomes
// the replacement character, anything else that is not UTF-8 is no text.
func shownText(raw []byte) (content string, truncated, ok bool) {
	if len(raw) <= maxFile {
		return string(raw), false, utf8.Valid(raw)
	}
	end := maxFile
	for end > maxFile-utf8.UTFMax && !utf8.RuneStart(raw[end]) {
		end--
	}
	if !utf8.Valid(raw[:end]) {
		return "", true, false
	}
	if end < maxFile {
		if !splitRune(raw[end:]) {
			return "", true, false
		}
		return string(raw[:end]) + "\uFFFD", true, true
	}
	return string(raw[:end]), true, true
}

// splitRune reports whether b begins a character that more bytes could
// complete.
func splitRune(b []byte) bool {
	return utf8.RuneStart(b[0]) && !utf8.FullRune(b) || utf8.Valid(b)
}
