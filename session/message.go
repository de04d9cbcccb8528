package session

import (
	"encoding/json"
	"strings"
	"time"

	"podium.local/protocol"
)

// Message is one message of a branch in the shape that the v1 detail shows.
type Message struct {
	ID       string
	BranchID string
	Role     string
	// Content is JSON text, nil when there is none or it was withheld.
	Content  *string
	Withheld bool // the content is too large to be read with the others
	Sender   *string
	At       float64 // Unix seconds
	// Class is the bare or dotted class name of the message.
	Class string
	// ActionRequestID and ActionResponseID link a call and its result when the
	// content, which would say so, was withheld.
	ActionRequestID, ActionResponseID string
}

// Classes of messages, without the module path that stored ones may carry.
const (
	ClassSystem         = "System"
	ClassInstruction    = "Instruction"
	ClassAnswer         = "AssistantResponse"
	ClassReasoning      = "Reasoning"
	ClassActionRequest  = "ActionRequest"
	ClassActionResponse = "ActionResponse"
)

// Roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleAction    = "action"
)

// RoleOf is the role of the message that an entry of this kind becomes, empty
// for kinds that are not messages.
func RoleOf(k Kind) string {
	switch k {
	case KindInput:
		return RoleUser
	case KindSystem:
		return RoleSystem
	case KindText, KindReasoning:
		return RoleAssistant
	case KindToolCall, KindToolResult:
		return RoleAction
	default:
		return ""
	}
}

// MessagesOf turns log entries into messages, in order, leaving out those
// that are not messages. A call and its result name each other when both are
// among the entries. A payload that cannot be read becomes a message without
// content.
func MessagesOf(entries []Entry) []Message {
	calls := make(map[string]string)   // call id -> entry id of the call
	results := make(map[string]string) // call id -> entry id of the result
	for _, e := range entries {
		switch e.Kind {
		case KindToolCall:
			var p ToolCall
			if json.Unmarshal(e.Payload, &p) == nil {
				calls[p.CallID] = e.ID
			}
		case KindToolResult:
			var p ToolResult
			if json.Unmarshal(e.Payload, &p) == nil {
				results[p.CallID] = e.ID
			}
		}
	}
	messages := make([]Message, 0, len(entries))
	for _, e := range entries {
		role := RoleOf(e.Kind)
		if role == "" {
			continue
		}
		content, sender, class := messageContent(e, calls, results)
		messages = append(messages, Message{
			ID: e.ID, Role: role, Content: content, Sender: sender,
			At: UnixSeconds(e.CreatedAt), Class: class,
		})
	}
	return messages
}

// messageContent renders a payload in the words that readers of v1 know.
func messageContent(e Entry, calls, results map[string]string) (content, sender *string, class string) {
	var fields map[string]any
	switch e.Kind {
	case KindInput:
		class = ClassInstruction
		var p Input
		if json.Unmarshal(e.Payload, &p) == nil {
			fields = map[string]any{"instruction": p.Text, "kind": p.Kind}
			if p.Client != "" {
				sender = &p.Client
			}
		}
	case KindSystem:
		class = ClassSystem
		var p System
		if json.Unmarshal(e.Payload, &p) == nil {
			fields = map[string]any{"system_message": p.Text}
		}
	case KindText:
		class = ClassAnswer
		var p Text
		if json.Unmarshal(e.Payload, &p) == nil {
			fields = map[string]any{"assistant_response": p.Text}
		}
	case KindReasoning:
		class = ClassReasoning
		var p Reasoning
		if json.Unmarshal(e.Payload, &p) == nil {
			fields = map[string]any{"reasoning": p.Text}
		}
	case KindToolCall:
		class = ClassActionRequest
		var p ToolCall
		if json.Unmarshal(e.Payload, &p) == nil {
			fields = map[string]any{"function": p.Name, "arguments": p.Arguments, "call_id": p.CallID, "action_response_id": nil}
			if id, ok := results[p.CallID]; ok {
				fields["action_response_id"] = id
			}
		}
	case KindToolResult:
		class = ClassActionResponse
		var p ToolResult
		if json.Unmarshal(e.Payload, &p) == nil {
			output := p.Output()
			fields = map[string]any{"output": output, "summary": p.Summary, "is_error": p.IsError, "call_id": p.CallID, "action_request_id": nil}
			if id, ok := calls[p.CallID]; ok {
				fields["action_request_id"] = id
			}
		}
	}
	if fields == nil {
		return nil, sender, class
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, sender, class
	}
	s := string(text)
	return &s, sender, class
}

