package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"podium.local/protocol"
)

var update = flag.Bool("update", false, "write generated files instead of comparing them")

// checkGenerated compares a file with what it should be.
func checkGenerated(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not follow from the types of package protocol (%v); write it anew with: go generate ./protocol", path, err)
	}
}

type object = map[string]any

// schemas are the files of protocol/schema, by name.
func schemas(t testing.TB) map[string]object {
	m := readModel(t)
	return map[string]object{
		"base-methods":     m.schema("Methods of the base vocabulary, client to pod", "method", "params", m.methods, false),
		"base-events":      m.schema("Events of the base vocabulary, pod to client", "event", "data", m.events, false),
		"extended-methods": m.schema("Methods of the extended vocabulary, client to pod", "method", "params", m.methods, true),
		"extended-events":  m.schema("Events of the extended vocabulary, pod to client", "event", "data", m.events, true),
	}
}

// schemaBuilder makes one schema.
type schemaBuilder struct {
	*model
	extended bool
	defs     object
}

func (m *model) schema(title, tagKey, contentKey string, list []message, extended bool) object {
	b := &schemaBuilder{model: m, extended: extended, defs: object{}}
	var variants []any
	for _, message := range list {
		if !message.extended || extended {
			variants = append(variants, b.line(message, tagKey, contentKey))
		}
	}
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title,
		"description": "One line of the pod protocol. Generated from the Go types; readers ignore unknown keys, " +
			"and clients keep unknown tags and words.",
		"oneOf": variants, "$defs": b.defs,
	}
}

// line is the object of one tag.
func (b *schemaBuilder) line(m message, tagKey, contentKey string) object {
	t := b.types[m.typeName]
	properties := object{tagKey: object{"const": m.tag}}
	required := []string{tagKey}
	if len(t.fields) == 0 {
		properties[contentKey] = object{"type": "null"}
	} else {
		properties[contentKey] = b.named(m.typeName)
		required = append(required, contentKey)
	}
	switch {
	case tagKey == "method":
		properties["request_id"] = object{"type": []string{"string", "null"}, "minLength": 1, "maxLength": 64}
	case strings.Contains(t.comment, "Durable: "):
		properties["seq"] = object{"type": "integer", "minimum": 1, "maximum": json.Number("18446744073709551615")}
	case strings.Contains(t.comment, "answers "):
		properties["request_id"] = object{"type": "string"}
	}
	return object{
		"type": "object", "description": b.prose(t.comment, t), "properties": properties, "required": required,
	}
}

// named refers to a type, defining it when it is new.
func (b *schemaBuilder) named(name string) object {
	if _, ok := b.defs[name]; !ok {
		b.defs[name] = nil // it may refer to itself
		b.defs[name] = b.define(b.types[name])
	}
	return object{"$ref": "#/$defs/" + name}
}

func (b *schemaBuilder) define(t *typeModel) object {
	switch {
	case t.name == "Item":
		return b.item()
	case t.name == "Content":
		return b.content()
	case len(t.words) > 0:
		words := t.words
		if base, ok := protocol.BaseWords[t.name]; ok && !b.extended {
			words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !slices.Contains(base, w) })
		}
		return object{"type": "string", "enum": words}
	}
	if i := slices.IndexFunc(t.fields, func(f fieldModel) bool { return f.key == "kind" && t.name == "PodEvent" }); i >= 0 {
		var kinds []any
		for _, kind := range b.types[t.fields[i].goType].words {
			fields := slices.DeleteFunc(slices.Clone(t.fields), func(f fieldModel) bool {
				return f.when != nil && !slices.Contains(f.when, kind)
			})
			o := b.object(t, fields)
			o["properties"].(object)["kind"] = object{"const": kind}
			kinds = append(kinds, o)
		}
		return object{"oneOf": kinds}
	}
	return b.object(t, b.allFields(t))
}

// object is a struct with the given fields.
func (b *schemaBuilder) object(t *typeModel, fields []fieldModel) object {
	properties, required := object{}, []string{}
	for _, f := range fields {
		if f.extended && !b.extended {
			continue
		}
		s := b.field(f)
		s["description"] = b.prose(f.comment, b.types[f.owner])
		if f.defaults {
			s["default"] = true
		}
		properties[f.key] = s
		if !f.optional && !f.defaults && !f.nullable {
			required = append(required, f.key)
		}
	}
	o := object{"type": "object", "properties": properties, "required": required}
	if together := b.together(t); together != nil {
		dependent := object{}
		for _, key := range together {
			dependent[key] = slices.DeleteFunc(slices.Clone(together), func(other string) bool { return other == key })
		}
		o["dependentRequired"] = dependent
	}
	return o
}

// together are the keys that come all or none: those of an optional inline
// struct.
func (m *model) together(t *typeModel) (keys []string) {
	for _, f := range t.fields {
		if f.inline && f.optional {
			for _, g := range m.allFields(m.types[strings.TrimPrefix(f.goType, "*")]) {
				keys = append(keys, g.key)
			}
		}
	}
	return keys
}

func (b *schemaBuilder) field(f fieldModel) object {
	s := b.value(strings.TrimPrefix(f.goType, "*"), f.of)
	if !f.nullable {
		return s
	}
	if kind, ok := s["type"].(string); ok {
		s["type"] = []string{kind, "null"}
		return s
	}
	return object{"anyOf": []any{s, object{"type": "null"}}}
}

