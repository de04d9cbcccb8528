package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// schema is the tree of known keys, drawn from the layer type.
type schema struct {
	word   string          // what a value is, for people
	kinds  []unstable.Kind // how it is written; none means anyhow
	fields map[string]*schema
	each   *schema // what every entry of a map or element of a list is
	list   bool    // each is about elements
	open   bool    // anything may stand below
}

var known = schemaOf(reflect.TypeFor[layer]())

func schemaOf(t reflect.Type) *schema {
	table := []unstable.Kind{unstable.InlineTable}
	switch {
	case t == reflect.TypeFor[duration]():
		return &schema{word: `a time span in quotes like "10s"`, kinds: []unstable.Kind{unstable.String}}
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem())
	case t.Kind() == reflect.Struct:
		s := &schema{word: "a table", kinds: table, fields: map[string]*schema{}}
		for i := range t.NumField() {
			s.fields[t.Field(i).Tag.Get("toml")] = schemaOf(t.Field(i).Type)
		}
		return s
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Interface:
		return &schema{word: "a table", kinds: table, open: true}
	case t.Kind() == reflect.Map:
		return &schema{word: "a table", kinds: table, each: schemaOf(t.Elem())}
	case t.Kind() == reflect.Slice:
		return &schema{word: "a list", kinds: []unstable.Kind{unstable.Array}, each: schemaOf(t.Elem()), list: true}
	case t.Kind() == reflect.Interface:
		return &schema{open: true}
	case t.Kind() == reflect.Bool:
		return &schema{word: "true or false", kinds: []unstable.Kind{unstable.Bool}}
	case t.Kind() == reflect.Int64:
		return &schema{word: "a whole number", kinds: []unstable.Kind{unstable.Integer}}
	case t.Kind() == reflect.Float64:
		return &schema{word: "a number", kinds: []unstable.Kind{unstable.Integer, unstable.Float}}
	default:
		return &schema{word: "text in quotes", kinds: []unstable.Kind{unstable.String}}
	}
}

// find follows a key; nil when it is unknown.
func (s *schema) find(k key) *schema {
	for _, part := range k {
		switch {
		case s.open:
			return &schema{open: true}
		case s.each != nil && s.list == strings.HasPrefix(part, "["):
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
	"provider": "scheme",
	"name":     "model_id",
	"id":       "model_id",
	"url":      "base_url",
	"endpoint": "base_url",
	"prompt":   "instruction",
	"model":    "model_id",
}

// hint suggests what an unknown name in the table s, which is called table,
// may have meant.
func (s *schema) hint(table key, name string) string {
	switch {
	case name == "api_key" || name == "key" || name == "apikey":
		return "keys are not written into config.toml: name a variable or a file in model.auth"
	case name == "pod" && len(table) == 0:
		return "a pod's name is given on the command line"
	case s.list:
		return fmt.Sprintf("%s is a list: write [[%s]]", table, table)
	case strings.HasPrefix(name, "["):
		return fmt.Sprintf("%s is a table: write [%s.NAME]", table, table)
	}
	best, bestDistance := "", len(name)/3+2
	for _, have := range slices.Sorted(maps.Keys(s.fields)) {
		d := distance(name, have)
		if strings.HasPrefix(have, name+"_") || strings.HasSuffix(have, "_"+name) {
			d = 1
		}
		if d < bestDistance {
			best, bestDistance = have, d
		}
	}
	if habit := habits[name]; best == "" && s.fields[habit] != nil {
		best = habit
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
