package tui

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"podium.local/protocol"
)

// blocksOf makes blocks of history items. A result is part of its call's
// block; one whose call is not among the items stands alone.
func blocksOf(items []jsontext.Value) []*block {
	var blocks []*block
	calls := map[string]*block{}
	for _, raw := range items {
		item, err := protocol.ParseItem(raw)
		if err != nil {
			blocks = append(blocks, &block{kind: kindError, text: clean("[unreadable item] " + err.Error()), items: 1})
			continue
		}
		b := blockOf(item, calls)
		if b != nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// blockOf gives the new block that an item is, nil when it completes a call.
func blockOf(item protocol.Item, calls map[string]*block) *block {
	b := &block{entryID: item.EntryID, items: 1}
	switch d := item.Data.(type) {
	case protocol.Message:
		b.text, b.cut = limit(messageText(d))
		b.text = clean(b.text)
		switch d.Role {
		case protocol.RoleUser:
			b.kind = kindInput
		case protocol.RoleAssistant:
			b.kind = kindAnswer
		default:
			b.kind = kindSystem
		}
	case protocol.ReasoningItem:
		b.kind = kindReasoning
		text := d.Text
		if text == "" {
			text = strings.Join(d.Summary, "\n")
		}
		b.text, b.cut = limit(text)
		b.text = clean(b.text)
	case protocol.ToolCallItem:
		b.kind = kindTool
		b.tool = &toolCall{id: d.CallID, name: d.Name, called: true}
		b.tool.arguments, b.cut = limit(d.Arguments)
		calls[d.CallID] = b
	case protocol.ToolResultItem:
		call := calls[d.CallID]
		if call == nil {
			call, b.kind, b.items = b, kindTool, 0
			b.tool = &toolCall{id: d.CallID, name: "result", called: true}
		} else {
			b = nil
		}
		output := d.Summary
		if d.Content != nil {
			output = *d.Content
		}
		call.setResult(d.Summary, output, d.IsError)
		delete(calls, d.CallID)
	case protocol.UnknownItem:
		b.kind = kindRaw
		b.text, b.cut = limit("[" + d.Type + "] " + string(d.Raw))
		b.text = clean(b.text)
	}
	return b
}

// messageText is all text of a message.
func messageText(m protocol.Message) string {
	var b strings.Builder
	for _, c := range m.Content {
		switch {
		case c.Raw != nil:
			b.WriteString("[" + string(c.Type) + "]")
		default:
			b.WriteString(c.Text)
		}
	}
	return b.String()
}
