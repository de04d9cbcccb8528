package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"podium.local/session"
)

// Bounds of one batch and of what the ledger tells of damage.
const (
	batchEntries = 500
	batchBytes   = 8 << 20
	batchLines   = 20_000
	maxProblems  = 20
)

// state is what is carried from one line of a file to the next, and in the
// ledger from one reading to the next.
type state struct {
	// VendorID is the session's id in the other program, empty until it is known.
	VendorID string `json:"vendor_id,omitempty"`
	// Line is the number of the last line that was taken.
	Line int64 `json:"line"`
	// Strange says that no line so far was a record of the tool: nothing of the
	// file is kept until one is, and then it is read from its beginning.
	Strange bool `json:"strange,omitempty"`
	// Open says that the end of that line was not there yet.
	Open bool `json:"open,omitempty"`
	// Clock is the time of the newest line that had one.
	Clock time.Time `json:"clock,omitzero"`
	// Parts are the sessions in the file by subagent id.
	Parts map[string]*partState `json:"parts,omitempty"`
	Codex *codexState           `json:"codex,omitempty"`
}

// partState is what a file has said of one session.
type partState struct {
	Facts      session.ImportFacts `json:"facts"`
	Parent     string              `json:"parent,omitempty"`
	ForkedFrom string              `json:"forked_from,omitempty"`
}

// reading is one file on its way into batches.
type reading struct {
	tool  Tool
	file  session.ImportFile
	state state
	now   time.Time // times after it lie in the future
	price session.Pricer
	// subagent is set when the whole file is a subagent's.
	subagent string
	// turns finds the turns of another session, none when its file is not there.
	turns       func(vendorID string) map[string]bool
	parentTurns map[string]bool // what turns gave

	// deleted counts the entries that were not kept because their session was
	// deleted here.
	deleted int64

	parts map[string]*session.ImportPart
	order []string
	size  int64 // bytes of the lines in the batch
	lines int
	count int    // entries in the batch
	at    line   // the line at hand
	raw   []byte // its bytes as they stand in the file
}

// errDamaged marks a line that cannot be used.
var errDamaged = errors.New("damaged line")

// take reads one line into the batch.
func (r *reading) take(l line) {
	r.at, r.raw = l, l.data
	r.state.Line, r.state.Open = l.number, !l.ended
	r.lines++
	r.size += l.taken
	if len(l.data) == 0 && l.sum == "" {
		return
	}
	r.file.Lines++
	if l.sum != "" {
		r.oversized(l)
		return
	}
	if !utf8.Valid(l.data) {
		l.data = []byte(strings.ToValidUTF8(string(l.data), "\uFFFD"))
		r.at.data = l.data
	}
	before := r.count
	var err error
	switch {
	case r.state.Strange:
		err = r.strangeLine(l)
	case r.tool == Codex:
		err = r.codexLine(l)
	default:
		err = r.claudeLine(l)
	}
	if err != nil && r.count == before {
		r.file.Damaged++
		r.problem(session.ImportProblem{Line: l.number, Offset: l.offset, Length: l.length, Text: err.Error()})
	}
}

// oversized notes a line that is too long to be decoded, in the ledger and in
// the session.
func (r *reading) oversized(l line) {
	r.skip("longer than 32 MiB")
	r.problem(session.ImportProblem{Line: l.number, Offset: l.offset, Length: l.length, SHA256: l.sum, Text: "longer than 32 MiB, not decoded"})
	if r.state.Strange {
		return
	}
	r.add("", r.placeID(), r.clock(), session.KindForeign, session.Foreign{Type: "oversized_line", Source: r.source(l.sum)})
}

// source is where the line at hand stands.
func (r *reading) source(sum string) *session.Source {
	if sum == "" {
		sum = hexSum(r.raw)
	}
	return &session.Source{File: r.file.Path, Offset: r.at.offset, Length: r.at.length, SHA256: sum}
}

