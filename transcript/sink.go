package transcript

import (
	"context"

	"podium.local/session"
)

// Ledger says what was read of a tool's files before.
type Ledger interface {
	// ImportFiles gives the rows of some of a tool's files, in the order of paths;
	// files without one are left out.
	ImportFiles(ctx context.Context, tool string, paths []string) ([]session.ImportFile, error)
	// ImportFilesAfter gives up to limit of a tool's rows in order of path, those
	// whose path comes after the given one, without Anchor and State.
	ImportFilesAfter(ctx context.Context, tool, path string, limit int) ([]session.ImportFile, error)
	// ImportFilesOf gives the paths of the files that a session was read from.
	ImportFilesOf(ctx context.Context, sessionID string) (paths []string, err error)
	// ImportDeleted gives the paths of those files of a tool of which a session was
	// deleted.
	ImportDeleted(ctx context.Context, tool string) (paths []string, err error)
	// ImportHas says what is there of a session and of these entries of it, which
	// may be another session's, one that was deleted included.
	ImportHas(ctx context.Context, sessionID string, entries []session.ImportEntry) (session.ImportPresence, error)
}

// Sink keeps what is read. Every call is one step that happens whole or not at
// all, or a row of such steps.
type Sink interface {
	Ledger
	// ImportBatches stores the first of the batches, as many as there is time for
	// and one at least, and returns what became of each of these. With an error,
	// which is the first one's, nothing was stored; an *session.ImportOrderError
	// says that the session it names was read from files that come after this one.
	ImportBatches(ctx context.Context, batches []session.ImportBatch) ([]session.ImportOutcome, error)
	// ImportReset empties a session and makes its files and those of its forks be
	// read again; it returns their paths.
	ImportReset(ctx context.Context, sessionID string) (paths []string, err error)
	// ImportGone marks files that vanished.
	ImportGone(ctx context.Context, tool string, paths []string) error
	// ImportRestore makes files be read again whose sessions were deleted.
	ImportRestore(ctx context.Context, tool string) (int64, error)
}
