package protocol_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podium.local/protocol"
)

var docsPath = filepath.Join("..", "docs", "protocol.md")

// TestDocs_ReferenceFollowsFromTheTypes fills the parts of docs/protocol.md
// that stand between markers; the prose around them is written by hand.
func TestDocs_ReferenceFollowsFromTheTypes(t *testing.T) {
	text, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	m := readModel(t)
	out := string(text)
	for name, part := range map[string]string{
		"methods": m.reference("method", m.methods, examples(t, "method")),
		"events":  m.reference("event", m.events, examples(t, "event")),
		"items":   m.itemReference(),
		"words":   m.wordReference(),
		"limits":  limits(),
	} {
		begin, end := "<!-- generated: "+name+" -->\n\n", "\n<!-- end of "+name+" -->\n"
		before, rest, found := strings.Cut(out, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("docs/protocol.md has no part %q", name)
		}
		out = before + begin + part + end + after
	}
	checkGenerated(t, docsPath, []byte(out))
}

// examples are one canonical line for each tag, from the vectors.
func examples(t *testing.T, kind string) map[string]string {
	best := map[string]string{ // where the first vector shows too little
		"tool_result": "tool_result with summary", "usage": "usage with a price", "run_end": "failed run_end carries its error",
		"text_done": "durable event with entry_id last", "history": "history items", "hello": "hello full",
	}
	if kind == "event" {
		best["hello"] = "hello event"
	}
	out := map[string]string{}
	for _, v := range append(readVectors(t, "protocol.jsonl"), readVectors(t, "extra.jsonl")...) {
		if v.Kind != kind || v.Error != "" {
			continue
		}
		tag, _, _ := strings.Cut(strings.TrimPrefix(v.Canonical, `{"`+kind+`":"`), `"`)
		if _, have := out[tag]; !have || best[tag] == v.Name {
			out[tag] = v.Canonical
		}
	}
	return out
}

// reference is a table of all messages and a section for each.
func (m *model) reference(kind string, list []message, examples map[string]string) string {
	var b strings.Builder
	if kind == "method" {
		b.WriteString("| method | vocabulary | params |\n|---|---|---|\n")
	} else {
		b.WriteString("| event | vocabulary | stored | data |\n|---|---|---|---|\n")
	}
	for _, message := range list {
		t := m.types[message.typeName]
		var keys []string
		for _, f := range m.allFields(t) {
			keys = append(keys, "`"+f.key+"`")
		}
		cells := []string{fmt.Sprintf("[`%s`](#%s-%s)", message.tag, kind, message.tag), vocabulary(message)}
		if kind == "event" {
			cells = append(cells, stored(t))
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(append(cells, strings.Join(keys, ", ")), " | "))
	}
	for _, message := range list {
		t := m.types[message.typeName]
		fmt.Fprintf(&b, "\n<a id=\"%s-%s\"></a>\n\n### %s `%s`\n\n", kind, message.tag, kind, message.tag)
		fmt.Fprintf(&b, "%s\n\n```json\n%s\n```\n", m.prose(t.comment, t), examples[message.tag])
		m.writeFields(&b, t, m.allFields(t))
		m.writeNested(&b, t, map[string]bool{})
	}
	return b.String()
}

func vocabulary(m message) string {
	if m.extended {
		return "extended"
	}
	return "base"
}

func stored(t *typeModel) string {
	if strings.Contains(t.comment, "Durable: ") {
		return "durable"
	}
	return "passing"
}

// writeFields writes the table of a struct's keys.
func (m *model) writeFields(b *strings.Builder, t *typeModel, fields []fieldModel) {
	if len(fields) == 0 {
		return
	}
	b.WriteString("\n| key | value | presence | meaning |\n|---|---|---|---|\n")
	for _, f := range fields {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.key, m.valueText(f), presence(f), m.meaning(f))
	}
	if together := m.together(t); together != nil {
		fmt.Fprintf(b, "\n`%s` to `%s` come all or none.\n", together[0], together[len(together)-1])
	}
}

// writeNested describes the structs that a struct's keys hold.
func (m *model) writeNested(b *strings.Builder, t *typeModel, seen map[string]bool) {
	for _, f := range m.allFields(t) {
		inner := m.types[strings.TrimLeft(f.goType, "*[]")]
		if f.goType == "[]Content" {
			b.WriteString("\nA part is `{\"type\":\"text\",\"text\":…}` or `{\"type\":\"refusal\",\"refusal\":…}`; others are kept as they are.\n")
			continue
		}
		if inner == nil || len(inner.fields) == 0 || seen[inner.name] || inner.name == "Item" {
			continue
		}
		seen[inner.name] = true
		if event, isEvent := byType(m.events, inner.name); isEvent {
			fmt.Fprintf(b, "\n`%s` has the keys of the event [`%s`](#event-%s).\n", f.key, event.tag, event.tag)
			continue
		}
		_, text, _ := strings.Cut(m.prose(inner.comment, inner), " ") // without the Go name
		fmt.Fprintf(b, "\nAn object of `%s` %s\n", f.key, text)
		m.writeFields(b, inner, m.allFields(inner))
		m.writeNested(b, inner, seen)
	}
}

