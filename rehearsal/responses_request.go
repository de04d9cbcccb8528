package rehearsal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

type responsesRequest struct {
	Model              string          `json:"model"`
	Input              json.RawMessage `json:"input"`
	Instructions       *string         `json:"instructions"`
	Stream             bool            `json:"stream"`
	Store              *bool           `json:"store"`
	Include            []string        `json:"include"`
	MaxOutputTokens    *int            `json:"max_output_tokens"`
	PreviousResponseID *string         `json:"previous_response_id"`
	Tools              []responsesTool `json:"tools"`
	StreamOptions      *streamOptions  `json:"stream_options"`
}

type responsesTool struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type responsesItem struct {
	Type             string          `json:"type"`
	ID               string          `json:"id"`
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	CallID           string          `json:"call_id"`
	Name             string          `json:"name"`
	Arguments        *string         `json:"arguments"`
	Output           json.RawMessage `json:"output"`
	Summary          []responsesText `json:"summary"`
	EncryptedContent string          `json:"encrypted_content"`
}

type responsesText struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// minOutputTokens is the least max_output_tokens the vendor takes.
const minOutputTokens = 16

// decodeResponses reads and checks a Responses request.
func decodeResponses(_ http.Header, body []byte) (*prompt, *refusal) {
	var req responsesRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, badJSON(err)
	}
	switch {
	case req.Model == "":
		return nil, missing("model")
	case isNull(req.Input):
		return nil, missing("input")
	case req.PreviousResponseID != nil:
		return nil, invalid("Previous response with id '%s' not found.", *req.PreviousResponseID).
			at("previous_response_id", "previous_response_not_found")
	case req.MaxOutputTokens != nil && *req.MaxOutputTokens < minOutputTokens:
		return nil, invalid("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= %d, but got %d instead.", minOutputTokens, *req.MaxOutputTokens).
			at("max_output_tokens", "integer_below_min_value")
	}
	p := &prompt{
		wire: WireResponses, model: req.Model, stream: req.Stream, withUsage: true,
		sealed: slices.Contains(req.Include, "reasoning.encrypted_content"),
		padded: req.StreamOptions.padded(),
	}
	if req.MaxOutputTokens != nil {
		p.maxTokens = *req.MaxOutputTokens
	}
	if req.Instructions != nil {
		p.addSystem(*req.Instructions)
	}
	if r := p.readFunctions(body, functionNames(req.Tools)); r != nil {
		return nil, r
	}
	// The fields the wire repeats are kept as they were sent.
	if err := json.Unmarshal(body, &p.echo); err != nil {
		return nil, badJSON(err)
	}
	d := responsesDecoder{p: p, stored: req.Store == nil || *req.Store}
	if r := d.readInput(req.Input); r != nil {
		return nil, r
	}
	return p, nil
}

func functionNames(tools []responsesTool) (names []string) {
	for _, t := range tools {
		if t.Type == "function" {
			names = append(names, t.Name)
		}
	}
	return names
}

func badJSON(err error) *refusal {
	return invalid("We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON: %s)", err)
}

func missing(param string) *refusal {
	return invalid("Missing required parameter: '%s'.", param).at(param, "missing_required_parameter")
}

type responsesDecoder struct {
	p *prompt
	// stored says that the vendor would look items up by id.
	stored bool
	// open are calls without output so far.
	open []string
	// reasoning is the id of a reasoning item that waits for the item it led to.
	reasoning string
	// reasoned is set by a reasoning item and holds to the end of its answer.
	reasoned bool
}

func (d *responsesDecoder) readInput(raw json.RawMessage) *refusal {
	if !isArray(raw) {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return invalid("Invalid type for 'input': expected one of a list of input items or string.").at("input", "invalid_type")
		}
		d.p.add(Message{Role: "user", Text: text})
		return nil
	}
	var items []responsesItem
	if err := json.Unmarshal(raw, &items); err != nil {
		return invalid("Invalid type in 'input': %s", err).at("input", "invalid_type")
	}
	if len(items) == 0 {
		return invalid("Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.").at("input", "empty_array")
	}
	for i, item := range items {
		if r := d.readItem(fmt.Sprintf("input[%d]", i), item); r != nil {
			return r
		}
	}
	if d.reasoning != "" {
		return d.widowed()
	}
	if len(d.open) > 0 {
		return invalid("No tool output found for function call %s.", d.open[0]).at("input", "")
	}
	return nil
}

func (d *responsesDecoder) widowed() *refusal {
	return invalid("Item '%s' of type 'reasoning' was provided without its required following item.", d.reasoning).at("input", "")
}

