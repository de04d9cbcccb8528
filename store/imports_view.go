package store

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// ListImports reads a page of the ledger of imported files, the last read
// first, with the number of all that match. An empty tool matches all.
func (v *View) ListImports(ctx context.Context, tool string, limit int, offset int64) (files []session.ImportFile, total int64, err error) {
	_, err = v.read(ctx, bounded, "read import ledger", func(s *snap) error {
		if !s.facts.has("import_files") {
			return nil
		}
		const matches = " FROM import_files WHERE (?1 = '' OR tool = ?1)"
		if total, err = s.integer("SELECT count(*)"+matches, tool); err != nil {
			return err
		}
		return s.each("SELECT "+importFileColumns+matches+" ORDER BY read_at DESC, file_key DESC LIMIT ?2 OFFSET ?3", func(stmt *sqlite3.Stmt) error {
			f, err := scanImportFile(stmt)
			files = append(files, f)
			return err
		}, tool, limit, offset)
	})
	if err != nil {
		return nil, 0, err
	}
	return files, total, nil
}