func (b *schemaBuilder) value(goType, of string) object {
	switch goType {
	case "string":
		return object{"type": "string"}
	case "bool":
		return object{"type": "boolean"}
	case "uint64":
		return object{"type": "integer", "minimum": 0, "maximum": json.Number("18446744073709551615")}
	case "int64":
		return object{
			"type": "integer", "minimum": json.Number("-9223372036854775808"), "maximum": json.Number("9223372036854775807"),
		}
	case "float64":
		return object{"type": "number"}
	case "SessionID", "PodID":
		return object{"type": "string", "format": "uuid"}
	case "jsontext.Value":
		if of != "" {
			return b.named(of)
		}
		return object{}
	}
	if element, ok := strings.CutPrefix(goType, "[]"); ok {
		return object{"type": "array", "items": b.value(element, of)}
	}
	return b.named(goType)
}

// itemTypes are the Go types of history items.
var itemTypes = []struct{ word, typeName string }{
	{protocol.ItemMessage, "Message"}, {protocol.ItemToolCall, "ToolCallItem"},
	{protocol.ItemToolResult, "ToolResultItem"}, {protocol.ItemReasoning, "ReasoningItem"},
}

// itemFields are the keys of one type of item after its type.
func (m *model) itemFields(word, typeName string) []fieldModel {
	var fields []fieldModel
	for _, f := range m.types["Item"].fields {
		switch {
		case f.inline:
		case f.key == "id":
			fields = append(append(fields, f), m.types[typeName].fields...)
		case f.key != "status" || word != protocol.ItemToolResult:
			fields = append(fields, f)
		}
	}
	return fields
}

func (b *schemaBuilder) item() object {
	var variants []any
	for _, i := range itemTypes {
		t := b.types[i.typeName]
		o := b.object(t, b.itemFields(i.word, i.typeName))
		o["description"] = b.prose(t.comment, t)
		o["properties"].(object)["type"] = object{"const": i.word}
		o["required"] = append([]string{"type"}, o["required"].([]string)...)
		variants = append(variants, o)
	}
	return object{"oneOf": variants}
}

func (b *schemaBuilder) content() object {
	var variants []any
	for _, word := range b.types["ContentType"].words {
		variants = append(variants, object{
			"type": "object", "properties": object{"type": object{"const": word}, word: object{"type": "string"}},
			"required": []string{"type", word},
		})
	}
	return object{"oneOf": variants}
}

func TestSchema_FilesFollowFromTheTypes(t *testing.T) {
	for name, s := range schemas(t) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		checkGenerated(t, filepath.Join("schema", name+".json"), b.Bytes())
	}
}

func readSchema(t testing.TB, name string) *validator {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("schema", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return newValidator(t, text)
}

func TestSchema_AcceptsEveryVectorWithKnownWords(t *testing.T) {
	schema := map[string]*validator{
		"method": readSchema(t, "extended-methods"), "event": readSchema(t, "extended-events"),
	}
	checked := 0
	for _, v := range append(readVectors(t, "protocol.jsonl"), readVectors(t, "extra.jsonl")...) {
		if v.Error != "" || strings.Contains(v.Name, "unknown") && !strings.Contains(v.Name, "ignored") {
			continue
		}
		if v.Name == "seq before request_id" {
			continue // an order of keys, not an event that a pod sends
		}
		checked++
		if err := schema[v.Kind].check([]byte(v.Canonical)); err != nil {
			t.Errorf("%s: %s: %v", v.Name, v.Canonical, err)
		}
	}
	if checked < 100 {
		t.Errorf("only %d vectors were checked", checked)
	}
}

func TestSchema_RefusesTheMethodsThatDecodingRefuses(t *testing.T) {
	schema := readSchema(t, "extended-methods")
	structural := []protocol.Reason{
		protocol.ReasonMissing, protocol.ReasonNotObject, protocol.ReasonNotArray, protocol.ReasonNotString,
		protocol.ReasonNotBoolean, protocol.ReasonOutOfRange, protocol.ReasonUnknown, protocol.ReasonMustBeAbsent,
	}
	checked := 0
	for _, v := range append(readVectors(t, "protocol.jsonl"), readVectors(t, "extra.jsonl")...) {
		if v.Kind != "method" || v.Error == "" {
			continue
		}
		_, err := protocol.DecodeMethod(v.line(t))
		var decode *protocol.DecodeError
		if !errors.As(err, &decode) || !slices.Contains(structural, decode.Reason) {
			continue
		}
		checked++
		if schema.check([]byte(v.Wire)) == nil {
			t.Errorf("%s: the schema accepts %s", v.Name, v.Wire)
		}
	}
	if checked < 20 {
		t.Errorf("only %d vectors were checked", checked)
	}
}

func TestSchema_BaseViewOfAnyEventFitsTheBaseVocabulary(t *testing.T) {
	schema := readSchema(t, "base-events")
	rapid.Check(t, func(t *rapid.T) {
		e, ok := genEvent.Draw(t, "event").Base()
		if _, isHistory := e.Data.(protocol.History); !ok || isHistory { // its generated items are arbitrary JSON
			return
		}
		line, err := e.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.check(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	})
}

func TestSchema_AcceptsEveryItemWithKnownWords(t *testing.T) {
	schema := readSchema(t, "extended-events")
	rapid.Check(t, func(t *rapid.T) {
		item := genItem.Draw(t, "item")
		item.Status = ""
		if m, ok := item.Data.(protocol.Message); ok {
			m.Role = protocol.RoleUser
			item.Data = m
		}
		text, err := item.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		line, err := protocol.Event{Data: protocol.Entries{Items: []jsonValue{text}}}.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.check(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	})
}
