package studio

import (
	"encoding/base64"
	"math"
	"net/http"
	"strings"

	"podium.local/session"
)

// maxStreamCursor bounds a stream cursor, in characters.
const maxStreamCursor = 4096

// messageCursor is what a v1 message cursor holds. It is not signed: it only
// says where to read on in a session that the caller may read anyway.
type messageCursor struct {
	Version   int               `json:"v"`
	SessionID string            `json:"session_id"`
	Limit     int64             `json:"limit"`
	Anchors   map[string]string `json:"branch_anchors"`
}

// nextMessageCursor is nil when no branch has older messages.
func nextMessageCursor(id string, limit int64, anchors map[string]string) *string {
	if len(anchors) == 0 {
		return nil
	}
	return encodeCursor(messageCursor{Version: 1, SessionID: id, Limit: limit, Anchors: anchors})
}

// encodeCursor is the unpadded base64url of the JSON of v.
func encodeCursor(v any) *string {
	raw, err := encode(v)
	if err != nil {
		return nil
	}
	token := base64.RawURLEncoding.EncodeToString(raw)
	return &token
}

// decodeMessageCursor reads the anchors of a cursor that was made for this
// session and limit. The texts of its errors are v1's.
func decodeMessageCursor(token, id string, limit int64) (map[string]string, error) {
	doc, err := decodeCursor(token)
	if err != nil {
		return nil, failf(http.StatusBadRequest, "Malformed message_cursor: %s", pythonQuote(token))
	}
	if version, _ := doc.member("v"); !doc.object() || !isNumber(version, 1) {
		return nil, failf(http.StatusBadRequest, "Unsupported message_cursor: %s", pythonQuote(token))
	}
	if owner, _ := doc.member("session_id"); !isText(owner, id) {
		return nil, failf(http.StatusBadRequest, "message_cursor belongs to a different session")
	}
	if used, _ := doc.member("limit"); !isNumber(used, float64(limit)) {
		return nil, failf(http.StatusBadRequest, "message_cursor does not match message_limit")
	}
	list, ok := doc.member("branch_anchors")
	if !ok || !list.object() {
		return nil, failf(http.StatusBadRequest, "message_cursor is missing branch_anchors")
	}
	return list.textMembers(), nil
}

// streamCursor names one row of a message stream.
type streamCursor struct {
	Version   int    `json:"v"`
	SessionID string `json:"session_id"`
	CreatedAt number `json:"created_at"`
	MessageID string `json:"message_id"`
	BranchID  string `json:"branch_id"`
}

// decodeStreamCursor reads the position of a cursor that was made for this
// session.
func decodeStreamCursor(token, id string) (session.StreamPosition, error) {
	malformed := failf(http.StatusBadRequest, "Malformed session stream cursor")
	if len(token) > maxStreamCursor {
		return session.StreamPosition{}, malformed
	}
	doc, err := decodeCursor(token)
	if err != nil {
		return session.StreamPosition{}, malformed
	}
	if version, _ := doc.member("v"); !doc.object() || !isNumber(version, 1) {
		return session.StreamPosition{}, failf(http.StatusBadRequest, "Unsupported session stream cursor")
	}
	if owner, _ := doc.member("session_id"); !isText(owner, id) {
		return session.StreamPosition{}, failf(http.StatusBadRequest, "Session stream cursor belongs to a different session")
	}
	created, _ := doc.member("created_at")
	at, isTime := created.float()
	messageID, _ := doc.member("message_id")
	branchID, _ := doc.member("branch_id")
	m, _ := messageID.text()
	b, _ := branchID.text()
	if !isTime || math.IsInf(at, 0) || m == "" || b == "" {
		return session.StreamPosition{}, malformed
	}
	return session.StreamPosition{At: at, MessageID: m, BranchID: b}, nil
}

// decodeCursor accepts padding, which nobody writes but v1 took.
func decodeCursor(token string) (document, error) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(token, "="))
	if err != nil {
		return "", err
	}
	return parseDocument(string(raw))
}

func isNumber(d document, want float64) bool {
	f, ok := d.float()
	return ok && f == want
}

func isText(d document, want string) bool {
	s, ok := d.text()
	return ok && s == want
}