func (r *reading) problem(p session.ImportProblem) {
	if len(r.file.Problems) < maxProblems {
		r.file.Problems = append(r.file.Problems, p)
	}
}

// skip counts a line of which nothing is kept.
func (r *reading) skip(reason string) {
	if r.file.Skipped == nil {
		r.file.Skipped = make(map[string]int64)
	}
	r.file.Skipped[reason]++
}

// clock reads a line's time. One that lies in the future, is missing or cannot
// be read is that of the line before.
func (r *reading) clock(texts ...string) time.Time {
	for _, text := range texts {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || at.Year() < 1980 {
			continue
		}
		at = at.UTC().Truncate(time.Microsecond)
		if at.After(r.now) {
			r.file.Clamped++
			break
		}
		r.state.Clock = at
		return at
	}
	if r.state.Clock.IsZero() {
		return r.file.ModTime.UTC().Truncate(time.Microsecond)
	}
	return r.state.Clock
}

// vendor settles the session's id in the other program: the file's name where
// that is an id, else the first that a line names.
func (r *reading) vendor(named string) string {
	if r.state.VendorID != "" {
		return r.state.VendorID
	}
	stem := strings.TrimSuffix(filepath.Base(r.file.Path), ".jsonl")
	switch {
	case validUUID(stem):
		r.state.VendorID = stem
	case named != "":
		r.state.VendorID = named
	}
	return r.state.VendorID
}

// settled is vendor when the id is needed: then the file's name has to do.
func (r *reading) settled() string {
	if r.vendor("") == "" {
		r.state.VendorID = strings.TrimSuffix(filepath.Base(r.file.Path), ".jsonl")
	}
	return r.state.VendorID
}

// known is what the file has said of a session so far.
func (r *reading) known(subagent string) *partState {
	if r.state.Parts == nil {
		r.state.Parts = make(map[string]*partState)
	}
	p := r.state.Parts[subagent]
	if p == nil {
		p = &partState{}
		p.Facts.Provider = r.tool.provider()
		r.state.Parts[subagent] = p
	}
	return p
}

// seen moves the times of a session to include a line's.
func (r *reading) seen(subagent string, at time.Time, spoke bool) {
	f := &r.known(subagent).Facts
	if f.First.IsZero() || at.Before(f.First) {
		f.First = at
	}
	if at.After(f.Last) {
		f.Last = at
	}
	if spoke && at.After(f.Spoke) {
		f.Spoke = at
	}
}

// part is the batch's part for a session.
func (r *reading) part(subagent string) *session.ImportPart {
	if p := r.parts[subagent]; p != nil {
		return p
	}
	vendor := r.settled()
	p := &session.ImportPart{SessionID: SessionID(r.tool, vendor, subagent), Tool: string(r.tool), VendorID: vendor, SubagentID: subagent}
	if r.parts == nil {
		r.parts = make(map[string]*session.ImportPart)
	}
	r.parts[subagent] = p
	r.order = append(r.order, subagent)
	return p
}

// add puts an entry into the batch.
func (r *reading) add(subagent, id string, at time.Time, kind session.Kind, payload any) {
	r.seen(subagent, at, session.RoleOf(kind) != "")
	p := r.part(subagent)
	p.Entries = append(p.Entries, session.ImportEntry{NewEntry: session.NewEntry{ID: id, Kind: kind, Payload: payload}, At: at})
	r.count++
}

// placeID is the id of an entry made of a line that has none: its session, its
// place in the file and what it holds.
func (r *reading) placeID() string {
	return makeID("place", string(r.tool), r.settled(), fmt.Sprint(r.at.offset), string(r.at.data), r.at.sum).String()
}

// foreign keeps a line as it is.
func (r *reading) foreign(subagent, id, kind string, at time.Time) {
	r.file.Raw++
	if id == "" {
		id = r.placeID()
	}
	f := session.Foreign{Type: session.Clip(kind, 100)}
	if len(r.at.data) > maxText {
		f.Source = r.source("")
	} else {
		f.Record = json.RawMessage(append([]byte(nil), r.at.data...))
	}
	r.add(subagent, id, at, session.KindForeign, f)
}

