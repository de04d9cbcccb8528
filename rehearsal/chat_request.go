package rehearsal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

type chatRequest struct {
	Model               string         `json:"model"`
	Messages            []chatMessage  `json:"messages"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options"`
	MaxTokens           *int           `json:"max_tokens"`
	MaxCompletionTokens *int           `json:"max_completion_tokens"`
	Tools               []chatTool     `json:"tools"`
}

type streamOptions struct {
	IncludeUsage       bool  `json:"include_usage"`
	IncludeObfuscation *bool `json:"include_obfuscation"`
}

func (o *streamOptions) padded() bool {
	return o == nil || o.IncludeObfuscation == nil || *o.IncludeObfuscation
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

type chatMessage struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        string          `json:"reasoning"`
	Refusal          *string         `json:"refusal"`
	ToolCallID       string          `json:"tool_call_id"`
	ToolCalls        []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string  `json:"name"`
			Arguments *string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

var openAIToolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// readFunctions checks the names of the functions a request offers.
func (p *prompt) readFunctions(body []byte, names []string) *refusal {
	for i, name := range names {
		if !openAIToolName.MatchString(name) {
			param := fmt.Sprintf("tools[%d].function.name", i)
			if p.wire == WireResponses {
				param = fmt.Sprintf("tools[%d].name", i)
			}
			return invalid("Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", param).at(param, "invalid_value")
		}
	}
	p.tools = names
	var raw struct {
		Tools json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return badJSON(err)
	}
	p.toolsRaw = raw.Tools
	return nil
}

// decodeChat reads and checks a chat completions request.
func decodeChat(_ http.Header, body []byte) (*prompt, *refusal) {
	var req chatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, badJSON(err)
	}
	switch {
	case req.Model == "":
		return nil, invalid("you must provide a model parameter")
	case req.Messages == nil:
		return nil, missing("messages")
	case len(req.Messages) == 0:
		return nil, invalid("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.").at("messages", "empty_array")
	case req.StreamOptions != nil && !req.Stream:
		return nil, invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.").at("stream_options", "")
	}
	p := &prompt{wire: WireChat, model: req.Model, stream: req.Stream, padded: req.StreamOptions.padded()}
	p.withUsage = !req.Stream || req.StreamOptions != nil && req.StreamOptions.IncludeUsage
	for _, limit := range []*int{req.MaxTokens, req.MaxCompletionTokens} {
		if limit != nil {
			p.maxTokens = *limit
		}
	}
	var names []string
	for _, t := range req.Tools {
		if t.Type == "function" {
			names = append(names, t.Function.Name)
		}
	}
	if r := p.readFunctions(body, names); r != nil {
		return nil, r
	}
	d := chatDecoder{p: p}
	for i, m := range req.Messages {
		if r := d.readMessage(i, m); r != nil {
			return nil, r
		}
	}
	if len(d.open) > 0 {
		return nil, d.unanswered(len(req.Messages) - 1)
	}
	return p, nil
}

type chatDecoder struct {
	p *prompt
	// open are the calls of the newest assistant message without result so far;
	// calling is set while tool messages may follow it.
	open    []string
	calling bool
}

func (d *chatDecoder) unanswered(i int) *refusal {
	return invalid("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(d.open, ", ")).
		at(fmt.Sprintf("messages.[%d].role", i), "")
}

func (d *chatDecoder) readMessage(i int, m chatMessage) *refusal {
	where := fmt.Sprintf("messages[%d]", i)
	if m.Role != "tool" {
		if len(d.open) > 0 {
			return d.unanswered(i)
		}
		d.calling = false
	}
	if m.Role == "assistant" {
		return d.readAnswer(where, m)
	}
	text, r := openAIText(where+".content", m.Content)
	if r != nil {
		return r
	}
	switch m.Role {
	case "system", "developer":
		d.p.addSystem(text)
	case "user":
		d.p.add(Message{Role: "user", Text: text})
	case "tool":
		return d.readResult(i, m, text)
	default:
		return invalid("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role).
			at(where+".role", "invalid_value")
	}
	return nil
}

func (d *chatDecoder) readAnswer(where string, m chatMessage) *refusal {
	out := Message{Role: "assistant", Reasoning: m.ReasoningContent + m.Reasoning}
	switch {
	case !isNull(m.Content):
		text, r := openAIText(where+".content", m.Content)
		if r != nil {
			return r
		}
		out.Text = text
	case m.Refusal != nil:
		out.Text = *m.Refusal
	case len(m.ToolCalls) == 0:
		return invalid("Invalid value for 'content': expected a string, got null.").at(where+".content", "")
	}
	for k, c := range m.ToolCalls {
		call := fmt.Sprintf("%s.tool_calls[%d]", where, k)
		switch {
		case c.ID == "":
			return missing(call + ".id")
		case c.Type != "function":
			return missing(call + ".type")
		case c.Function.Name == "":
			return missing(call + ".function.name")
		case c.Function.Arguments == nil:
			return missing(call + ".function.arguments")
		}
		out.Calls = append(out.Calls, ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: *c.Function.Arguments})
		d.open = append(d.open, c.ID)
	}
	d.calling = len(d.open) > 0
	d.p.add(out)
	return nil
}

func (d *chatDecoder) readResult(i int, m chatMessage, text string) *refusal {
	at := slices.Index(d.open, m.ToolCallID)
	switch {
	case m.ToolCallID == "":
		return missing(fmt.Sprintf("messages[%d].tool_call_id", i))
	case !d.calling:
		return invalid("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.").
			at(fmt.Sprintf("messages.[%d].role", i), "")
	case at < 0:
		return invalid("Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", m.ToolCallID).
			at(fmt.Sprintf("messages.[%d].tool_call_id", i), "")
	}
	d.open = slices.Delete(d.open, at, at+1)
	d.p.add(Message{Role: "user", Results: []ToolResult{{CallID: m.ToolCallID, Text: text}}})
	return nil
}