func (d *responsesDecoder) readItem(where string, item responsesItem) *refusal {
	byAssistant := item.Type == "function_call" || item.Role == "assistant"
	if d.reasoning != "" && !byAssistant && item.Type != "reasoning" {
		return d.widowed()
	}
	if byAssistant {
		d.reasoning = ""
	}
	switch {
	case item.Type == "message" || item.Type == "" && item.Role != "":
		return d.readMessage(where, item)
	case item.Type == "reasoning":
		return d.readReasoning(item)
	case item.Type == "function_call":
		return d.readCall(where, item)
	case item.Type == "function_call_output":
		return d.readOutput(where, item)
	default:
		return invalid("Invalid value: '%s'. Supported values are: 'message', 'reasoning', 'function_call' and 'function_call_output'.", item.Type).
			at(where, "invalid_value")
	}
}

func (d *responsesDecoder) readMessage(where string, item responsesItem) *refusal {
	text, r := openAIText(where+".content", item.Content)
	if r != nil {
		return r
	}
	switch item.Role {
	case "system", "developer":
		d.p.addSystem(text)
	case "user":
		d.reasoned = false
		d.p.add(Message{Role: "user", Text: text})
	case "assistant":
		d.p.add(Message{Role: "assistant", Text: text})
	default:
		return invalid("Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", item.Role).
			at(where+".role", "invalid_value")
	}
	return nil
}

func (d *responsesDecoder) readReasoning(item responsesItem) *refusal {
	switch {
	case item.EncryptedContent != "" && !sealed(item.EncryptedContent):
		return invalid("The encrypted content for item %s could not be verified.", item.ID).at("", "invalid_encrypted_content")
	case item.EncryptedContent == "" && !d.stored:
		r := invalid("Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", item.ID).at("input", "")
		r.status = http.StatusNotFound
		return r
	}
	d.reasoning, d.reasoned = item.ID, true
	var texts []string
	for _, s := range item.Summary {
		texts = append(texts, s.Text)
	}
	d.p.add(Message{Role: "assistant", Reasoning: strings.Join(texts, "\n")})
	return nil
}

func (d *responsesDecoder) readCall(where string, item responsesItem) *refusal {
	switch {
	case item.CallID == "":
		return missing(where + ".call_id")
	case item.Name == "":
		return missing(where + ".name")
	case item.Arguments == nil:
		return missing(where + ".arguments")
	case strings.HasPrefix(item.ID, thoughtfulCall) && !d.reasoned:
		return invalid("Item '%s' of type 'function_call' was provided without its required 'reasoning' item: '%s'.", item.ID, reasoningOf(item.ID)).at("input", "")
	case slices.Contains(d.open, item.CallID):
		return invalid("Duplicate item found with id %s. Remove duplicate items from your input and try again.", item.CallID).at("input", "")
	}
	d.open = append(d.open, item.CallID)
	d.p.add(Message{Role: "assistant", Calls: []ToolCall{{ID: item.CallID, Name: item.Name, Arguments: *item.Arguments}}})
	return nil
}

func (d *responsesDecoder) readOutput(where string, item responsesItem) *refusal {
	if item.CallID == "" {
		return missing(where + ".call_id")
	}
	at := slices.Index(d.open, item.CallID)
	if at < 0 {
		return invalid("No tool call found for function call output with call_id %s.", item.CallID).at("input", "")
	}
	if isNull(item.Output) {
		return missing(where + ".output")
	}
	text, r := openAIText(where+".output", item.Output)
	if r != nil {
		return r
	}
	d.open = slices.Delete(d.open, at, at+1)
	d.reasoned = false
	d.p.add(Message{Role: "user", Results: []ToolResult{{CallID: item.CallID, Text: text}}})
	return nil
}

// openAIText reads content that is a string or an array of parts. Parts
// without text (images, files) leave none.
func openAIText(where string, raw json.RawMessage) (string, *refusal) {
	if !isArray(raw) {
		var text *string
		if err := json.Unmarshal(raw, &text); err != nil || text == nil {
			return "", invalid("Invalid type for '%s': expected one of an array of objects or string, but got something else instead.", where).at(where, "invalid_type")
		}
		return *text, nil
	}
	var parts []responsesText
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", invalid("Invalid type for '%s': expected an array of content parts.", where).at(where, "invalid_type")
	}
	var texts []string
	for _, part := range parts {
		texts = append(texts, part.Text+part.Refusal)
	}
	return strings.Join(texts, "\n"), nil
}
