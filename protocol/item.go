package protocol

import "github.com/go-json-experiment/json/jsontext"

// Item is one record of the conversation as history, snapshot and entries
// carry it. On the wire it is an object with its type first; absent options
// are left out.
type Item struct {
	// Data is the item itself; its type is the type word.
	Data ItemData `wire:",inline"`
	// ID is the model vendor's id of the item; it stands right after the type.
	ID string `wire:"id,optional"`
	// Status is how far a message, tool call or reasoning came; a tool result has
	// none.
	Status ItemStatus `wire:"status,optional"`
	// EntryID names the log entry the item was made from. Items of snapshot and
	// entries carry it, items of history do not.
	EntryID string `wire:"entry_id,optional,extended"`
}

// ItemData is the set of items: Message, ToolCallItem, ToolResultItem,
// ReasoningItem, and UnknownItem for a type this build does not know.
type ItemData interface {
	// ItemType is the type word on the wire.
	ItemType() string
}

// Type words of items.
const (
	ItemMessage    = "message"
	ItemToolCall   = "tool_call"
	ItemToolResult = "tool_result"
	ItemReasoning  = "reasoning"
)

// ItemStatus is the status word of an Item.
type ItemStatus string

// The statuses.
const (
	StatusInProgress ItemStatus = "inprogress"
	StatusCompleted  ItemStatus = "completed"
	StatusIncomplete ItemStatus = "incomplete"
)

// Message is what one side said.
type Message struct {
	// Role is who said it.
	Role Role `wire:"role"`
	// Content are its parts, in order.
	Content []Content `wire:"content"`
}

// Role is the role word of a Message.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
)

// Content is one part of a message.
type Content struct {
	// Type says what Text is.
	Type ContentType `wire:"type"`
	// Text stands under the key that is the type word: text or refusal.
	Text string
	// Raw is the whole part when its type is unknown, else nil.
	Raw jsontext.Value
}

// ContentType is the type word of a Content.
type ContentType string

// The types of content.
const (
	ContentText    ContentType = "text"
	ContentRefusal ContentType = "refusal"
)

// ToolCallItem is a call the model asked for.
type ToolCallItem struct {
	// CallID is the call's id.
	CallID string `wire:"call_id"`
	// Name is the tool.
	Name string `wire:"name"`
	// Arguments is JSON text that is always an object; anything else is read and
	// written as "{}".
	Arguments string `wire:"arguments"`
}

// ToolResultItem is what the call of the same id gave.
type ToolResultItem struct {
	// CallID is the id of the call.
	CallID string `wire:"call_id"`
	// Summary is one or two lines, and all there is when Content is missing.
	Summary string `wire:"summary"`
	// Content is the text that the model gets after the summary.
	Content *string `wire:"content,optional"`
	// IsError is written only when true.
	IsError bool `wire:"is_error,optional"`
}

// ReasoningItem is a block of the model's reasoning.
type ReasoningItem struct {
	// Text is the whole block.
	Text string `wire:"text"`
	// Summary is the vendor's digest.
	Summary []string `wire:"summary,optional"`
	// EncryptedContent is the vendor's own proof of the block.
	EncryptedContent *string `wire:"encrypted_content,optional"`
}

// UnknownItem is an item whose type this build does not know, as received.
type UnknownItem struct {
	Type string
	Raw  jsontext.Value
}

// ItemType is "message".
func (Message) ItemType() string { return ItemMessage }

// ItemType is "tool_call".
func (ToolCallItem) ItemType() string { return ItemToolCall }

// ItemType is "tool_result".
func (ToolResultItem) ItemType() string { return ItemToolResult }

// ItemType is "reasoning".
func (ReasoningItem) ItemType() string { return ItemReasoning }

// ItemType is the type word as received.
func (u UnknownItem) ItemType() string { return u.Type }
