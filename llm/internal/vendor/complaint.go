package vendor

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Complaint is what a server said about an error, whatever shape it used.
type Complaint struct {
	// Status is an HTTP status named inside the body; 0 for none.
	Status int
	// Code is the most exact word given: details.error_code, code, status, type.
	Code    string
	Message string
}

// ParseComplaint reads an error body or the data of an error event. It knows
// the shapes in use: {"error":{…}}, {"error":"text"}, the same inside an array,
// {"type":"error","code":…,"message":…}, {"detail":…}, and plain text. HTML and
// JSON that complains about nothing give an empty Complaint.
func ParseComplaint(body []byte) Complaint {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(body, &outer); err != nil {
		if json.Valid(body) || bytes.HasPrefix(body, []byte("<")) {
			return Complaint{}
		}
		return Complaint{Message: string(body)}
	}
	if has(outer.Error) {
		return parseError(outer.Error)
	}
	if text(outer.Type) == "error" || has(outer.Code) || has(outer.Message) {
		c := Complaint{Code: text(outer.Code), Message: text(outer.Message)}
		c.setStatus(outer.Code)
		return c
	}
	if has(outer.Detail) {
		if s := text(outer.Detail); s != "" {
			return Complaint{Message: s}
		}
		return Complaint{Message: string(outer.Detail)}
	}
	return Complaint{}
}

// parseError reads the value of an "error" member.
func parseError(raw json.RawMessage) Complaint {
	var e struct {
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
		Status  json.RawMessage `json:"status"`
		Message json.RawMessage `json:"message"`
		Details json.RawMessage `json:"details"`
	}
	if json.Unmarshal(raw, &e) != nil {
		if s := text(raw); s != "" {
			return Complaint{Message: s}
		}
		return Complaint{Message: string(raw)}
	}
	var details struct {
		ErrorCode json.RawMessage `json:"error_code"`
	}
	_ = json.Unmarshal(e.Details, &details) // not an object with every vendor
	c := Complaint{Message: text(e.Message)}
	for _, word := range []json.RawMessage{details.ErrorCode, e.Code, e.Status, e.Type} {
		if c.Code = text(word); c.Code != "" {
			break
		}
	}
	c.setStatus(e.Code)
	return c
}

// setStatus takes over a code that is an HTTP status, as a number or in digits.
func (c *Complaint) setStatus(code json.RawMessage) {
	n, err := strconv.Atoi(strings.Trim(string(code), `"`))
	if err == nil && n >= 400 && n < 600 {
		c.Status = n
	}
}

// text is the value of a JSON string; empty for anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// has reports whether a member was given and is not null.
func has(raw json.RawMessage) bool { return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) }