// keep is the text of a block as it is stored: of a long one the beginning,
// with a note where the rest is.
func (r *reading) keep(text string) string {
	if len(text) <= maxText {
		return text
	}
	return session.Clip(text, preview) + fmt.Sprintf("\n\n[%d bytes in all; %s prints the line that it stands in]", len(text), SourceCommand(*r.source("")))
}

// request books the usage of a request.
func (r *reading) request(subagent string, key [16]byte, at time.Time, model string, u session.Usage) {
	f := r.known(subagent).Facts
	if r.price != nil {
		if usd, source, ok := r.price(f.Provider, model, u); ok {
			u.CostUSD, u.PriceSource = &usd, source
		}
	}
	r.seen(subagent, at, false)
	p := r.part(subagent)
	next := session.ImportRequest{Key: key, At: at, Model: model, Project: f.Project, Usage: u}
	known := slices.IndexFunc(p.Requests, func(q session.ImportRequest) bool { return q.Key == key })
	switch {
	case known < 0:
		p.Requests = append(p.Requests, next)
	case u.Exceeds(p.Requests[known].Usage):
		p.Requests[known] = next
	}
}

// place notes where a session works; the first place counts.
func (r *reading) place(subagent, cwd, branch string) {
	f := &r.known(subagent).Facts
	if f.Cwd == "" && cwd != "" {
		f.Cwd = session.Clip(cwd, 4096)
		f.Project = projectOf(cwd)
	}
	if f.Branch == "" {
		f.Branch = session.Clip(branch, 250)
	}
}

// projectOf is the label of a folder.
func projectOf(cwd string) string {
	cwd = strings.TrimRight(strings.ReplaceAll(cwd, `\`, "/"), "/")
	return session.Clip(cwd[strings.LastIndexByte(cwd, '/')+1:], nameBytes)
}

// prompt takes what a person said for the session's name.
func (r *reading) prompt(subagent, text string) {
	f := &r.known(subagent).Facts
	if f.Prompt == "" && !wrapped(text) {
		f.Prompt = nameOf(text)
	}
}

// answered notes the model that answers.
func (r *reading) answered(subagent, model string) {
	f := &r.known(subagent).Facts
	if f.FirstModel == "" {
		f.FirstModel = model
	}
	f.Model = model
}

// full reports that the batch should be stored now. Of a file that is strange
// so far there is nothing to be stored.
func (r *reading) full() bool {
	return !r.state.Strange && (r.count >= batchEntries || r.size >= batchBytes || r.lines >= batchLines)
}

// batch gives what was read since the last one. cursor is how far the file is
// read with it.
func (r *reading) batch(cursor int64) (session.ImportBatch, error) {
	for _, sub := range r.order {
		p, s := r.parts[sub], r.known(sub)
		p.Facts, p.Parent, p.ForkedFrom = s.Facts, s.Parent, s.ForkedFrom
	}
	r.file.Cursor = cursor
	text, err := json.Marshal(r.state)
	if err != nil {
		return session.ImportBatch{}, fmt.Errorf("state of %s: %w", r.file.Path, err)
	}
	r.file.State = text
	b := session.ImportBatch{File: r.file}
	b.File.Skipped = maps.Clone(r.file.Skipped)
	// A session that only got facts is told of them too: its title may be new.
	for sub := range r.state.Parts {
		if r.parts[sub] == nil && r.state.VendorID != "" {
			p := r.part(sub)
			s := r.known(sub)
			p.Facts, p.Parent, p.ForkedFrom = s.Facts, s.Parent, s.ForkedFrom
		}
	}
	for _, sub := range r.order {
		b.Parts = append(b.Parts, *r.parts[sub])
	}
	r.parts, r.order, r.size, r.lines, r.count = nil, nil, 0, 0, 0
	return b, nil
}
