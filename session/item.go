package session

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"podium.local/protocol"
)

// ModelText is what the model reads of an input: the text as it was given,
// and around a notification the words that say what it is.
func (i Input) ModelText() string {
	if i.Kind == protocol.InputText {
		return i.Text
	}
	return "[Notification]\n" + i.Text +
		"\n\nThis is not a blocking request. Take it up at a natural stopping point of your work."
}

type messageItem struct {
	Type    string     `json:"type"`
	Role    string     `json:"role"`
	Content []textPart `json:"content"`
	EntryID string     `json:"entry_id,omitempty"`
}

type textPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type callItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	EntryID   string `json:"entry_id,omitempty"`
}

type resultItem struct {
	Type    string `json:"type"`
	CallID  string `json:"call_id"`
	Summary string `json:"summary"`
	Content string `json:"content,omitempty"`
	IsError bool   `json:"is_error,omitzero"`
	EntryID string `json:"entry_id,omitempty"`
}

type reasoningItem struct {
	Type    string   `json:"type"`
	Text    string   `json:"text"`
	Summary []string `json:"summary"`
	EntryID string   `json:"entry_id,omitempty"`
}

// HistoryItem renders the entry as an item of the wire's history, nil when it
// is none of the history's. withID adds entry_id, for extended clients. Bytes
// that are not UTF-8 are written as U+FFFD.
func HistoryItem(e Entry, withID bool) (jsontext.Value, error) {
	payload, err := e.Decode()
	if err != nil {
		return nil, err
	}
	var id string
	if withID {
		id = e.ID
	}
	message := func(role, text string) any {
		return messageItem{Type: "message", Role: role, Content: []textPart{{"text", text}}, EntryID: id}
	}
	var item any
	switch p := payload.(type) {
	case Input:
		role := RoleUser
		if p.Kind != protocol.InputText {
			role = RoleSystem
		}
		item = message(role, p.ModelText())
	case System:
		item = message(RoleSystem, p.Text)
	case Text:
		item = message(RoleAssistant, p.Text)
	case Reasoning:
		item = reasoningItem{Type: "reasoning", Text: p.Text, Summary: []string{}, EntryID: id}
	case ToolCall:
		item = callItem{"tool_call", p.CallID, p.Name, string(p.Arguments), id}
	case ToolResult:
		item = resultItem{"tool_result", p.CallID, p.Summary, p.Content, p.IsError, id}
	default:
		return nil, nil
	}
	v, err := json.Marshal(item, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("write history item: %w", e.fault(err))
	}
	return v, nil
}

// SystemItem renders a system message that stands in no log, for what a
// history must say about itself.
func SystemItem(text string) jsontext.Value {
	v, err := json.Marshal(messageItem{Type: "message", Role: RoleSystem, Content: []textPart{{"text", text}}},
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // strings in structs always marshal
	}
	return v
}
