package vendor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"podium.local/llm"
)

// Note is the form of a system message inside a conversation on wires that
// take one only at the beginning: text of the user's side, marked as not the
// user's.
func Note(text string) string { return "<system>\n" + text + "\n</system>" }

// Arguments checks a call's arguments: an object, {} where there are none.
func Arguments(call llm.ToolCall) (json.RawMessage, error) {
	args := bytes.TrimSpace(call.Arguments)
	if len(args) == 0 {
		return json.RawMessage("{}"), nil
	}
	if args[0] != '{' || !json.Valid(args) {
		return nil, Invalid(fmt.Sprintf("cannot send tool call %s (%s): its arguments are not a JSON object", call.ID, call.Name))
	}
	return args, nil
}

// Schema checks a tool's schema: an object, one without members where there is
// none.
func Schema(spec llm.ToolSpec) (json.RawMessage, error) {
	schema := bytes.TrimSpace(spec.Schema)
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	if schema[0] != '{' || !json.Valid(schema) {
		return nil, Invalid(fmt.Sprintf("cannot offer tool %s: its schema is not a JSON object", spec.Name))
	}
	return schema, nil
}

// Blank reports whether text holds nothing a model could read; vendors refuse
// such blocks.
func Blank(text string) bool { return strings.TrimSpace(text) == "" }
