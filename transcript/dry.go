package transcript

import (
	"context"

	"github.com/google/uuid"

	"podium.local/session"
)

// DryRun is a sink that stores nothing. It reads the ledger, nil for none, and
// takes every entry for new.
func DryRun(ledger Ledger) Sink { return &dryRun{ledger: ledger, seen: make(map[uuid.UUID]struct{})} }

type dryRun struct {
	ledger Ledger
	seen   map[uuid.UUID]struct{} // sessions; as bytes, for there can be many
}

func (d *dryRun) ImportFiles(ctx context.Context, tool string, paths []string) ([]session.ImportFile, error) {
	if d.ledger == nil {
		return nil, nil
	}
	return d.ledger.ImportFiles(ctx, tool, paths)
}

func (d *dryRun) ImportFilesAfter(ctx context.Context, tool, path string, limit int) ([]session.ImportFile, error) {
	if d.ledger == nil {
		return nil, nil
	}
	return d.ledger.ImportFilesAfter(ctx, tool, path, limit)
}

func (d *dryRun) ImportFilesOf(ctx context.Context, sessionID string) ([]string, error) {
	if d.ledger == nil {
		return nil, nil
	}
	return d.ledger.ImportFilesOf(ctx, sessionID)
}

func (d *dryRun) ImportBatches(ctx context.Context, batches []session.ImportBatch) ([]session.ImportOutcome, error) {
	outs := make([]session.ImportOutcome, len(batches))
	for n, b := range batches {
		for _, p := range b.Parts {
			if len(p.Entries) == 0 {
				continue
			}
			id, err := uuid.Parse(p.SessionID)
			if err != nil {
				return nil, err
			}
			// What is read on from the middle of a file belongs to a session that is there.
			if _, seen := d.seen[id]; !seen {
				d.seen[id] = struct{}{}
				outs[n].NewSessions++
			}
			outs[n].Kept += len(p.Entries)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return outs, nil
}

func (d *dryRun) ImportReset(context.Context, string) ([]string, error) { return nil, nil }
func (d *dryRun) ImportGone(context.Context, string, []string) error    { return nil }
func (d *dryRun) ImportRestore(context.Context, string) (int64, error)  { return 0, nil }
