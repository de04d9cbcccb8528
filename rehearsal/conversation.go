package rehearsal

import (
	"encoding/json"
	"slices"
	"strings"
)

// Wire is a vendor's protocol.
type Wire string

// The wires.
const (
	WireAnthropic Wire = "anthropic"
	WireResponses Wire = "openai-responses"
	WireChat      Wire = "openai-chat"
)

// Message is one side's contribution to a conversation, whatever the wire.
// Tool results are the user's.
type Message struct {
	Role      string // user or assistant
	Text      string
	Reasoning string
	Calls     []ToolCall
	Results   []ToolResult
}

// ToolCall is a call the assistant made.
type ToolCall struct {
	ID, Name, Arguments string
}

// ToolResult is what the client answered to a call.
type ToolResult struct {
	CallID, Text string
	IsError      bool
}

// prompt is a decoded and checked request.
type prompt struct {
	wire     Wire
	model    string
	system   string
	messages []Message
	tools    []string
	// toolsRaw is the tools array as sent, for the estimate and for wires that
	// echo it.
	toolsRaw  json.RawMessage
	maxTokens int
	stream    bool
	// withUsage is the chat wire's stream_options.include_usage; the other wires
	// always report.
	withUsage bool
	// echo holds the fields of the request that the Responses wire repeats.
	echo map[string]json.RawMessage
	// padded is false when the client declined stream obfuscation (OpenAI).
	padded bool
	// sealed asks for encrypted reasoning (Responses).
	sealed bool
}

// add appends a message, joining it to the previous one when both are parts
// of one answer of the assistant or of one round of tool results.
func (p *prompt) add(m Message) {
	if n := len(p.messages); n > 0 {
		last := &p.messages[n-1]
		bothSaid := m.Role == "assistant" && last.Role == "assistant"
		bothResults := len(m.Results) > 0 && len(last.Results) > 0 && m.Text == "" && last.Text == ""
		if bothSaid || bothResults {
			last.Text = join(last.Text, m.Text)
			last.Reasoning = join(last.Reasoning, m.Reasoning)
			last.Calls = append(last.Calls, m.Calls...)
			last.Results = append(last.Results, m.Results...)
			return
		}
	}
	p.messages = append(p.messages, m)
}

func (p *prompt) addSystem(text string) { p.system = join(p.system, text) }

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// turn is the number of the answer asked for, from 1.
func (p *prompt) turn() int { return 1 + answers(p.messages) }

// step is the number of the answer since the newest text of the user, from 1.
func (p *prompt) step() int {
	i := p.newestUser()
	if i < 0 {
		return p.turn()
	}
	return 1 + answers(p.messages[i:])
}

func answers(messages []Message) (n int) {
	for _, m := range messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

func (p *prompt) newestUser() int {
	for i, m := range slices.Backward(p.messages) {
		if m.Role == "user" && m.Text != "" {
			return i
		}
	}
	return -1
}

// user is the newest text of the user.
func (p *prompt) user() string {
	if i := p.newestUser(); i >= 0 {
		return p.messages[i].Text
	}
	return ""
}

// userTexts are all texts of the user, oldest first.
func (p *prompt) userTexts() string {
	var texts []string
	for _, m := range p.messages {
		if m.Role == "user" && m.Text != "" {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// results are the tool results that no answer has followed yet.
func (p *prompt) results() []ToolResult {
	for _, m := range slices.Backward(p.messages) {
		if m.Role == "assistant" {
			return nil
		}
		if len(m.Results) > 0 {
			return m.Results
		}
	}
	return nil
}

// result is the text of results.
func (p *prompt) result() string {
	var texts []string
	for _, r := range p.results() {
		texts = append(texts, r.Text)
	}
	return strings.Join(texts, "\n")
}

// resultOf is the newest result of the named tool.
func (p *prompt) resultOf(tool string) (string, bool) {
	for _, m := range slices.Backward(p.messages) {
		for _, r := range slices.Backward(m.Results) {
			if p.toolOf(r.CallID) == tool {
				return r.Text, true
			}
		}
	}
	return "", false
}

func (p *prompt) toolOf(callID string) string {
	for _, m := range slices.Backward(p.messages) {
		for _, c := range m.Calls {
			if c.ID == callID {
				return c.Name
			}
		}
	}
	return ""
}

// after reports whether the named tool is among those with results.
func (p *prompt) after(tool string) bool {
	return slices.ContainsFunc(p.results(), func(r ToolResult) bool {
		return p.toolOf(r.CallID) == tool
	})
}

// last says what the request ends with: user, tool or assistant.
func (p *prompt) last() string {
	if len(p.messages) == 0 {
		return ""
	}
	m := p.messages[len(p.messages)-1]
	if m.Role == "user" && m.Text == "" && len(m.Results) > 0 {
		return "tool"
	}
	return m.Role
}

func (p *prompt) offers(tool string) bool { return slices.Contains(p.tools, tool) }

// tokens estimates the size of the prompt: four bytes a token.
func (p *prompt) tokens() int {
	n := len(p.system) + len(p.toolsRaw)
	for _, m := range p.messages {
		n += len(m.Text) + len(m.Reasoning)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Arguments)
		}
		for _, r := range m.Results {
			n += len(r.Text)
		}
	}
	return tokens(n)
}

func tokens(bytes int) int { return (bytes + 3) / 4 }
