package rehearsal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

type anthropicRequest struct {
	Model       *string            `json:"model"`
	MaxTokens   *int               `json:"max_tokens"`
	Messages    []anthropicMessage `json:"messages"`
	System      json.RawMessage    `json:"system"`
	Stream      bool               `json:"stream"`
	Temperature *float64           `json:"temperature"`
	Tools       json.RawMessage    `json:"tools"`
	Thinking    struct {
		Type         string `json:"type"`
		BudgetTokens *int   `json:"budget_tokens"`
	} `json:"thinking"`
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type anthropicTool struct {
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl json.RawMessage `json:"cache_control"`
}

type anthropicBlock struct {
	Type         string          `json:"type"`
	Text         *string         `json:"text"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      json.RawMessage `json:"content"`
	IsError      bool            `json:"is_error"`
	CacheControl json.RawMessage `json:"cache_control"`
}

var anthropicToolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

// anthropicCacheMarks is how many cache_control marks a request may hold.
const anthropicCacheMarks = 4

// decodeAnthropic reads and checks a Messages request.
func decodeAnthropic(header http.Header, body []byte) (*prompt, *refusal) {
	if header.Get("Anthropic-Version") == "" {
		return nil, invalid("anthropic-version: header is required")
	}
	var req anthropicRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, invalid("The request body is not valid JSON: %s", err)
	}
	switch {
	case req.Model == nil:
		return nil, invalid("model: Field required")
	case *req.Model == "":
		return nil, invalid("model: String should have at least 1 character")
	case req.MaxTokens == nil:
		return nil, invalid("max_tokens: Field required")
	case *req.MaxTokens < 1:
		return nil, invalid("max_tokens: Input should be greater than or equal to 1")
	case req.Messages == nil:
		return nil, invalid("messages: Field required")
	case len(req.Messages) == 0:
		return nil, invalid("messages: at least one message is required")
	case req.Temperature != nil && (*req.Temperature < 0 || *req.Temperature > 1):
		return nil, invalid("temperature: range: 0..1")
	}
	if r := req.checkThinking(); r != nil {
		return nil, r
	}
	d := anthropicDecoder{p: &prompt{
		wire: WireAnthropic, model: *req.Model, maxTokens: *req.MaxTokens, stream: req.Stream, withUsage: true,
	}}
	d.thinks = req.Thinking.Type == "enabled"
	for _, read := range []func(*anthropicRequest) *refusal{d.readTools, d.readSystem, d.readMessages} {
		if r := read(&req); r != nil {
			return nil, r
		}
	}
	if d.marks > anthropicCacheMarks {
		return nil, invalid("A maximum of %d blocks with cache_control may be provided. Found %d.", anthropicCacheMarks, d.marks)
	}
	return d.p, nil
}

func (req *anthropicRequest) checkThinking() *refusal {
	t := req.Thinking
	if t.Type == "" || t.Type == "disabled" {
		return nil
	}
	if req.Temperature != nil && *req.Temperature != 1 {
		return invalid("`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking")
	}
	if t.Type != "enabled" {
		return nil
	}
	switch {
	case t.BudgetTokens == nil:
		return invalid("thinking.enabled.budget_tokens: Field required")
	case *t.BudgetTokens < 1024:
		return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case *t.BudgetTokens >= *req.MaxTokens:
		return invalid("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size")
	}
	return nil
}

type anthropicDecoder struct {
	p      *prompt
	thinks bool
	marks  int
	// open are the calls of the message before, which the next must answer.
	open []string
	seen map[string]bool
	// newestAnswer is the index of the last assistant message.
	newestAnswer int
}

func (d *anthropicDecoder) mark(cacheControl json.RawMessage) {
	if !isNull(cacheControl) {
		d.marks++
	}
}

