package config

import (
	"bytes"
	"errors"
	"fmt"
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

// entry is a key that a file sets, with its line (from 1), the kind of its
// value and, when that is no table, its TOML text.
type entry struct {
	key   key
	line  int
	kind  unstable.Kind
	value string
}

// parse reads TOML strictly: an unknown key, a wrong type and a value out of
// range are errors that name file and line.
func parse(file string, text []byte) (*document, error) {
	d := &document{file: printable(file)}
	if err := d.index(text); err != nil {
		return nil, err
	}
	if err := errors.Join(d.checkKeys(), d.checkKinds()); err != nil {
		return nil, err
	}
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(&d.layer); err != nil {
		return nil, d.decodeError(err)
	}
	return d, nil
}

// decodeError says where a decoder's error is.
func (d *document) decodeError(err error) error {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", d.file, err)
	}
	line, _ := at.Position()
	where := fmt.Sprintf("%s:%d: ", d.file, line)
	if len(at.Key()) > 0 {
		where += key(at.Key()).String() + ": "
	}
	return errors.New(printable(where + strings.TrimPrefix(at.Error(), "toml: ")))
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
		d.entries = append(d.entries, entry{key: table, line: p.Shape(it.Node().Raw).Start.Line, kind: unstable.InlineTable})
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

// indexAny notes a value; what is in a table or an array is noted one by one.
func (d *document) indexAny(p *unstable.Parser, name key, line int, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		d.entries = append(d.entries, entry{key: name, line: line, kind: v.Kind})
		for it := v.Children(); it.Next(); {
			d.indexValue(p, name, it.Node())
		}
	case unstable.Array:
		n := 0
		for it := v.Children(); it.Next(); n++ {
			d.indexAny(p, append(slices.Clone(name), "["+strconv.Itoa(n)+"]"), line, it.Node())
		}
		if n == 0 {
			d.entries = append(d.entries, entry{key: name, line: line, kind: v.Kind, value: "[]"})
		}
	default:
		d.entries = append(d.entries, entry{key: name, line: line, kind: v.Kind, value: text(v)})
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
		if hint := known.find(e.key[:at]).hint(e.key[:at], e.key[at]); hint != "" {
			msg += "; " + hint
		}
		errs = append(errs, errors.New(printable(msg)))
	}
	return errors.Join(errs...)
}

// checkKinds reports every value of another kind than its key takes.
func (d *document) checkKinds() error {
	var errs []error
	for _, e := range d.entries {
		want := known.find(e.key)
		if want == nil || len(want.kinds) == 0 || slices.Contains(want.kinds, e.kind) {
			continue
		}
		errs = append(errs, fmt.Errorf("%s:%d: %s: it takes %s, not %s", d.file, e.line, e.key, want.word, kindWords[e.kind]))
	}
	return errors.Join(errs...)
}

var kindWords = map[unstable.Kind]string{
	unstable.InlineTable: "a table", unstable.Array: "a list", unstable.String: "text", unstable.Bool: "true or false",
	unstable.Integer: "a whole number", unstable.Float: "a number with a point",
	unstable.DateTime: "a time", unstable.LocalDateTime: "a time", unstable.LocalDate: "a date", unstable.LocalTime: "a time",
}