func byType(list []message, name string) (message, bool) {
	i := slices.IndexFunc(list, func(m message) bool { return m.typeName == name })
	if i < 0 {
		return message{}, false
	}
	return list[i], true
}

// meaning is a field's comment without the "it is" that Go puts in front.
func (m *model) meaning(f fieldModel) string {
	text := m.prose(f.comment, m.types[f.owner])
	for _, verb := range []string{" is ", " are "} {
		if rest, ok := strings.CutPrefix(text, "`"+f.key+"`"+verb); ok {
			return rest
		}
	}
	return text
}

// valueText names the kind of value a key holds.
func (m *model) valueText(f fieldModel) string {
	name, list := strings.CutPrefix(strings.TrimPrefix(f.goType, "*"), "[]")
	text := map[string]string{
		"string": "text", "bool": "true or false", "uint64": "integer, 0 or more", "int64": "integer",
		"float64": "number", "SessionID": "UUID", "PodID": "UUID", "jsontext.Value": "any JSON",
	}[name]
	switch t := m.types[name]; {
	case f.of == "Item":
		text = "[item](#history-items)"
	case text != "":
	case len(t.words) > 0:
		text = fmt.Sprintf("[word](#words-%s)", name)
	default:
		text = "object"
	}
	if list {
		return "list of " + text
	}
	return text
}

func presence(f fieldModel) string {
	text := "required"
	switch {
	case f.when != nil:
		text = "with `kind` " + strings.Join(f.when, ", ")
	case f.nullable && f.optional:
		text = "optional, may be null"
	case f.nullable:
		text = "may be null"
	case f.defaults:
		text = "default true"
	case f.optional:
		text = "optional"
	}
	if f.extended {
		text += ", extended clients only"
	}
	return text
}

func (m *model) itemReference() string {
	var b strings.Builder
	for n, i := range itemTypes {
		t := m.types[i.typeName]
		fmt.Fprintf(&b, "%s### item `%s`\n\n%s\n", strings.Repeat("\n", min(n, 1)), i.word, m.prose(t.comment, t))
		m.writeFields(&b, t, m.itemFields(i.word, i.typeName))
		m.writeNested(&b, t, map[string]bool{})
	}
	return b.String()
}

func (m *model) wordReference() string {
	var b strings.Builder
	base := m.reached(func(m message) bool { return !m.extended })
	all := m.reached(func(message) bool { return true })
	b.WriteString("| words | of | base vocabulary | extended besides |\n|---|---|---|---|\n")
	for _, name := range m.typeOrder {
		t := m.types[name]
		if len(t.words) == 0 || !all[name] {
			continue
		}
		var first, more []string
		known, differs := protocol.BaseWords[name]
		for _, word := range t.words {
			if base[name] && (!differs || slices.Contains(known, word)) {
				first = append(first, word)
			} else {
				more = append(more, word)
			}
		}
		_, meaning, _ := strings.Cut(m.prose(t.comment, t), " is ")
		fmt.Fprintf(&b, "| <a id=\"words-%s\"></a>%s | %s | %s | %s |\n", name, name,
			strings.TrimSuffix(meaning, "."), ticked(first), ticked(more))
	}
	return b.String()
}

// reached are the types that some messages hold.
func (m *model) reached(which func(message) bool) map[string]bool {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		t := m.types[name]
		if t == nil || seen[name] {
			return
		}
		seen[name] = true
		for _, f := range t.fields {
			visit(strings.TrimLeft(f.goType, "*[]"))
			visit(f.of)
		}
		if name == "Item" {
			for _, i := range itemTypes {
				visit(i.typeName)
			}
		}
	}
	for _, message := range slices.Concat(m.methods, m.events) {
		if which(message) {
			visit(message.typeName)
		}
	}
	return seen
}

func ticked(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return strings.Join(out, ", ")
}

// limits are the numbers of this package.
func limits() string {
	return fmt.Sprintf(`| what | limit |
|---|---|
| one line | %d MiB without its line break; longer: refused, the rest of the line is skipped |
| nesting | 128 open objects and arrays |
| `+"`request_id`"+` | 1 to 64 bytes |
| `+"`tool_result.output`"+` to a base client | %d bytes, cut at a character border |
| protocol version | %d |
`, protocol.DefaultMaxLine>>20, protocol.MaxBaseOutput, protocol.ProtocolVersion)
}