func (d *anthropicDecoder) readTools(req *anthropicRequest) *refusal {
	if isNull(req.Tools) {
		return nil
	}
	var tools []anthropicTool
	if err := json.Unmarshal(req.Tools, &tools); err != nil {
		return invalid("tools: Input should be a valid list")
	}
	for i, t := range tools {
		d.mark(t.CacheControl)
		if t.Type != "" && t.Type != "custom" {
			continue
		}
		if !anthropicToolName.MatchString(t.Name) {
			return invalid("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		}
		if slices.Contains(d.p.tools, t.Name) {
			return invalid("tools: Tool names must be unique.")
		}
		var schema struct{ Type *string }
		if len(t.InputSchema) == 0 {
			return invalid("tools.%d.custom.input_schema: Field required", i)
		}
		if err := json.Unmarshal(t.InputSchema, &schema); err != nil || schema.Type == nil {
			return invalid("tools.%d.custom.input_schema.type: Field required", i)
		}
		if *schema.Type != "object" {
			return invalid("tools.%d.custom.input_schema.type: Input should be 'object'", i)
		}
		d.p.tools = append(d.p.tools, t.Name)
	}
	d.p.toolsRaw = req.Tools
	return nil
}

func (d *anthropicDecoder) readSystem(req *anthropicRequest) *refusal {
	blocks, wrong := anthropicBlocks(req.System)
	if wrong != "" {
		return invalid("system: %s", wrong)
	}
	for i, b := range blocks {
		d.mark(b.CacheControl)
		if b.Type != "text" || b.Text == nil {
			return invalid("system.%d.type: Input should be 'text'", i)
		}
		if *b.Text == "" && isArray(req.System) {
			return invalid("system: text content blocks must be non-empty")
		}
		d.p.addSystem(*b.Text)
	}
	return nil
}

func (d *anthropicDecoder) readMessages(req *anthropicRequest) *refusal {
	d.seen = map[string]bool{}
	for i, m := range req.Messages {
		if m.Role == "assistant" {
			d.newestAnswer = i
		}
	}
	for i, m := range req.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return invalid("messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		if i == 0 && m.Role != "user" {
			return invalid("messages: first message must use the \"user\" role")
		}
		blocks, wrong := anthropicBlocks(m.Content)
		if wrong != "" {
			return invalid("messages.%d.content: %s", i, wrong)
		}
		last := i == len(req.Messages)-1
		if (len(blocks) == 0 || !isArray(m.Content) && *blocks[0].Text == "") && !(last && m.Role == "assistant") {
			return invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		if r := d.readMessage(i, m, blocks); r != nil {
			return r
		}
	}
	if len(d.open) > 0 {
		return unansweredAnthropic(len(req.Messages)-1, d.open)
	}
	return nil
}

func unansweredAnthropic(i int, ids []string) *refusal {
	return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(ids, ", "))
}

// readMessage checks one message against the calls left open by the one before.
func (d *anthropicDecoder) readMessage(i int, m anthropicMessage, blocks []anthropicBlock) *refusal {
	// The API joins messages of one role, so calls stay open over further
	// assistant messages and results may be spread over several user messages.
	if m.Role == "user" && len(d.open) > 0 && (len(blocks) == 0 || blocks[0].Type != "tool_result") {
		return unansweredAnthropic(i-1, d.open)
	}
	out := Message{Role: m.Role}
	var texts, thoughts []string
	for k, b := range blocks {
		d.mark(b.CacheControl)
		where := fmt.Sprintf("messages.%d.content.%d", i, k)
		switch {
		case b.Type == "text":
			if b.Text == nil {
				return invalid("%s.text.text: Field required", where)
			}
			if *b.Text == "" && isArray(m.Content) {
				return invalid("messages: text content blocks must be non-empty")
			}
			texts = append(texts, *b.Text)
		case b.Type == "thinking" && m.Role == "assistant":
			if b.Signature != signature(b.Thinking) {
				return invalid("%s: Invalid `signature` in `thinking` block", where)
			}
			thoughts = append(thoughts, b.Thinking)
		case b.Type == "redacted_thinking" && m.Role == "assistant":
		case b.Type == "tool_use" && m.Role == "assistant":
			if r := d.readCall(where, b); r != nil {
				return r
			}
			out.Calls = append(out.Calls, ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		case b.Type == "tool_result" && m.Role == "user":
			result, r := d.readResult(where, b)
			if r != nil {
				return r
			}
			out.Results = append(out.Results, result)
		case m.Role == "user" && (b.Type == "image" || b.Type == "document"):
		default:
			return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags for a message of role '%s'", where, b.Type, m.Role)
		}
	}
	if m.Role == "user" && len(d.open) > 0 {
		return unansweredAnthropic(i-1, d.open)
	}
	// Only the answer in progress must keep its thinking, and only an answer that
	// had some: its calls say so (see thoughtfulUse).
	inProgress := d.thinks && i == d.newestAnswer
	if inProgress && len(out.Calls) > 0 && strings.HasPrefix(out.Calls[0].ID, thoughtfulUse) &&
		blocks[0].Type != "thinking" && blocks[0].Type != "redacted_thinking" {
		return invalid("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).", i, blocks[0].Type)
	}
	out.Text, out.Reasoning = strings.Join(texts, "\n"), strings.Join(thoughts, "\n")
	d.p.add(out)
	return nil
}

func (d *anthropicDecoder) readCall(where string, b anthropicBlock) *refusal {
	switch {
	case b.ID == "":
		return invalid("%s.tool_use.id: Field required", where)
	case b.Name == "":
		return invalid("%s.tool_use.name: Field required", where)
	case d.seen[b.ID]:
		return invalid("messages: `tool_use` ids must be unique")
	case !isObject(b.Input):
		return invalid("%s.tool_use.input: Input should be a valid dictionary", where)
	}
	d.seen[b.ID] = true
	d.open = append(d.open, b.ID)
	return nil
}

func (d *anthropicDecoder) readResult(where string, b anthropicBlock) (ToolResult, *refusal) {
	at := slices.Index(d.open, b.ToolUseID)
	if at < 0 {
		return ToolResult{}, invalid("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", where, b.ToolUseID)
	}
	d.open = slices.Delete(d.open, at, at+1)
	inner, wrong := anthropicBlocks(b.Content)
	if wrong != "" {
		return ToolResult{}, invalid("%s.tool_result.content: %s", where, wrong)
	}
	var texts []string
	for _, c := range inner {
		d.mark(c.CacheControl)
		if c.Text != nil {
			texts = append(texts, *c.Text)
		}
	}
	return ToolResult{CallID: b.ToolUseID, Text: strings.Join(texts, "\n"), IsError: b.IsError}, nil
}

// anthropicBlocks reads content that is a string or an array of blocks.
// The second result is the vendor's complaint.
func anthropicBlocks(raw json.RawMessage) ([]anthropicBlock, string) {
	if isNull(raw) {
		return nil, ""
	}
	if !isArray(raw) {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, "Input should be a valid string or list"
		}
		return []anthropicBlock{{Type: "text", Text: &text}}, ""
	}
	var blocks []anthropicBlock
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, "Input should be a valid list of content blocks"
	}
	return blocks, ""
}

func isNull(raw json.RawMessage) bool   { return len(raw) == 0 || string(raw) == "null" }
func isArray(raw json.RawMessage) bool  { return startsWith(raw, '[') }
func isObject(raw json.RawMessage) bool { return startsWith(raw, '{') }

func startsWith(raw json.RawMessage, c byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == c
}
