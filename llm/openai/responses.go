package openai

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

type responsesProvider struct {
	endpoint *vendor.Endpoint
	service  responses.ResponseService
}

// NewResponses makes a provider for the Responses API; safe for concurrent use.
// Errors are *llm.Error: no key, or an address that cannot be used.
func NewResponses(o Options) (llm.Provider, error) {
	endpoint, options, err := o.endpoint("openai", defaultURL, KeyEnv)
	if err != nil {
		return nil, err
	}
	return &responsesProvider{endpoint: endpoint, service: responses.NewResponseService(options...)}, nil
}

// Stream sends one request when the sequence is ranged over.
func (p *responsesProvider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		params, err := buildResponse(req)
		if err != nil {
			yield(nil, err)
			return
		}
		answer := &responsesAnswer{endpoint: p.endpoint, items: map[int64]*item{}}
		stream(ctx, p.endpoint, answer, func(ctx context.Context, options ...option.RequestOption) error {
			return p.service.NewStreaming(ctx, params, options...).Err()
		})(yield)
	}
}

// responsesOpaque is what a reasoning block keeps for this wire: the item as the
// vendor sent it.
type responsesOpaque struct {
	Item json.RawMessage `json:"openai_responses,omitempty"`
}

// buildResponse puts a request on the wire. Errors are *llm.Error.
func buildResponse(req llm.Request) (responses.ResponseNewParams, error) {
	p := responses.ResponseNewParams{Model: req.Model, Store: sdk.Bool(false)}
	if !vendor.Blank(req.System) {
		p.Instructions = sdk.String(req.System)
	}
	if req.MaxTokens > 0 {
		p.MaxOutputTokens = sdk.Int(int64(req.MaxTokens))
	}
	if req.Temperature != nil {
		p.Temperature = sdk.Float(*req.Temperature)
	}
	if req.CacheKey != "" {
		p.PromptCacheKey = sdk.String(req.CacheKey)
	}
	if reasons(req.Model) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if req.Effort != "" {
		p.Reasoning = shared.ReasoningParam{
			Effort:  shared.ReasoningEffort(req.Effort),
			Summary: shared.ReasoningSummaryAuto,
		}
	}
	for _, spec := range req.Tools {
		tool, err := buildFunction(spec)
		if err != nil {
			return p, err
		}
		tool.Type, tool.Strict = "function", new(bool)
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: overrideFunction(tool)})
	}
	input := responses.ResponseInputParam{}
	for _, m := range req.Messages {
		items, err := buildItems(m)
		if err != nil {
			return p, err
		}
		input = append(input, items...)
	}
	p.Input.OfInputItemList = input
	return p, nil
}

// reasons is false for the model families that refuse to be asked for encrypted
// reasoning. All of them are closed: newer models reason.
func reasons(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, old := range []string{"gpt-3", "gpt-4", "chatgpt-", "ft:gpt-3", "ft:gpt-4"} {
		if strings.HasPrefix(name, old) {
			return false
		}
	}
	return !strings.HasPrefix(name, "gpt-5") || !strings.Contains(name, "-chat")
}

// buildItems keeps the order of the answer, which the vendor checks: reasoning
// must be followed by what it led to, so trailing reasoning is left out.
func buildItems(m llm.Message) ([]responses.ResponseInputItemUnionParam, error) {
	var items, reasoning []responses.ResponseInputItemUnionParam
	for _, b := range m.Blocks {
		var it responses.ResponseInputItemUnionParam
		switch b := b.(type) {
		case llm.Reasoning:
			if r := buildReasoning(b); r != nil {
				reasoning = append(reasoning, responses.ResponseInputItemUnionParam{OfReasoning: r})
			}
			continue
		case llm.Text:
			if vendor.Blank(b.Text) {
				continue
			}
			it = responses.ResponseInputItemParamOfMessage(b.Text, responses.EasyInputMessageRole(m.Role))
		case llm.ToolCall:
			args, err := vendor.Arguments(b)
			if err != nil {
				return nil, err
			}
			it = responses.ResponseInputItemParamOfFunctionCall(string(args), b.ID, b.Name)
		case llm.ToolResult:
			it.OfFunctionCallOutput = &responses.ResponseInputItemFunctionCallOutputParam{
				CallID: sdk.String(b.CallID),
				Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: sdk.String(resultText(b))},
			}
		default:
			continue
		}
		items = append(append(items, reasoning...), it)
		reasoning = nil
	}
	return items, nil
}

// buildReasoning returns nil for reasoning of other vendors, and for items that
// name only an id, which nobody stored.
func buildReasoning(r llm.Reasoning) *responses.ResponseReasoningItemParam {
	var o responsesOpaque
	if json.Unmarshal(r.Opaque, &o) != nil || len(o.Item) == 0 {
		return nil
	}
	var it responses.ResponseReasoningItemParam
	if json.Unmarshal(o.Item, &it) != nil || (it.EncryptedContent.Value == "" && len(it.Content) == 0) {
		return nil
	}
	if it.Summary == nil {
		it.Summary = []responses.ResponseReasoningItemSummaryParam{}
	}
	it.Status = ""
	return &it
}

// resultText marks failures, for which the vendor's wires have no flag.
func resultText(r llm.ToolResult) string {
	if r.IsError && !strings.HasPrefix(strings.ToLower(r.Text), "error") {
		return strings.TrimSpace("Error: " + r.Text)
	}
	return r.Text
}

// function is a tool as both wires describe it. The schema goes out as it was
// written; the SDK's type would sort its members.
type function struct {
	Type        string          `json:"type,omitempty"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	// Strict is set where leaving it out means true.
	Strict *bool `json:"strict,omitempty"`
}

func buildFunction(spec llm.ToolSpec) (function, error) {
	schema, err := vendor.Schema(spec)
	return function{Name: spec.Name, Description: spec.Description, Parameters: schema}, err
}

func overrideFunction(f function) *responses.FunctionToolParam {
	p := param.Override[responses.FunctionToolParam](f)
	return &p
}
