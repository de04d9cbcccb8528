package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"podium.local/session"
)

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// block is a part of a message, of Claude Code or of Codex.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	ImageURL  string          `json:"image_url"`
	Source    *struct {
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

// blocksOf reads content that is a text or a list of blocks.
func blocksOf(content json.RawMessage) (blocks []block, text string) {
	content = bytes.TrimSpace(content)
	if len(content) == 0 {
		return nil, ""
	}
	if content[0] == '"' {
		_ = json.Unmarshal(content, &text) // valid: it was part of a valid line
		return nil, text
	}
	_ = json.Unmarshal(content, &blocks) // what has another shape stays empty
	return blocks, ""
}

// textOf joins the texts of blocks, with a word for what is none.
func textOf(blocks []block) string {
	var b strings.Builder
	for i := range blocks {
		text := blocks[i].Text
		if text == "" {
			text = blocks[i].media()
		}
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

// media stands for an image or a document; empty for other blocks.
func (b *block) media() string {
	switch {
	case b.Source != nil && b.Source.Data != "":
		return media(strings.TrimSpace(b.Type+" "+session.Clip(b.Source.MediaType, 100)), len(b.Source.Data))
	case strings.HasPrefix(b.ImageURL, "data:"):
		kind, data, _ := strings.Cut(strings.TrimPrefix(b.ImageURL, "data:"), ",")
		kind, _, _ = strings.Cut(kind, ";")
		return media("image "+session.Clip(kind, 100), len(data))
	case b.ImageURL != "":
		return "[image " + session.Clip(b.ImageURL, 500) + "]"
	}
	return ""
}

// plain is the text of content in whatever form it stands.
func plain(content json.RawMessage) string {
	blocks, text := blocksOf(content)
	if text == "" {
		text = textOf(blocks)
	}
	return text
}

// outputOf is a tool's output: a text, blocks, or any other JSON as it is.
func outputOf(content json.RawMessage) string {
	text := plain(content)
	if text == "" {
		switch raw := string(bytes.TrimSpace(content)); raw {
		case "", "null", `""`, "[]":
		default:
			return raw
		}
	}
	return text
}

// claudeBlock adds one block of a message.
func (r *reading) claudeBlock(sub, id string, at time.Time, c *claudeLine, b *block) {
	switch b.Type {
	case "text":
		switch {
		case b.Text == "":
		case c.Type == "user":
			r.userText(sub, id, at, b.Text, c.IsMeta)
		default:
			r.add(sub, id, at, session.KindText, session.Text{Text: r.keep(b.Text)})
		}
	case "thinking":
		if b.Thinking != "" {
			r.add(sub, id, at, session.KindReasoning, session.Reasoning{Text: r.keep(b.Thinking)})
		}
	case "redacted_thinking":
		r.add(sub, id, at, session.KindReasoning, session.Reasoning{Text: "[redacted]"})
	case "tool_use", "server_tool_use", "mcp_tool_use":
		r.call(sub, id, at, b.ID, b.Name, b.Input)
	case "tool_result", "web_search_tool_result", "web_fetch_tool_result", "mcp_tool_result", "code_execution_tool_result":
		r.result(sub, id, at, b.ToolUseID, outputOf(b.Content), b.IsError)
	case "image", "document":
		kind := session.KindInput
		if c.Type != "user" {
			kind = session.KindText
		}
		if kind == session.KindInput {
			r.userText(sub, id, at, b.media(), c.IsMeta)
		} else {
			r.add(sub, id, at, kind, session.Text{Text: b.media()})
		}
	default:
		r.foreign(sub, id, c.Type+"/"+b.Type, at)
	}
}

// call adds a tool call. Arguments that are no object become one.
func (r *reading) call(sub, id string, at time.Time, callID, name string, input json.RawMessage) {
	input = bytes.TrimSpace(input)
	switch {
	case len(input) == 0 || string(input) == "null":
		input = json.RawMessage("{}")
	case len(input) > maxText:
		input, _ = json.Marshal(map[string]string{"preview": r.keep(string(input))}) // a map of texts always marshals
	case input[0] != '{' || !json.Valid(input):
		input, _ = json.Marshal(map[string]string{"input": unquoted(input)})
	}
	r.add(sub, id, at, session.KindToolCall, session.ToolCall{CallID: callID, Name: name, Arguments: append(json.RawMessage(nil), input...)})
}

// unquoted is a JSON string's text, other bytes as they are.
func unquoted(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// summaryBytes is the longest first line that stands for a result.
const summaryBytes = 200

// result adds a tool's result. Its first line is the summary, so that summary
// and content together are the output.
func (r *reading) result(sub, id string, at time.Time, callID, output string, failed bool) {
	output = r.keep(output)
	p := session.ToolResult{CallID: callID, Summary: output, IsError: failed}
	if first, rest, found := strings.Cut(output, "\n"); found && len(first) <= summaryBytes && rest != "" {
		p.Summary, p.Content = first, rest
	}
	r.add(sub, id, at, session.KindToolResult, p)
}
