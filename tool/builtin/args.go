package builtin

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"podium.local/tool"
)

// signature is how a tool is called: what the model is told and what is held
// against its arguments, both from the same schema.
type signature struct {
	spec     tool.Spec
	props    map[string]property
	required []string
}

// property is the part of JSON Schema that the tools use.
type property struct {
	Type    string   `json:"type"`
	Enum    []string `json:"enum"`
	Minimum *int64   `json:"minimum"`
	Maximum *int64   `json:"maximum"`
}

// newSignature reads a schema of this package; a bad one panics.
func newSignature(name, description, schema string) *signature {
	var s struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		panic("builtin: schema of " + name + ": " + err.Error())
	}
	compact := jsontext.Value(schema)
	if err := compact.Compact(); err != nil {
		panic("builtin: schema of " + name + ": " + err.Error())
	}
	return &signature{
		spec:     tool.Spec{Name: name, Description: strings.TrimSpace(description), Schema: json.RawMessage(compact)},
		props:    s.Properties,
		required: s.Required,
	}
}

// decode checks arguments strictly and stores them in into, a pointer to a
// struct that holds the defaults. A null is an argument left out.
func (s *signature) decode(raw json.RawMessage, into any) error {
	if kind := jsontext.Value(raw).Kind(); kind != '{' && jsontext.Value(raw).IsValid() {
		return fmt.Errorf("arguments must be a JSON object, got %s", kindName(kind))
	}
	var given map[string]jsontext.Value
	if err := jsonv2.Unmarshal(raw, &given); err != nil {
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("argument %q is given twice", syntax.JSONPointer.LastToken())
		}
		return fmt.Errorf("arguments are not valid JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p, ok := s.props[name]
		if !ok {
			return fmt.Errorf("unknown argument %q; %s takes %s", name, s.spec.Name,
				strings.Join(slices.Sorted(maps.Keys(s.props)), ", "))
		}
		if given[name].Kind() == 'n' {
			delete(given, name)
			continue
		}
		if err := p.check(name, given[name]); err != nil {
			return err
		}
	}
	for _, name := range s.required {
		if _, ok := given[name]; !ok {
			return fmt.Errorf("missing argument %q (%s)", name, s.props[name].Type)
		}
	}
	checked, err := jsonv2.Marshal(given)
	if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return jsonv2.Unmarshal(checked, into)
}

func (p property) check(name string, v jsontext.Value) error {
	kind := v.Kind()
	switch p.Type {
	case "string":
		if kind != '"' {
			return fmt.Errorf("argument %q must be a string, got %s", name, kindName(kind))
		}
		var word string
		if err := jsonv2.Unmarshal(v, &word); err != nil {
			return fmt.Errorf("argument %q: %w", name, err)
		}
		if p.Enum != nil && !slices.Contains(p.Enum, word) {
			return fmt.Errorf("argument %q must be one of %s, got %q", name, strings.Join(p.Enum, ", "), clip(word, 40))
		}
	case "boolean":
		if kind != 't' && kind != 'f' {
			return fmt.Errorf("argument %q must be true or false, got %s", name, kindName(kind))
		}
	case "integer":
		if kind != '0' {
			return fmt.Errorf("argument %q must be an integer, got %s", name, kindName(kind))
		}
		n, err := strconv.ParseInt(string(v), 10, 64)
		switch {
		case err != nil:
			return fmt.Errorf("argument %q must be an integer, got %s", name, clip(string(v), 40))
		case p.Minimum != nil && n < *p.Minimum:
			return fmt.Errorf("argument %q must be at least %d, got %d", name, *p.Minimum, n)
		case p.Maximum != nil && n > *p.Maximum:
			return fmt.Errorf("argument %q must be at most %d, got %d", name, *p.Maximum, n)
		}
	}
	return nil
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	default:
		return "an array"
	}
}

// clip shortens a text to n characters for a message.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
