package tool

import (
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
	IsError bool
}

// Text is the result as the model reads it.
func (r Result) Text() string {
	if r.Content == "" {
		return r.Summary
	}
	return r.Summary + "\n" + r.Content
}

// Registry holds the tools of one pod, by name.
type Registry struct {
	tools []Tool
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
