package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Tool is one thing the model may call. Implementations are safe for
// concurrent calls and return soon after ctx ends, having killed whatever they
// started.
type Tool interface {
	Spec() Spec
	// Run executes one call. args is a JSON object.
	Run(ctx context.Context, args json.RawMessage) Result
}

// Spec describes a tool to the model.
type Spec struct {
	Name, Description string
	// Schema is the JSON Schema of the arguments object.
	Schema json.RawMessage
}

// Result is what a call gave.
type Result struct {
	// Summary is one or two lines and always kept.
	Summary string
	// Content is the rest, which pruning may leave out of later requests.
	Content string
	// Full is the length in bytes of the content of which a tool that minds its
	// cap itself (see Clip) kept only Content; 0 when it is Content's own.
	Full    int
	IsError bool
}

// Text is the result as the model reads it.
func (r Result) Text() string {
	if r.Content == "" {
		return r.Summary
	}
	return r.Summary + "\n" + r.Content
}

// Registry holds the tools of one pod, by name, and the caps of what they
// give.
type Registry struct {
	tools []Tool
	caps  Caps
}

// NewRegistry takes the tools in the order they are listed to a person; two
// of one name are a programming error and panic.
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{tools: tools}
	names := r.Names()
	slices.Sort(names)
	if len(slices.Compact(names)) != len(tools) {
		panic("tool: two tools of one name")
	}
	return r
}

// WithCaps is the same registry with other caps.
func (r *Registry) WithCaps(caps Caps) *Registry {
	return &Registry{tools: r.tools, caps: caps}
}

// Run executes one call of the named tool, which may be unknown, and cuts the
// content to the tool's cap. The Truncation is nil when nothing was left out.
// Empty arguments, as some models send for a call without any, are an empty
// object.
func (r *Registry) Run(ctx context.Context, name string, args json.RawMessage) (Result, *Truncation) {
	t, ok := r.Get(name)
	if !ok {
		return Unknown(name), nil
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	res := t.Run(ctx, args)
	limit := r.caps.Limit(name)
	content := Cap(res.Content, limit)
	full := max(res.Full, len(res.Content))
	if full == len(res.Content) && content == res.Content {
		return res, nil
	}
	cut := &Truncation{Tool: name, From: full, To: len(content), Limit: limit}
	res.Content = content
	return res, cut
}

// Names lists the tools in the order given.
func (r *Registry) Names() []string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Spec().Name
	}
	return names
}

// Specs lists the tools sorted by name, so that a request's bytes (and with
// them the vendor's prompt cache) do not depend on registration order.
func (r *Registry) Specs() []Spec {
	specs := make([]Spec, len(r.tools))
	for i, t := range r.tools {
		specs[i] = t.Spec()
	}
	slices.SortFunc(specs, func(a, b Spec) int { return strings.Compare(a.Name, b.Name) })
	return specs
}

// Get finds a tool by name.
func (r *Registry) Get(name string) (Tool, bool) {
	for _, t := range r.tools {
		if t.Spec().Name == name {
			return t, true
		}
	}
	return nil, false
}
