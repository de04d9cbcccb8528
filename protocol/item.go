package protocol

import "github.com/go-json-experiment/json/jsontext"

// Item is one record of the conversation as history, snapshot and entries
// carry it. On the wire it is an object with its type first; absent options
// are left out.
type Item struct {
	// Data is the item itself; its type is the type word.
	Data ItemData
	// ID is the model vendor's id of the item; empty when there is none.
	ID string
	// Status is how far a message, tool call or reasoning came; empty when not
	// said. Other items have none.
	Status ItemStatus
	// EntryID names the log entry the item was made from. Items of snapshot and
	// entries carry it, items of history do not.
	EntryID string
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
	Role    Role
	Content []Content
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
	Type ContentType
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
	CallID, Name string
	// Arguments is JSON text that is always an object; anything else is read and
	// written as "{}".
	Arguments string
}

// ToolResultItem is what the call of the same id gave.
type ToolResultItem struct {
	CallID string
	// Summary is one or two lines, and all there is when Content is nil.
	Summary string
	Content *string
	// IsError is written only when true.
	IsError bool
}

// ReasoningItem is a block of the model's reasoning.
type ReasoningItem struct {
	Text string
	// Summary is the vendor's digest; nil when it gave none.
	Summary []string
	// EncryptedContent is the vendor's own proof of the block; nil when it gave
	// none.
	EncryptedContent *string
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
