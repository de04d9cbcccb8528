package transcript

import (
	"context"
	"hash/maphash"

	"github.com/google/uuid"

	"podium.local/session"
)

// DryRun is a sink that stores nothing and says what a store would do. It looks
// into the ledger, nil for none.
func DryRun(ledger Ledger) Sink {
	return &dryRun{
		ledger: ledger, sessions: make(map[uuid.UUID]uint32), entries: make(map[uint64]dryEntry), seed: maphash.MakeSeed(),
	}
}

// dryRun remembers what it was given: sessions by a number, and entries by a
// hash of their id, for there can be millions.
type dryRun struct {
	ledger   Ledger
	sessions map[uuid.UUID]uint32
	entries  map[uint64]dryEntry
	seed     maphash.Seed
	// restored are the files that restoring makes be read again.
	restored map[string]bool
}

// dryEntry is the session that has an entry and a hash of what it records.
type dryEntry struct{ session, what uint32 }

func (d *dryRun) ImportFiles(ctx context.Context, tool string, paths []string) ([]session.ImportFile, error) {
	if d.ledger == nil {
		return nil, nil
	}
	rows, err := d.ledger.ImportFiles(ctx, tool, paths)
	return d.unread(rows), err
}

func (d *dryRun) ImportFilesAfter(ctx context.Context, tool, path string, limit int) ([]session.ImportFile, error) {
	if d.ledger == nil {
		return nil, nil
	}
	rows, err := d.ledger.ImportFilesAfter(ctx, tool, path, limit)
	return d.unread(rows), err
}

// unread empties the rows of files that are to be read again.
func (d *dryRun) unread(rows []session.ImportFile) []session.ImportFile {
	for n, row := range rows {
		if d.restored[row.Path] {
			rows[n] = session.ImportFile{Tool: row.Tool, Path: row.Path, Rank: row.Rank, Size: -1}
		}
	}
	return rows
}

func (d *dryRun) ImportFilesOf(ctx context.Context, sessionID string) ([]string, error) {
	if d.ledger == nil {
		return nil, nil
	}
	return d.ledger.ImportFilesOf(ctx, sessionID)
}

func (d *dryRun) ImportDeleted(ctx context.Context, tool string) ([]string, error) {
	if d.ledger == nil {
		return nil, nil
	}
	return d.ledger.ImportDeleted(ctx, tool)
}

func (d *dryRun) ImportHas(ctx context.Context, sessionID string, entries []session.ImportEntry) (session.ImportPresence, error) {
	if d.ledger == nil {
		return session.ImportPresence{Entries: make([]bool, len(entries))}, nil
	}
	return d.ledger.ImportHas(ctx, sessionID, entries)
}

func (d *dryRun) ImportBatches(ctx context.Context, batches []session.ImportBatch) ([]session.ImportOutcome, error) {
	outs := make([]session.ImportOutcome, len(batches))
	for n, b := range batches {
		for _, p := range b.Parts {
			if !p.Opens() {
				continue
			}
			if err := d.part(ctx, p, b.Restore, &outs[n]); err != nil {
				return nil, err
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return outs, nil
}

// part counts what a batch brings to one session.
func (d *dryRun) part(ctx context.Context, p session.ImportPart, restore bool, out *session.ImportOutcome) error {
	id, err := uuid.Parse(p.SessionID)
	if err != nil {
		return err
	}
	has, err := d.ImportHas(ctx, p.SessionID, p.Entries)
	if err != nil {
		return err
	}
	deleted := has.Deleted && !restore
	number, seen := d.sessions[id]
	if !seen {
		number = uint32(len(d.sessions))
		d.sessions[id] = number
		if !has.Session && !deleted {
			out.NewSessions++
		}
	}
	for n, e := range p.Entries {
		key := maphash.String(d.seed, e.ID)
		what := uint32(maphash.String(d.seed, string(e.Kind)+e.At.String()))
		first, known := d.entries[key]
		if !known {
			d.entries[key] = dryEntry{number, what}
		}
		switch {
		case deleted:
			out.Deleted++
		case has.Entries[n] || known && (first.session == number || first.what == what):
			out.Known++
		default: // another session's entry that records something else only has the same id
			out.Kept++
		}
	}
	return nil
}

func (d *dryRun) ImportReset(context.Context, string) ([]string, error) { return nil, nil }
func (d *dryRun) ImportGone(context.Context, string, []string) error    { return nil }

func (d *dryRun) ImportRestore(ctx context.Context, tool string) (int64, error) {
	paths, err := d.ImportDeleted(ctx, tool)
	d.restored = make(map[string]bool, len(paths))
	for _, path := range paths {
		d.restored[path] = true
	}
	return int64(len(paths)), err
}
