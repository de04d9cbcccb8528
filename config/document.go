package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// document is a parsed file: its layer, and where each key stands.
type document struct {
	file    string
	layer   layer
	entries []entry
}

// entry is a key that a file sets, with its line (from 1) and the TOML text of
// its value.
type entry struct {
	key   key
	line  int
	value string
}

// parse reads TOML strictly: an unknown key, a wrong type and a value out of
// range are errors that name file and line.
func parse(file string, text []byte) (*document, error) {
	d := &document{file: file}
	if err := d.index(text); err != nil {
		return nil, err
	}
	if err := d.checkKeys(); err != nil {
		return nil, err
	}
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(&d.layer); err != nil {
		return nil, d.decodeError(err)
	}
	return d, nil
}

// decodeError words a decoder's error without the names of Go types.
func (d *document) decodeError(err error) error {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", d.file, err)
	}
	line, _ := at.Position()
	msg := strings.TrimPrefix(at.Error(), "toml: ")
	where := fmt.Sprintf("%s:%d: ", d.file, line)
	if len(at.Key()) > 0 {
		where += key(at.Key()).String() + ": "
	}
	if got, rest, ok := strings.Cut(strings.TrimPrefix(msg, "cannot decode TOML "), " into "); ok && strings.HasPrefix(msg, "cannot decode TOML ") {
		msg = "a " + got + " cannot stand here"
		if want := known.find(key(at.Key())); want != nil && want.word != "" && !strings.Contains(rest, "map[") {
			msg += ", it takes " + want.word
		}
	}
	return errors.New(printable(where + msg))
}

// index walks the file and notes every key.
func (d *document) index(text []byte) error {
	var p unstable.Parser
	p.Reset(text)
	var table key
	arrays := map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = nameOf(e)
		case unstable.ArrayTable:
			table = nameOf(e)
			n := arrays[table.String()]
			arrays[table.String()]++
			table = append(table, "["+strconv.Itoa(n)+"]")
		case unstable.KeyValue:
			d.indexValue(&p, table, e)
			continue
		default:
			continue
		}
		it := e.Key()
		it.Next()
		d.entries = append(d.entries, entry{key: table, line: p.Shape(it.Node().Raw).Start.Line})
	}
	if err := p.Error(); err != nil {
		var v layer
		if derr := toml.Unmarshal(text, &v); derr != nil {
			return d.decodeError(derr)
		}
		return fmt.Errorf("%s: %w", d.file, err)
	}
	return nil
}

func nameOf(e *unstable.Node) key {
	var k key
	for it := e.Key(); it.Next(); {
		k = append(k, string(it.Node().Data))
	}
	return k
}

func (d *document) indexValue(p *unstable.Parser, table key, e *unstable.Node) {
	name := append(slices.Clone(table), nameOf(e)...)
	it := e.Key()
	it.Next()
	line := p.Shape(it.Node().Raw).Start.Line
	d.indexAny(p, name, line, e.Value())
}

// indexAny notes a value; the keys of inline tables and of tables in an array
// are noted one by one, and so is an array of anything else as one value.
func (d *document) indexAny(p *unstable.Parser, name key, line int, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		d.entries = append(d.entries, entry{key: name, line: line})
		for it := v.Children(); it.Next(); {
			d.indexValue(p, name, it.Node())
		}
	case unstable.Array:
		var texts []string
		n := 0
		for it := v.Children(); it.Next(); n++ {
			if c := it.Node(); c.Kind == unstable.InlineTable || c.Kind == unstable.Array {
				d.indexAny(p, append(slices.Clone(name), "["+strconv.Itoa(n)+"]"), line, c)
			} else {
				texts = append(texts, text(c))
			}
		}
		if len(texts) == n {
			d.entries = append(d.entries, entry{key: name, line: line, value: "[" + strings.Join(texts, ", ") + "]"})
		}
	default:
		d.entries = append(d.entries, entry{key: name, line: line, value: text(v)})
	}
}

// text is a plain value as TOML text on one line.
func text(v *unstable.Node) string {
	if v.Kind == unstable.String {
		return strconv.Quote(string(v.Data))
	}
	return printable(string(v.Data))
}

