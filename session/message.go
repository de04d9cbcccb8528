package session

import (
	"encoding/json"
	"time"
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

// MessageKinds are the kinds of entry that are messages; the others mark
// where turns, runs and sessions end.
func MessageKinds() []Kind {
	return []Kind{KindInput, KindSystem, KindText, KindReasoning, KindToolCall, KindToolResult}
}

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
