package session

import (
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

// HistoryItem renders the entry as an item of the wire's history; ok is false
// when it is none of the history's. withID adds entry_id, for extended
// clients.
func HistoryItem(e Entry, withID bool) (v jsontext.Value, ok bool, err error) {
	payload, err := e.Decode()
	if err != nil {
		return nil, false, err
	}
	item := protocol.Item{}
	if withID {
		item.EntryID = e.ID
	}
	switch p := payload.(type) {
	case Input:
		role := protocol.RoleUser
		if p.Kind != protocol.InputText {
			role = protocol.RoleSystem
		}
		item.Data = message(role, p.ModelText())
	case System:
		item.Data = message(protocol.RoleSystem, p.Text)
	case Text:
		item.Data = message(protocol.RoleAssistant, p.Text)
	case Reasoning:
		item.Data = protocol.ReasoningItem{Text: p.Text, Summary: []string{}}
	case ToolCall:
		item.Data = protocol.ToolCallItem{CallID: p.CallID, Name: p.Name, Arguments: protocol.CanonicalArguments(string(p.Arguments))}
	case ToolResult:
		r := protocol.ToolResultItem{CallID: p.CallID, Summary: p.Summary, IsError: p.IsError}
		if p.Content != "" {
			r.Content = &p.Content
		}
		item.Data = r
	default:
		return nil, false, nil
	}
	v, err = item.Append(nil)
	if err != nil {
		return nil, false, e.fault(err)
	}
	return v, true, nil
}

// SystemItem renders a system message that stands in no log, for what a
// history must say about itself.
func SystemItem(text string) (jsontext.Value, error) {
	return protocol.Item{Data: message(protocol.RoleSystem, text)}.Append(nil)
}

func message(role protocol.Role, text string) protocol.Message {
	return protocol.Message{Role: role, Content: []protocol.Content{{Type: protocol.ContentText, Text: text}}}
}
