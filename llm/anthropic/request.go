package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

// samplingVersion is the newest version of the API that has a temperature.
const samplingVersion = "2023-06-01"

// cachedUserMessages is how many user messages carry a cache mark. With the
// tools' and the system prompt's mark they are four, the most the vendor takes.
const cachedUserMessages = 2

// opaque is what a reasoning block keeps for this vendor.
type opaque struct {
	Anthropic *proof `json:"anthropic,omitempty"`
}

// proof is one of the two.
type proof struct {
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"`
}

// buildRequest puts a request on the wire. Errors are *llm.Error.
func buildRequest(req llm.Request) (sdk.MessageNewParams, []option.RequestOption, error) {
	p := sdk.MessageNewParams{Model: req.Model, MaxTokens: DefaultMaxTokens}
	if req.MaxTokens > 0 {
		p.MaxTokens = int64(req.MaxTokens)
	}
	if !vendor.Blank(req.System) {
		p.System = []sdk.TextBlockParam{{Text: req.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	if req.Effort != "" {
		p.OutputConfig.Effort = sdk.OutputConfigEffort(req.Effort)
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	}
	var err error
	if p.Tools, err = buildTools(req.Tools); err != nil {
		return p, nil, err
	}
	if p.Messages, err = buildMessages(req.Messages); err != nil {
		return p, nil, err
	}
	var options []option.RequestOption
	if req.Temperature != nil {
		options = append(options,
			option.WithHeader("anthropic-version", samplingVersion),
			option.WithJSONSet("temperature", *req.Temperature))
	}
	return p, options, nil
}

func buildTools(specs []llm.ToolSpec) ([]sdk.ToolUnionParam, error) {
	var tools []sdk.ToolUnionParam
	for i, spec := range specs {
		schema, err := vendor.Schema(spec)
		if err != nil {
			return nil, err
		}
		t := &sdk.ToolParam{Name: spec.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
		if spec.Description != "" {
			t.Description = sdk.String(spec.Description)
		}
		if i == len(specs)-1 {
			t.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
		tools = append(tools, sdk.ToolUnionParam{OfTool: t})
	}
	return tools, nil
}

// buildMessages joins neighbours of one role and puts tool results in front of
// what else the user's side says, as the vendor wants it.
func buildMessages(messages []llm.Message) ([]sdk.MessageParam, error) {
	var out []sdk.MessageParam
	for i := 0; i < len(messages); {
		assistant := messages[i].Role == llm.RoleAssistant
		var blocks []sdk.ContentBlockParamUnion
		var results []sdk.ContentBlockParamUnion
		for ; i < len(messages) && (messages[i].Role == llm.RoleAssistant) == assistant; i++ {
			for _, b := range messages[i].Blocks {
				block, err := buildBlock(b, messages[i].Role)
				switch {
				case err != nil:
					return nil, err
				case block.OfToolResult != nil:
					results = append(results, block)
				case !param.IsOmitted(block):
					blocks = append(blocks, block)
				}
			}
		}
		if assistant {
			blocks = dropTrailingThinking(blocks)
		} else {
			blocks = append(results, blocks...)
		}
		// What stands between two messages of a role may have had nothing to send.
		var last sdk.MessageParam
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case len(blocks) == 0:
		case assistant && last.OfAssistant != nil:
			last.OfAssistant.Content = append(last.OfAssistant.Content, blocks...)
		case assistant:
			out = append(out, sdk.MessageParam{OfAssistant: &sdk.AssistantMessageParam{Content: blocks}})
		case last.OfUser != nil:
			last.OfUser.Content = append(last.OfUser.Content, blocks...)
		default:
			out = append(out, sdk.MessageParam{OfUser: &sdk.UserMessageParam{Content: blocks}})
		}
	}
	markForCache(out)
	return out, nil
}

// buildBlock returns the zero union for what has nothing to send.
func buildBlock(b llm.Block, role llm.Role) (none sdk.ContentBlockParamUnion, err error) {
	switch b := b.(type) {
	case llm.Text:
		switch {
		case vendor.Blank(b.Text):
			return none, nil
		case role == llm.RoleSystem:
			return sdk.NewTextBlock(vendor.Note(b.Text)), nil
		default:
			return sdk.NewTextBlock(b.Text), nil
		}
	case llm.Reasoning:
		var o opaque
		if json.Unmarshal(b.Opaque, &o) != nil || o.Anthropic == nil {
			return none, nil
		}
		if o.Anthropic.Redacted != "" {
			return sdk.NewRedactedThinkingBlock(o.Anthropic.Redacted), nil
		}
		return sdk.NewThinkingBlock(o.Anthropic.Signature, b.Text), nil
	case llm.ToolCall:
		args, err := vendor.Arguments(b)
		if err != nil {
			return none, err
		}
		return sdk.NewToolUseBlock(callID(b.ID), args, b.Name), nil
	case llm.ToolResult:
		r := &sdk.ToolResultBlockParam{ToolUseID: callID(b.CallID)}
		text := b.Text
		if b.IsError {
			r.IsError = sdk.Bool(true)
			if vendor.Blank(text) {
				text = "the tool failed and said nothing" // an error must have content
			}
		}
		if !vendor.Blank(text) {
			r.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: text}}}
		}
		return sdk.ContentBlockParamUnion{OfToolResult: r}, nil
	default:
		return none, nil
	}
}

// dropTrailingThinking leaves a message that the vendor accepts: thinking must
// lead to something.
func dropTrailingThinking(blocks []sdk.ContentBlockParamUnion) []sdk.ContentBlockParamUnion {
	for n := len(blocks); n > 0; n-- {
		if last := blocks[n-1]; last.OfThinking == nil && last.OfRedactedThinking == nil {
			return blocks[:n]
		}
	}
	return nil
}

// callID maps ids that other vendors made into the alphabet of this one; the
// same id always becomes the same.
func callID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, id)
}

func markForCache(messages []sdk.MessageParam) {
	left := cachedUserMessages
	for i := len(messages) - 1; i >= 0 && left > 0; i-- {
		user := messages[i].OfUser
		if user == nil {
			continue
		}
		left--
		if mark := user.Content[len(user.Content)-1].GetCacheControl(); mark != nil {
			*mark = sdk.NewCacheControlEphemeralParam()
		}
	}
}
