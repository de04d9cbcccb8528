// Package listing walks a store's sessions in bounded work a request: orders,
// complete keys, seek branches, the window walk, signed cursors and the keys
// that sign them (ADR-0135).
//
// It knows neither SQL nor HTTP. A Store gives it snapshots, a Snapshot reads
// candidates; studio and the command line turn requests and answers into their
// own forms.
//
// What always holds:
//   - one request examines at most Policy.CandidateLimit candidates and reads
//     one key beyond them, whatever its filter rejects;
//   - the key that a request ends with is the last one it examined, so a
//     window without a match moves on too;
//   - the branches of a seek are disjoint and together cover every row after
//     the key, those included whose key cannot be used: they are an error and
//     never passed over;
//   - a cursor is looked into only after its signature was verified, and no
//     text of this package repeats what stands in one.
package listing