// UnixSeconds is the store's form of a time: seconds since the epoch with a
// fraction, exact to the microsecond.
func UnixSeconds(t time.Time) float64 {
	return float64(t.UnixMicro()) / 1e6
}

// EntryOf turns a stored message of another program's session into the entry
// that says the same, at the given place of the log. Its id, and the call id
// of a tool call, is the message's.
func EntryOf(m Message, sessionID string, ordinal int64) Entry {
	e := Entry{SessionID: sessionID, Ordinal: ordinal, ID: m.ID, CreatedAt: time.UnixMicro(int64(m.At * 1e6)).UTC()}
	var fields map[string]json.RawMessage
	raw := json.RawMessage("null")
	if m.Content != nil {
		raw = json.RawMessage(*m.Content)
		if !json.Valid(raw) { // plain text
			raw, _ = json.Marshal(*m.Content)
		}
		_ = json.Unmarshal(raw, &fields) // content that is no object has no fields
	}
	var payload any
	switch class := m.Class[strings.LastIndexByte(m.Class, '.')+1:]; {
	case m.Withheld:
		e.Kind, payload = kindOfRole(m.Role), map[string]any{"withheld": true}
	case class == ClassActionRequest:
		args := fields["arguments"]
		if len(args) == 0 || args[0] != '{' {
			args = json.RawMessage("{}")
		}
		e.Kind, payload = KindToolCall, ToolCall{CallID: m.ID, Name: plainText(fields["function"]), Arguments: args}
	case class == ClassActionResponse:
		call := plainText(fields["action_request_id"])
		if call == "" {
			call = m.ID
		}
		output := plainText(fields["output"])
		e.Kind, payload = KindToolResult, ToolResult{CallID: call, Summary: output, IsError: OutputFailed(output)}
	case class == ClassSystem || m.Role == RoleSystem:
		e.Kind, payload = KindSystem, System{Text: firstField(fields, raw, "system_message", "system")}
	case class == ClassInstruction || m.Role == RoleUser:
		text := firstField(fields, raw, "instruction")
		if guidance := plainText(fields["guidance"]); guidance != "" {
			text = strings.TrimPrefix(text+"\n\n[guidance] "+guidance, "\n\n")
		}
		in := Input{Text: text, Kind: protocol.InputText}
		if m.Sender != nil {
			in.Client = *m.Sender
		}
		e.Kind, payload = KindInput, in
	default:
		e.Kind, payload = KindText, Text{Text: firstField(fields, raw, "assistant_response", "response")}
	}
	text, err := json.Marshal(payload)
	if err != nil {
		text = []byte("{}")
	}
	e.Payload = text
	return e
}

// kindOfRole is the kind of an entry of which only the role is known.
func kindOfRole(role string) Kind {
	switch role {
	case RoleSystem:
		return KindSystem
	case RoleUser:
		return KindInput
	case RoleAction:
		return KindToolResult
	default:
		return KindText
	}
}

// firstField is the text of the first of the named fields that is there, else
// the whole content as text.
func firstField(fields map[string]json.RawMessage, raw json.RawMessage, names ...string) string {
	for _, name := range names {
		if v, ok := fields[name]; ok {
			return plainText(v)
		}
	}
	return plainText(raw)
}

// plainText is a JSON string's text, other values as JSON, null and nothing as
// the empty text.
func plainText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// SearchText is what a search looks through in an entry: what was said or
// done, not how it is recorded.
func SearchText(k Kind, payload json.RawMessage) string {
	switch k {
	case KindToolCall:
		var p ToolCall
		if json.Unmarshal(payload, &p) == nil {
			return p.Name + " " + string(p.Arguments)
		}
	case KindToolResult:
		var p ToolResult
		if json.Unmarshal(payload, &p) == nil {
			return p.Output()
		}
	case KindRunEnd:
		var p RunEnd
		if json.Unmarshal(payload, &p) == nil {
			return p.Error
		}
	case KindInput, KindSystem, KindText, KindReasoning:
		var p Text // they all keep their words in text
		if json.Unmarshal(payload, &p) == nil {
			return p.Text
		}
	}
	return ""
}
