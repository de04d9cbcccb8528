package protocol

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseItem reads one item of history, snapshot or entries, tolerantly: an
// unknown type becomes UnknownItem with its raw text, unknown words and parts
// are kept, unknown keys are ignored. What is not a JSON object with a type,
// or a known type without its fields, is a *DecodeError whose Tag is the
// item's type. The result shares no memory with v.
func ParseItem(v jsontext.Value) (Item, error) {
	v, derr := checkLine(v)
	if derr != nil {
		return Item{}, derr
	}
	f := &fields{}
	f.open(v)
	kind := f.text("type")
	f.tag = kind
	item := Item{EntryID: f.optionalText("entry_id")}
	read := itemReaders[kind]
	switch {
	case f.err != nil:
		return Item{}, f.err
	case read == nil:
		item.Data = UnknownItem{Type: kind, Raw: v.Clone()}
		return item, nil
	}
	item.ID = f.optionalText("id")
	if kind != ItemToolResult {
		item.Status = ItemStatus(f.optionalText("status"))
	}
	item.Data = read(f)
	if f.err != nil {
		return Item{}, f.err
	}
	return item, nil
}

var itemReaders = map[string]func(*fields) ItemData{
	ItemMessage: func(f *fields) ItemData {
		m := Message{Role: Role(f.text("role")), Content: []Content{}}
		raw := f.array("content")
		f.objects("content", func(c *fields) { m.Content = append(m.Content, readContent(c, raw[len(m.Content)])) })
		return m
	},
	ItemToolCall: func(f *fields) ItemData {
		return ToolCallItem{
			CallID: f.text("call_id"), Name: f.text("name"), Arguments: objectOrEmpty(f.optionalText("arguments")),
		}
	},
	ItemToolResult: func(f *fields) ItemData {
		r := ToolResultItem{
			CallID: f.text("call_id"), Summary: f.text("summary"), Content: f.nullableText("content"),
		}
		if v := f.optional("is_error"); v != nil {
			r.IsError = f.toBool("is_error", v)
		}
		return r
	},
	ItemReasoning: func(f *fields) ItemData {
		r := ReasoningItem{Text: f.text("text"), EncryptedContent: f.nullableText("encrypted_content")}
		if f.optional("summary") != nil {
			r.Summary = f.texts("summary")
		}
		return r
	},
}

func readContent(f *fields, raw jsontext.Value) Content {
	c := Content{Type: ContentType(f.text("type"))}
	switch c.Type {
	case ContentText:
		c.Text = f.text("text")
	case ContentRefusal:
		c.Text = f.text("refusal")
	default:
		c.Raw = raw.Clone()
	}
	return c
}

// Append appends the item's canonical JSON text, ready for the Items of an
// event. An UnknownItem is appended as it was received. Errors are
// *EncodeError; then dst comes back as it was.
func (i Item) Append(dst []byte) ([]byte, error) {
	if i.Data == nil {
		return dst, &EncodeError{Tag: "item", Field: "data", What: "is nil"}
	}
	e := encoder{dst: dst, tag: i.Data.ItemType()}
	if u, ok := i.Data.(UnknownItem); ok {
		e.value("", "raw", u.Raw)
	} else {
		e.item(i)
	}
	if e.err != nil {
		return dst, e.err
	}
	return e.dst, nil
}

func (e *encoder) item(i Item) {
	e.text(`{"type":`, i.Data.ItemType())
	e.optionalText(`,"id":`, i.ID)
	switch d := i.Data.(type) {
	case Message:
		e.text(`,"role":`, string(d.Role))
		e.raw(`,"content":[`)
		for n, c := range d.Content {
			e.raw(separator(n))
			e.content(c)
		}
		e.raw("]")
		e.optionalText(`,"status":`, string(i.Status))
	case ToolCallItem:
		e.text(`,"call_id":`, d.CallID)
		e.text(`,"name":`, d.Name)
		e.text(`,"arguments":`, objectOrEmpty(d.Arguments))
		e.optionalText(`,"status":`, string(i.Status))
	case ToolResultItem:
		e.text(`,"call_id":`, d.CallID)
		e.text(`,"summary":`, d.Summary)
		if d.Content != nil {
			e.text(`,"content":`, *d.Content)
		}
		if d.IsError {
			e.raw(`,"is_error":true`)
		}
	case ReasoningItem:
		e.text(`,"text":`, d.Text)
		if d.Summary != nil {
			e.texts(`,"summary":`, d.Summary)
		}
		if d.EncryptedContent != nil {
			e.text(`,"encrypted_content":`, *d.EncryptedContent)
		}
		e.optionalText(`,"status":`, string(i.Status))
	default:
		e.fail("data", fmt.Sprintf("has no codec: %T", i.Data))
	}
	e.optionalText(`,"entry_id":`, i.EntryID)
	e.raw("}")
}

func (e *encoder) content(c Content) {
	switch c.Type {
	case ContentText:
		e.text(`{"type":"text","text":`, c.Text)
		e.raw("}")
	case ContentRefusal:
		e.text(`{"type":"refusal","refusal":`, c.Text)
		e.raw("}")
	default:
		e.value("", "content", c.Raw)
	}
}
