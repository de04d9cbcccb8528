package studio

import (
	"context"

	"podium.local/protocol"
	"podium.local/session"
)

// What the tests of this package look at from outside.

// DisplayName is displayName.
func DisplayName(r *session.Row) string { return displayName(r) }

// RunningHealth is runningHealth.
func RunningHealth(r session.Row, now float64, live Liveness) string {
	return runningHealth(&r, now, live)
}

// Probe asks a prober of its own about one running row.
func Probe(ctx context.Context, table ProcessTable, roots []string, listing bool, rows ...session.Row) []Liveness {
	p := newProber(table, newFence(roots))
	return ProbeWith(ctx, p, listing, rows...)
}

// NewProber makes a prober that several probes share.
func NewProber(table ProcessTable, roots []string) *prober { return newProber(table, newFence(roots)) }

// ProbeWith asks p.
func ProbeWith(ctx context.Context, p *prober, listing bool, rows ...session.Row) []Liveness {
	return p.probe(ctx, pointers(rows), listing)
}

// Number is the text of a number.
func Number(f float64) string { return string(appendNumber(nil, f)) }

// Stored is a JSON column as the API shows it.
func Stored(text string) (string, error) {
	raw, err := encode(storedDocument(&text))
	return string(raw), err
}

// LenientInt reads an integer; ok is false for one that is malformed.
func LenientInt(s string) (n int64, ok, huge bool) {
	n, state := lenientInt(s)
	return n, state != intMalformed && state != intOversize, state == intAbove || state == intBelow
}

// ParseQuery decodes a query string into its pairs.
func ParseQuery(raw string) [][2]string {
	var out [][2]string
	for _, p := range parseQuery(raw) {
		out = append(out, [2]string{p.name, p.value})
	}
	return out
}

// ParseRuns and ParseSessions read the parameters of the two listings and
// return the problems as JSON.
func ParseRuns(raw string) string { return problemsOf(runsParams, raw) }

// ParseSessions is ParseRuns for the sessions listing.
func ParseSessions(raw string) string { return problemsOf(sessionsParams, raw) }

func problemsOf(ps params, raw string) string {
	_, problems := ps.parse(parseQuery(raw))
	if problems == nil {
		return ""
	}
	body, err := encode(validationBody{Detail: problems})
	if err != nil {
		return "error: " + err.Error()
	}
	return string(body)
}

// DecodeMessageCursor and DecodeStreamCursor read a cursor.
func DecodeMessageCursor(token, id string, limit int64) (map[string]string, error) {
	return decodeMessageCursor(token, id, limit)
}

// DecodeStreamCursor reads a stream cursor.
func DecodeStreamCursor(token, id string) (session.StreamPosition, error) {
	return decodeStreamCursor(token, id)
}

// MessageCursor makes a cursor.
func MessageCursor(id string, limit int64, anchors map[string]string) string {
	return *nextMessageCursor(id, limit, anchors)
}

// StreamCursor makes a stream cursor.
func StreamCursor(id string, at session.StreamPosition) string {
	return *encodeCursor(streamCursor{Version: 1, SessionID: id, CreatedAt: number(at.At), MessageID: at.MessageID, BranchID: at.BranchID})
}

// RouteTable lists every route as "METHOD path operation access".
func (s *Server) RouteTable() []string {
	var out []string
	for _, rt := range s.routes() {
		word := map[access]string{readAccess: "read", tokenAccess: "token", openAccess: "open"}[rt.access]
		out = append(out, rt.method+" "+rt.path+" "+rt.id+" "+word)
	}
	return out
}

// OpenAPI is the API document.
func (s *Server) OpenAPI() []byte { return s.openapi }

// PodFacts is what attention needs to know of a pod.
type PodFacts struct {
	State                             protocol.PodState
	Since                             float64
	LastRun                           *session.RunEnd
	LastRunAt, CompactionOff, InputAt float64
}

// AttendsPod is the attention of a pod as "kind since", empty for none.
func AttendsPod(f PodFacts) string {
	return attentionText(attends(&podFacts{
		state: f.State, since: f.Since, lastRun: f.LastRun, lastRunAt: f.LastRunAt, compactionOff: f.CompactionOff, inputAt: f.InputAt,
	}, nil))
}

// AttendsRow is the attention of a session.
func AttendsRow(r session.Row) string { return attentionText(attends(nil, &r)) }

func attentionText(a *attention) string {
	if a == nil {
		return ""
	}
	return a.Kind + " " + string(appendNumber(nil, float64(a.Since)))
}

// Ring is a ring of events.
type Ring struct{ r ring }

// NewRing makes the ring of a daemon that began at start.
func NewRing(start string) *Ring { return &Ring{ring{start: start}} }

// Add numbers an event.
func (r *Ring) Add(data []byte) string { return r.r.add(data) }

// After are the events behind an id.
func (r *Ring) After(id string) (first uint64, events [][]byte, ok bool) { return r.r.after(id) }

// Bytes is what the ring holds.
func (r *Ring) Bytes() int { return r.r.bytes }

// RingBytes bounds that.
const RingBytes = ringBytes

// Compacted is compacted.
func Compacted(p session.Compaction) string { return compacted(p) }
