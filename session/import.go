package session

import (
	"cmp"
	"encoding/json"
	"time"
)

// ImportFile is the ledger's row of one session file of another program: how
// far it was read and what became of its lines.
type ImportFile struct {
	// Tool is the program that wrote the file: claude-code or codex.
	Tool string `json:"tool"`
	Path string `json:"path"` // absolute
	// Size (bytes) and ModTime are the file's when it was last read; a file that
	// still has both is unchanged.
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
	// Cursor is how many bytes were read for good.
	Cursor int64 `json:"cursor"`
	// Lines counts the lines up to Cursor, blank ones left out. Entries made of
	// them were kept (stored) or known (stored before, or the parent's); a line
	// of which nothing was kept is skipped, with its reason, or damaged.
	Lines   int64            `json:"lines"`
	Kept    int64            `json:"kept"`
	Known   int64            `json:"known"`
	Skipped map[string]int64 `json:"skipped,omitempty"`
	Damaged int64            `json:"damaged"`
	// Raw counts the lines of unknown kinds, which are kept as they are; Clamped
	// the times that lay in the future.
	Raw     int64 `json:"raw"`
	Clamped int64 `json:"clamped"`
	// Problems are the first damaged and oversized lines.
	Problems []ImportProblem `json:"problems,omitempty"`
	// LastError says why the file could not be read the last time.
	LastError string `json:"last_error,omitempty"`
	// ReadAt is when it was last read, GoneAt when it was first missed.
	ReadAt time.Time `json:"read_at,omitzero"`
	GoneAt time.Time `json:"gone_at,omitzero"`

	// Rank orders files wherever one has to come before another; it does not
	// change while the file grows.
	Rank string `json:"-"`
	// Anchor is a hash over the beginning of the file and the bytes before
	// Cursor; another one means that the file was replaced.
	Anchor []byte `json:"-"`
	// State is what the parser must know to go on at Cursor.
	State json.RawMessage `json:"-"`
}

// ImportProblem is a line that could not be used.
type ImportProblem struct {
	Line   int64  `json:"line"`   // from 1
	Offset int64  `json:"offset"` // bytes
	Length int64  `json:"length"` // bytes
	Text   string `json:"text"`
	// SHA256 identifies a line that was too long to be decoded; hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
}

// ImportBatch is one step of an import: entries of one file and how far it is
// read with them. All of it is stored, or nothing.
type ImportBatch struct {
	// File is the ledger's row after the batch, but for Kept and Known, to which
	// the store adds what it stored and what it had already.
	File  ImportFile
	Parts []ImportPart
	// Restore brings sessions back that were deleted here.
	Restore bool
}

// ImportPart is what a batch brings to one session.
type ImportPart struct {
	SessionID string
	Tool      string
	// VendorID and SubagentID name the session in the other program.
	VendorID, SubagentID string
	// Parent is the session that started a subagent, ForkedFrom the one that a
	// fork begins as a copy of; empty for none.
	Parent, ForkedFrom string
	// Turns are the ids of turns in the lines of the batch, copied ones too, where
	// a fork is told from its parent by them.
	Turns    []string
	Facts    ImportFacts
	Entries  []ImportEntry
	Requests []ImportRequest
}

// Opens reports whether the part makes a row for its session where there is
// none: something was said, or it is a fork, which one may go on with before
// anything was.
func (p ImportPart) Opens() bool {
	return len(p.Entries)+len(p.Requests) > 0 || p.ForkedFrom != ""
}

// ImportEntry is an entry with the time that its source gives.
type ImportEntry struct {
	NewEntry
	At time.Time
}

// ImportRequest is the usage of one request to a model. Of several with one
// Key the largest counts.
type ImportRequest struct {
	Key     [16]byte
	At      time.Time
	Model   string
	Project string
	Usage   Usage
}

// ImportFacts are what one file says of a session as a whole, from its
// beginning up to the cursor. Empty is unknown.
type ImportFacts struct {
	First time.Time `json:"first,omitzero"` // the earliest line
	Last  time.Time `json:"last,omitzero"`  // the latest line
	// Spoke is the latest line that says something.
	Spoke time.Time `json:"spoke,omitzero"`
	// Title was given by the person, Summary by the program; Prompt is the first
	// thing that a person said.
	Title   string `json:"title,omitempty"`
	Summary string `json:"summary,omitempty"`
	Prompt  string `json:"prompt,omitempty"`
	// FirstModel and Model are the first and the last model that answered.
	FirstModel string `json:"first_model,omitempty"`
	Model      string `json:"model,omitempty"`
	Effort     string `json:"effort,omitempty"`
	// Provider is the vendor of the models.
	Provider string `json:"provider,omitempty"`
	Cwd      string `json:"cwd,omitempty"`
	Project  string `json:"project,omitempty"`
	Branch   string `json:"branch,omitempty"` // of git
	// Turn is the first turn that a fork does not share with what it was forked
	// from, as far as that was known.
	Turn string `json:"turn,omitempty"`
}

// SkippedDeleted is the reason under which entries are counted as skipped whose
// session was deleted here.
const SkippedDeleted = "its session was deleted here"

// ImportOutcome is what the store did with a batch.
type ImportOutcome struct {
	// Kept counts entries stored, Known those that were there, Deleted those of
	// sessions that were deleted here and stay so.
	Kept, Known, Deleted int
	// NewSessions counts rows that the batch made.
	NewSessions int
}

// ImportPresence is what the store has of what an import would bring.
type ImportPresence struct {
	// Session says that it is there, Deleted that it was deleted here.
	Session, Deleted bool
	// Entries says for each entry that was asked for whether it is there, or
	// was and is not to come back.
	Entries []bool
}

// ImportOrderError says that a session was read from files that come after
// the one at hand; they have to be read again after it.
type ImportOrderError struct {
	SessionID string
	Files     []string // absolute paths, in order
}

func (e *ImportOrderError) Error() string {
	return "session " + e.SessionID + " was read from files that come later"
}

// Pricer says what a request cost in US dollars and where the price comes
// from; ok is false when nobody knows.
type Pricer func(provider, model string, u Usage) (usd float64, source string, ok bool)

// Exceeds reports whether u is a later snapshot of a request than v: output
// grows as it is written, the rest settles ties.
func (u Usage) Exceeds(v Usage) bool {
	count := func(n *int64) int64 {
		if n == nil {
			return -1
		}
		return *n
	}
	return cmp.Or(
		cmp.Compare(count(u.OutputTokens), count(v.OutputTokens)),
		cmp.Compare(count(u.InputTokens), count(v.InputTokens)),
		cmp.Compare(u.CacheReadTokens, v.CacheReadTokens),
		cmp.Compare(u.CacheWriteTokens, v.CacheWriteTokens),
		cmp.Compare(u.ReasoningTokens, v.ReasoningTokens),
	) > 0
}
