package store

import (
	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// importedLineage is what an imported session comes from and what comes from
// it, nil for a session that was not imported.
func (s *snap) importedLineage(id string) (*session.ImportedLineage, error) {
	if !s.facts.has("import_sessions") {
		return nil, nil
	}
	var l session.ImportedLineage
	found, err := s.row("SELECT parent, forked_from FROM import_sessions WHERE session_id = ?", func(stmt *sqlite3.Stmt) error {
		for col, to := range []**session.SessionLink{&l.Parent, &l.ForkedFrom} {
			if other := optionalText(stmt, col); other != nil {
				*to = &session.SessionLink{SessionID: *other}
			}
		}
		return nil
	}, id)
	if err != nil || !found {
		return nil, err
	}
	for _, link := range []*session.SessionLink{l.Parent, l.ForkedFrom} {
		if link == nil {
			continue
		}
		_, err := s.row("SELECT name, created_at FROM sessions WHERE id = ?", func(stmt *sqlite3.Stmt) error {
			link.Name, link.At = optionalText(stmt, 0), optionalNumber(stmt, 1)
			return nil
		}, link.SessionID)
		if err != nil {
			return nil, err
		}
	}
	for column, to := range map[string]*[]session.SessionLink{"parent": &l.Subagents, "forked_from": &l.Forks} {
		err := s.each("SELECT i.session_id, x.name, x.created_at FROM import_sessions i JOIN sessions x ON x.id = i.session_id WHERE i."+column+
			" = ? ORDER BY x.created_at, x.id LIMIT ?", func(stmt *sqlite3.Stmt) error {
			*to = append(*to, session.SessionLink{SessionID: stmt.ColumnText(0), Name: optionalText(stmt, 1), At: optionalNumber(stmt, 2)})
			return nil
		}, id, maxChain)
		if err != nil {
			return nil, err
		}
	}
	return &l, nil
}
