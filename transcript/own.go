package transcript

import (
	"bytes"
	"encoding/json"

	"podium.local/session"
)

// ownLine is what tells whose record a line is.
type ownLine struct {
	Type        string          `json:"type"`
	SessionID   string          `json:"sessionId"`
	Message     json.RawMessage `json:"message"`
	Summary     string          `json:"summary"`
	CustomTitle string          `json:"customTitle"`
	AITitle     string          `json:"aiTitle"`
	ID          string          `json:"id"`
	Timestamp   string          `json:"timestamp"`
	CallID      string          `json:"call_id"`
	Role        string          `json:"role"`
	Content     json.RawMessage `json:"content"`
	Payload     json.RawMessage `json:"payload"`
}

// owns reports whether a line is recognisably a record of the tool, of a kind
// that may be unknown.
func (t Tool) owns(l line) bool {
	var o ownLine
	if len(l.data) == 0 {
		return false
	}
	if _, err := decodeLine(l, &o); err != nil {
		return false
	}
	if t == Codex {
		return o.codex()
	}
	return o.claude()
}

func (o *ownLine) claude() bool {
	switch o.Type {
	case "":
		return false
	case "user", "assistant":
		return o.SessionID != "" || isObject(o.Message)
	case "summary":
		return o.Summary != ""
	case "custom-title":
		return o.CustomTitle != ""
	case "ai-title":
		return o.AITitle != ""
	case "file-history-snapshot":
		return true
	default:
		return o.SessionID != ""
	}
}

func (o *ownLine) codex() bool {
	switch o.Type {
	case "session_meta", "turn_context", "event_msg", "response_item", "compacted":
		return isObject(o.Payload)
	case "": // what opens an old rollout
		return validUUID(o.ID) && o.Timestamp != "" && o.Payload == nil
	case "message":
		return o.Role != "" && o.Content != nil
	default:
		return o.CallID != ""
	}
}

func isObject(raw json.RawMessage) bool { return bytes.HasPrefix(raw, []byte("{")) }

// Reasons under which the lines of a file are counted of which none is the
// tool's.
func notOf(t Tool) string          { return "not a record of " + string(t) }
func of(other Tool, t Tool) string { return "a record of " + string(other) + ", not of " + string(t) }

// strangeLine counts a line of a file that has no record of the tool so far.
func (r *reading) strangeLine(l line) error {
	if _, err := decodeLine(l, &struct{}{}); err != nil {
		return err
	}
	for _, other := range Tools() {
		if other != r.tool && other.owns(l) {
			r.skip(of(other, r.tool))
			return nil
		}
	}
	r.skip(notOf(r.tool))
	return nil
}

// Refusal is a file of which nothing was imported, as no line of it is a record
// of the tool.
type Refusal struct {
	Path string `json:"path"`
	// LooksLike is the tool whose records it has, empty for none.
	LooksLike Tool `json:"looks_like,omitempty"`
}

// refusal reads in the ledger's row of a file whether it was refused.
func refusal(tool Tool, f session.ImportFile) (r Refusal, refused bool) {
	r.Path = f.Path
	for _, other := range Tools() {
		if f.Skipped[of(other, tool)] > 0 {
			r.LooksLike = other
		}
	}
	return r, r.LooksLike != "" || f.Skipped[notOf(tool)] > 0
}
