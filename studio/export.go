package studio

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"podium.local/session"
)

var exportParams = params{strict: true, list: []param{
	{name: "format", kind: stringParam, defText: "jsonl", words: ExportFormats, doc: "jsonl: one entry a line; md: Markdown for reading."},
}}

// exportSession answers GET /api/sessions/{id}/export with the whole log,
// streamed. When the log cannot be read to its end the connection breaks, so
// that half an export is not taken for a whole one.
func (s *Server) exportSession(r *request) {
	format := "jsonl"
	if word, given := r.values.str("format"); given {
		format = word
	}
	media := map[string]string{"jsonl": "application/jsonl", "md": "text/markdown; charset=utf-8"}[format]
	if media == "" {
		s.writeProblem(r.w, r.Request, failf(http.StatusUnprocessableEntity, "format must be one of: jsonl, md"))
		return
	}
	if err := s.requireFile(r); err != nil {
		s.writeProblem(r.w, r.Request, problemOf(err))
		return
	}
	row, err := s.cfg.Sources.Sessions.SessionRow(r.Context(), r.id())
	if err != nil {
		s.writeProblem(r.w, r.Request, problemOf(sessionProblem(r, err)))
		return
	}
	h := r.header()
	h.Set("Content-Type", media)
	h.Set("Content-Disposition", `attachment; filename="session-`+fileName(row.ID)+"."+format+`"`)
	h.Set("Cache-Control", "no-store")
	control := http.NewResponseController(r.w)
	err = Export(r.w, format, &row, func(yield func(session.Entry, error) bool) {
		for e, err := range s.cfg.Sources.Logs.WalkLog(r.Context(), r.id()) {
			_ = control.SetWriteDeadline(time.Now().Add(streamWrite))
			if !yield(e, err) {
				return
			}
		}
	})
	if err != nil {
		s.log.Warn("export broke off", "error", err)
		panic(http.ErrAbortHandler)
	}
}

// ExportFormats are the formats of Export.
var ExportFormats = []string{"jsonl", "md"}

// Export writes the whole log of a session: one entry a line, or Markdown for
// reading. It ends at the first error, with less than the whole written.
func Export(w io.Writer, format string, row *session.Row, log iter.Seq2[session.Entry, error]) error {
	out := bufio.NewWriterSize(w, 64<<10)
	write := writeJSONL
	if format == "md" {
		write = writeMarkdown
		fmt.Fprintf(out, "# %s\n\nSession `%s`\n", markdownLine(displayName(row)), row.ID)
	}
	for e, err := range log {
		if err == nil {
			err = write(out, &e)
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// fileName keeps what every file system takes of an id.
func fileName(id string) string {
	name := strings.Map(func(c rune) rune {
		if c < 0x80 && (c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return c
		}
		return '_'
	}, id)
	return firstRunes(name, 64)
}

func writeJSONL(w io.Writer, e *session.Entry) error {
	line, err := encode(entryOf(e))
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// writeMarkdown renders one entry for reading. Text of others goes into
// fences that it cannot close.
func writeMarkdown(w io.Writer, e *session.Entry) error {
	at := e.CreatedAt.UTC().Format(time.RFC3339)
	var err error
	switch e.Kind {
	case session.KindInput:
		var p session.Input
		if err = json.Unmarshal(e.Payload, &p); err == nil {
			_, err = fmt.Fprintf(w, "\n## You · %s\n\n%s\n", at, p.Text)
		}
	case session.KindText:
		var p session.Text
		if err = json.Unmarshal(e.Payload, &p); err == nil {
			_, err = fmt.Fprintf(w, "\n## Agent · %s\n\n%s\n", at, p.Text)
		}
	case session.KindReasoning:
		var p session.Reasoning
		if err = json.Unmarshal(e.Payload, &p); err == nil {
			_, err = fmt.Fprintf(w, "\n### Reasoning · %s\n\n%s\n", at, fenced(p.Text))
		}
	case session.KindSystem:
		var p session.System
		if err = json.Unmarshal(e.Payload, &p); err == nil {
			_, err = fmt.Fprintf(w, "\n### System · %s\n\n%s\n", at, fenced(p.Text))
		}
	case session.KindToolCall:
		var p session.ToolCall
		if err = json.Unmarshal(e.Payload, &p); err == nil {
			_, err = fmt.Fprintf(w, "\n### %s · %s\n\n%s\n", markdownLine(p.Name), at, fenced(string(p.Arguments)))
		}
	case session.KindToolResult:
		var p session.ToolResult
		if err = json.Unmarshal(e.Payload, &p); err == nil {
			word := "Result"
			if p.IsError {
				word = "Error"
			}
			_, err = fmt.Fprintf(w, "\n%s:\n\n%s\n", word, fenced(p.Output()))
		}
	case session.KindRunEnd:
		var p session.RunEnd
		if err = json.Unmarshal(e.Payload, &p); err == nil {
			_, err = fmt.Fprintf(w, "\n---\n\nRun %s · %s\n", p.Result, at)
			if why := cmp.Or(p.Error, p.Reason); err == nil && why != "" {
				_, err = fmt.Fprintf(w, "\n%s\n", fenced(why))
			}
		}
	case session.KindCompaction:
		var p session.Compaction
		if err = json.Unmarshal(e.Payload, &p); err == nil {
			_, err = fmt.Fprintf(w, "\n---\n\n%s · %s\n", compacted(p), at)
		}
	}
	if err != nil {
		return fmt.Errorf("writing entry %s: %w", e.ID, err)
	}
	return nil
}

// compacted says what a compaction did; what is unknown is a dash.
func compacted(p session.Compaction) string {
	count := func(n int64) string {
		if n == 0 {
			return "—"
		}
		return strconv.FormatInt(n, 10)
	}
	if p.FromSession == "" || p.FromSession == p.NewSession {
		return fmt.Sprintf("Compacted, %s to %s tokens", count(p.TokensBefore), count(p.TokensAfter))
	}
	return fmt.Sprintf("Continued from `%s`, %s to %s tokens", p.FromSession, count(p.TokensBefore), count(p.TokensAfter))
}

// fenced puts text into a code fence longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// markdownLine is text on one line of a heading.
func markdownLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, blank), " ")
}
