package openai

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

// dialect is what differs between servers of the Chat Completions wire.
type dialect struct {
	// full says that the server is the vendor's own and knows every parameter;
	// others may refuse one that they do not know.
	full bool
	// signed says that calls must carry a thought signature (Gemini).
	signed bool
}

type chatProvider struct {
	endpoint *vendor.Endpoint
	service  sdk.ChatCompletionService
	dialect  dialect
}

// NewChat makes a provider for the Chat Completions API of the vendor, or of
// any server that resembles it; safe for concurrent use. Errors are *llm.Error:
// no key, or an address that cannot be used.
func NewChat(o Options) (llm.Provider, error) {
	return newChat(o, "openai-chat", defaultURL, KeyEnv, dialect{full: o.BaseURL == ""})
}

// NewOllama is NewChat for a local Ollama, which needs no key.
func NewOllama(o Options) (llm.Provider, error) {
	return newChat(o, "ollama", ollamaURL, "", dialect{})
}

// NewGemini is NewChat for Gemini's OpenAI-compatible endpoint.
func NewGemini(o Options) (llm.Provider, error) {
	return newChat(o, "gemini", geminiURL, GeminiKeyEnv, dialect{signed: true})
}

func newChat(o Options, name, address, keyEnv string, d dialect) (llm.Provider, error) {
	endpoint, options, err := o.endpoint(name, address, keyEnv)
	if err != nil {
		return nil, err
	}
	return &chatProvider{endpoint: endpoint, service: sdk.NewChatCompletionService(options...), dialect: d}, nil
}

// Stream sends one request when the sequence is ranged over.
func (p *chatProvider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		params, err := buildChat(req, p.dialect)
		if err != nil {
			yield(nil, err)
			return
		}
		answer := &chatAnswer{endpoint: p.endpoint, calls: map[int64]*chatCall{}}
		stream(ctx, p.endpoint, answer, func(ctx context.Context, options ...option.RequestOption) error {
			return p.service.NewStreaming(ctx, params, options...).Err()
		})(yield)
	}
}

// chatOpaque is what a reasoning block keeps for this wire.
type chatOpaque struct {
	Chat *chatProof `json:"openai_chat,omitempty"`
}

type chatProof struct {
	// Field is the member of the message that the reasoning came in and goes
	// back in.
	Field string `json:"field,omitempty"`
	// Extra is what came with a call (Gemini's thought signature), by call id.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// skipSignature is the vendor's documented stand-in for calls that no Gemini
// model signed: another vendor's, or those of an answer that was cut off.
const skipSignature = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// buildChat puts a request on the wire. Errors are *llm.Error.
func buildChat(req llm.Request, d dialect) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{
		Model:         req.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	if req.MaxTokens > 0 {
		if d.full {
			p.MaxCompletionTokens = sdk.Int(int64(req.MaxTokens))
		} else {
			p.MaxTokens = sdk.Int(int64(req.MaxTokens))
		}
	}
	if req.Temperature != nil {
		p.Temperature = sdk.Float(*req.Temperature)
	}
	if req.CacheKey != "" && d.full {
		p.PromptCacheKey = sdk.String(req.CacheKey)
	}
	if req.Effort != "" {
		p.ReasoningEffort = shared.ReasoningEffort(req.Effort)
	}
	for _, spec := range req.Tools {
		f, err := buildFunction(spec)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](f)))
	}
	if !vendor.Blank(req.System) {
		p.Messages = append(p.Messages, sdk.SystemMessage(req.System))
	}
	for _, m := range req.Messages {
		if m.Role == llm.RoleAssistant {
			message, err := buildAssistant(m, d)
			if err != nil {
				return p, err
			}
			if message != nil {
				p.Messages = append(p.Messages, sdk.ChatCompletionMessageParamUnion{OfAssistant: message})
			}
			continue
		}
		p.Messages = append(p.Messages, buildUser(m)...)
	}
	return p, nil
}

// buildUser puts tool results, which are messages of their own, before the text.
func buildUser(m llm.Message) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	var texts []string
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.ToolResult:
			out = append(out, sdk.ToolMessage(resultText(b), b.CallID))
		case llm.Text:
			switch {
			case vendor.Blank(b.Text):
			case m.Role == llm.RoleSystem:
				texts = append(texts, vendor.Note(b.Text))
			default:
				texts = append(texts, b.Text)
			}
		}
	}
	if len(texts) > 0 {
		out = append(out, sdk.UserMessage(strings.Join(texts, "\n\n")))
	}
	return out
}

// buildAssistant returns nil for a message that has nothing to send.
func buildAssistant(m llm.Message, d dialect) (*sdk.ChatCompletionAssistantMessageParam, error) {
	message := &sdk.ChatCompletionAssistantMessageParam{}
	var text strings.Builder
	thoughts := map[string]any{}
	extra := map[string]json.RawMessage{}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.Text:
			text.WriteString(b.Text)
		case llm.Reasoning:
			var o chatOpaque
			if json.Unmarshal(b.Opaque, &o) != nil || o.Chat == nil {
				continue
			}
			if o.Chat.Field != "" {
				before, _ := thoughts[o.Chat.Field].(string)
				thoughts[o.Chat.Field] = before + b.Text
			}
			for id, x := range o.Chat.Extra {
				extra[id] = x
			}
		case llm.ToolCall:
			args, err := vendor.Arguments(b)
			if err != nil {
				return nil, err
			}
			call := &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID:       b.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: b.Name, Arguments: string(args)},
			}
			signature, known := extra[b.ID]
			if !known && d.signed && len(message.ToolCalls) == 0 {
				signature, known = json.RawMessage(skipSignature), true
			}
			if known {
				call.SetExtraFields(map[string]any{"extra_content": signature})
			}
			message.ToolCalls = append(message.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
		}
	}
	if s := text.String(); !vendor.Blank(s) {
		message.Content.OfString = sdk.String(s)
	} else if len(message.ToolCalls) == 0 {
		return nil, nil
	}
	// Servers that want reasoning back want it with the calls it led to, and
	// ignore or refuse it elsewhere.
	if len(message.ToolCalls) > 0 && len(thoughts) > 0 {
		message.SetExtraFields(thoughts)
	}
	return message, nil
}