// printable makes foreign text safe to show: what a terminal would act on, or
// what would reorder the line, is written as an escape.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) || r == '\n' {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// line finds where a key stands; 0 when this file does not set it.
func (d *document) line(name string) int {
	for _, e := range d.entries {
		if e.key.String() == name {
			return e.line
		}
	}
	return 0
}

// where names the place of a key for an error.
func (d *document) where(name string) string {
	if n := d.line(name); n > 0 {
		return fmt.Sprintf("%s:%d: %s", d.file, n, name)
	}
	return d.file + ": " + name
}

// checkKeys reports every unknown key, with the nearest known one.
func (d *document) checkKeys() error {
	var errs []error
	var bad []key // do not report what stands below an unknown table again
	for _, e := range d.entries {
		below := func(k key) bool { return len(e.key) >= len(k) && slices.Equal(e.key[:len(k)], k) }
		if known.find(e.key) != nil || slices.ContainsFunc(bad, below) {
			continue
		}
		at := 0
		for known.find(e.key[:at+1]) != nil {
			at++
		}
		bad = append(bad, e.key[:at+1])
		msg := fmt.Sprintf("%s:%d: unknown key %s", d.file, e.line, e.key[:at+1])
		if hint := known.find(e.key[:at]).hint(e.key[at]); hint != "" {
			msg += "; " + hint
		}
		errs = append(errs, errors.New(printable(msg)))
	}
	return errors.Join(errs...)
}

// schema is the tree of known keys, drawn from the layer type.
type schema struct {
	word   string // what a value is, for people
	fields map[string]*schema
	each   *schema // what every entry of a map or array is
	open   bool    // anything may stand below
}

var known = schemaOf(reflect.TypeFor[layer]())

func schemaOf(t reflect.Type) *schema {
	switch {
	case t == reflect.TypeFor[duration]():
		return &schema{word: `a time span in quotes like "10s"`}
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem())
	case t.Kind() == reflect.Struct:
		s := &schema{word: "a table", fields: map[string]*schema{}}
		for i := range t.NumField() {
			s.fields[t.Field(i).Tag.Get("toml")] = schemaOf(t.Field(i).Type)
		}
		return s
	case t.Kind() == reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return &schema{word: "a table", open: true}
		}
		return &schema{word: "a table", each: schemaOf(t.Elem())}
	case t.Kind() == reflect.Slice:
		return &schema{word: "a list", each: schemaOf(t.Elem())}
	case t.Kind() == reflect.Interface:
		return &schema{open: true}
	case t.Kind() == reflect.Bool:
		return &schema{word: "true or false"}
	case t.Kind() == reflect.Int64:
		return &schema{word: "a whole number"}
	case t.Kind() == reflect.Float64:
		return &schema{word: "a number"}
	default:
		return &schema{word: "text in quotes"}
	}
}

// find follows a key; nil when it is unknown.
func (s *schema) find(k key) *schema {
	for _, part := range k {
		switch {
		case s.open:
			return s
		case s.each != nil && (s.word == "a table") != strings.HasPrefix(part, "["):
			s = s.each
		case s.fields[part] != nil:
			s = s.fields[part]
		default:
			return nil
		}
	}
	return s
}

// habits are names people know from elsewhere.
var habits = map[string]string{
	"provider":  "scheme",
	"name":      "model_id",
	"id":        "model_id",
	"url":       "base_url",
	"endpoint":  "base_url",
	"prompt":    "instruction",
	"bash":      "allow_bash",
	"token":     "auth_token",
	"threshold": "compact_threshold",
	"model":     "model_id",
}

// hint suggests what an unknown name below s may have meant.
func (s *schema) hint(name string) string {
	if name == "api_key" || name == "key" || name == "apikey" {
		return "keys are not written into config.toml: name a variable or a file in model.auth"
	}
	if name == "pod" {
		return "a pod's name is given on the command line"
	}
	best, bestDistance := "", len(name)/3+2
	for _, have := range slices.Sorted(maps.Keys(s.fields)) {
		if d := distance(name, have); d < bestDistance {
			best, bestDistance = have, d
		}
	}
	if best == "" {
		if habit := habits[name]; s.fields[habit] != nil {
			best = habit
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// distance is how many insertions, deletions and replacements lead from a to
// b, in bytes. It is only asked about short names.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
