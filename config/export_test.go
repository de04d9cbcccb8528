package config

import (
	"slices"
	"strings"
)

// KnownKeys lists every key that a file may set; * stands for a name that the
// user chooses, [0] for an element of a list of tables.
func KnownKeys() []string {
	var keys []string
	var walk func(s *schema, k []string)
	walk = func(s *schema, k []string) {
		switch {
		case s.fields != nil:
			for name, f := range s.fields {
				walk(f, append(slices.Clone(k), name))
			}
		case s.each != nil && !s.list:
			walk(s.each, append(slices.Clone(k), "*"))
		case s.each != nil && s.each.fields != nil:
			walk(s.each, append(slices.Clone(k), "[0]"))
		default:
			keys = append(keys, strings.ReplaceAll(strings.Join(k, "."), ".[", "["))
		}
	}
	walk(known, nil)
	slices.Sort(keys)
	return keys
}

// Variables lists the environment variables that set a key.
func Variables() []string {
	var names []string
	for _, v := range variables {
		names = append(names, v.name)
	}
	return names
}
