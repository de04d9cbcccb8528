package transcript

import (
	"context"

	"podium.local/session"
)

// Ledger says what was read of a tool's files before.
type Ledger interface {
	// ImportFiles gives a tool's rows in order of path, with paths only those of
	// these files.
	ImportFiles(ctx context.Context, tool string, paths ...string) ([]session.ImportFile, error)
}

// Sink keeps what is read. Every call is one step that happens whole or not at
// all, or a row of such steps.
type Sink interface {
	Ledger
	// ImportBatch stores a batch. A *session.ImportOrderError means that nothing
	// was stored because the session it names was read from files that come after
	// this one.
	ImportBatch(ctx context.Context, b session.ImportBatch) (session.ImportOutcome, error)
	// ImportReset empties a session and makes its files and those of its forks be
	// read again; it returns their paths.
	ImportReset(ctx context.Context, sessionID string) (paths []string, err error)
	// ImportGone marks files that vanished.
	ImportGone(ctx context.Context, tool string, paths []string) error
	// ImportRestore makes files be read again whose sessions were deleted.
	ImportRestore(ctx context.Context, tool string) (int64, error)
}
