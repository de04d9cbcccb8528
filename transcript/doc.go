// Package transcript reads the session files that other agents write, Claude
// Code and Codex, into a store's sessions.
//
// It reads tolerantly: nobody publishes a schema, so a line that is not
// understood is kept as it is, a line that is damaged is skipped, and both are
// counted and said. Sources are never written to.
//
// Rules that hold everywhere in it:
//   - what a file gives depends on its bytes alone, not on how often it was
//     read or where reading stopped in between;
//   - ids are made from what the vendor calls a thing, so that reading it again
//     finds it;
//   - memory is bounded by the largest line that is decoded, whatever a file's
//     size;
//   - how far a file is read is stored in the step that stores what was read.
//
// The package knows no database: it names what it needs of one as Sink.
package transcript
