package studio

import (
	"podium.local/session"
)

// importFile is one file of another program in the import ledger.
type importFile struct {
	Tool      string           `json:"tool" doc:"The program that wrote it: claude-code or codex."`
	Path      string           `json:"path"`
	Size      int64            `json:"size" doc:"Bytes of the file when it was last read."`
	Cursor    int64            `json:"cursor" doc:"Bytes read for good."`
	Lines     int64            `json:"lines"`
	Kept      int64            `json:"kept" doc:"Entries stored."`
	Known     int64            `json:"known" doc:"Entries that were stored before."`
	Damaged   int64            `json:"damaged" doc:"Lines that could not be read."`
	Raw       int64            `json:"raw" doc:"Lines of unknown kinds, kept as they are."`
	Clamped   int64            `json:"clamped" doc:"Times that lay in the future."`
	Skipped   map[string]int64 `json:"skipped" doc:"Lines of which nothing was kept, by reason."`
	Problems  []importProblem  `json:"problems" nullable:"false" doc:"The first lines that could not be used."`
	LastError *string          `json:"last_error" doc:"Why it could not be read the last time."`
	ReadAt    number           `json:"read_at"`
	GoneAt    *number          `json:"gone_at" nullable:"true" doc:"When it was first missed."`
}

// importProblem is a line that could not be used.
type importProblem struct {
	Line   int64   `json:"line"`
	Offset int64   `json:"offset" doc:"Bytes."`
	Length int64   `json:"length" doc:"Bytes."`
	Text   string  `json:"text"`
	SHA256 *string `json:"sha256" doc:"Of a line that was too long to be decoded."`
}

// importsBody is GET /api/imports.
type importsBody struct {
	Imports []importFile `json:"imports" nullable:"false"`
	Total   int64        `json:"total"`
	Limit   int64        `json:"limit"`
	Offset  int64        `json:"offset"`
}

var importsParams = params{strict: true, list: []param{
	{name: "tool", kind: stringParam, doc: "Only files of this program."},
	{name: "limit", kind: intParam, def: 100, min: 1, max: maxPage, doc: "Files to return."},
	{name: "offset", kind: intParam, def: 0, min: 0, max: 1 << 40, doc: "Files to skip."},
}}

// listImports answers GET /api/imports.
func (s *Server) listImports(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	tool, _ := r.values.str("tool")
	body := importsBody{Imports: []importFile{}, Limit: r.values.ints["limit"], Offset: r.values.ints["offset"]}
	files, total, err := s.cfg.Sources.Imports.ListImports(r.Context(), tool, int(body.Limit), body.Offset)
	if err != nil {
		return nil, err
	}
	body.Total = total
	for i := range files {
		body.Imports = append(body.Imports, importFileOf(&files[i]))
	}
	return body, nil
}

func importFileOf(f *session.ImportFile) importFile {
	out := importFile{
		Tool: f.Tool, Path: f.Path, Size: f.Size, Cursor: f.Cursor, Lines: f.Lines, Kept: f.Kept, Known: f.Known,
		Damaged: f.Damaged, Raw: f.Raw, Clamped: f.Clamped, Skipped: f.Skipped, Problems: []importProblem{},
		LastError: optional(f.LastError), ReadAt: number(session.UnixSeconds(f.ReadAt)),
	}
	for _, p := range f.Problems {
		out.Problems = append(out.Problems, importProblem{Line: p.Line, Offset: p.Offset, Length: p.Length, Text: p.Text, SHA256: optional(p.SHA256)})
	}
	if !f.GoneAt.IsZero() {
		gone := number(session.UnixSeconds(f.GoneAt))
		out.GoneAt = &gone
	}
	return out
}
