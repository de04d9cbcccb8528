package protocol_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

type jsonValue = jsontext.Value

// validator checks JSON against the part of JSON Schema that the generated
// files use; a keyword it does not know is an error, so that none is passed
// over.
type validator struct{ root object }

func newValidator(t testing.TB, text []byte) *validator {
	t.Helper()
	root, err := decodeJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return &validator{root: root.(object)}
}

func decodeJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func (v *validator) check(text []byte) error {
	value, err := decodeJSON(text)
	if err != nil {
		return err
	}
	return v.validate(v.root, value, "line")
}

func (v *validator) validate(schema object, value any, at string) error {
	for keyword, argument := range schema {
		if err := v.keyword(keyword, argument, value, at); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) keyword(keyword string, argument, value any, at string) error {
	o, isObject := value.(object)
	list, isArray := value.([]any)
	s, isString := value.(string)
	n, isNumber := value.(json.Number)
	switch keyword {
	case "$schema", "title", "description", "$defs", "default", "format":
	case "$ref":
		name := strings.TrimPrefix(argument.(string), "#/$defs/")
		return v.validate(v.root["$defs"].(object)[name].(object), value, at)
	case "type":
		allowed, ok := argument.([]any)
		if !ok {
			allowed = []any{argument}
		}
		if !slices.ContainsFunc(allowed, func(kind any) bool { return isOfType(kind.(string), value) }) {
			return fmt.Errorf("%s is %T, want %v", at, value, argument)
		}
	case "const":
		if !reflect.DeepEqual(argument, value) {
			return fmt.Errorf("%s is %v, want %v", at, value, argument)
		}
	case "enum":
		if !slices.Contains(argument.([]any), value) {
			return fmt.Errorf("%s is %v, want one of %v", at, value, argument)
		}
	case "minimum", "maximum":
		want := -1
		if keyword == "maximum" {
			want = 1
		}
		if isNumber && toFloat(n).Cmp(toFloat(argument.(json.Number))) == want {
			return fmt.Errorf("%s is %s, %s %s", at, n, keyword, argument)
		}
	case "minLength", "maxLength":
		limit := toFloat(argument.(json.Number))
		length := new(big.Float).SetInt64(int64(utf8.RuneCountInString(s)))
		if isString && (keyword == "minLength" && length.Cmp(limit) < 0 || keyword == "maxLength" && length.Cmp(limit) > 0) {
			return fmt.Errorf("%s has %s characters, %s %s", at, length, keyword, argument)
		}
	case "properties":
		for key, schema := range argument.(object) {
			if inner, ok := o[key]; isObject && ok {
				if err := v.validate(schema.(object), inner, at+"."+key); err != nil {
					return err
				}
			}
		}
	case "required":
		for _, key := range argument.([]any) {
			if _, ok := o[key.(string)]; isObject && !ok {
				return fmt.Errorf("%s has no %s", at, key)
			}
		}
	case "dependentRequired":
		for key, others := range argument.(object) {
			if _, ok := o[key]; isObject && ok {
				if err := v.keyword("required", others, value, at); err != nil {
					return err
				}
			}
		}
	case "items":
		for i, element := range list {
			if err := v.validate(argument.(object), element, fmt.Sprintf("%s[%d]", at, i)); isArray && err != nil {
				return err
			}
		}
	case "oneOf", "anyOf":
		return v.alternatives(keyword, argument.([]any), value, at)
	default:
		return fmt.Errorf("keyword %s is not known here", keyword)
	}
	return nil
}

func (v *validator) alternatives(keyword string, schemas []any, value any, at string) error {
	fits := 0
	var last error
	for _, schema := range schemas {
		if err := v.validate(schema.(object), value, at); err != nil {
			last = err
		} else {
			fits++
		}
	}
	if fits == 0 || keyword == "oneOf" && fits > 1 {
		return fmt.Errorf("%s fits %d of %d alternatives; the last: %w", at, fits, len(schemas), last)
	}
	return nil
}

func isOfType(kind string, value any) bool {
	switch v := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case json.Number:
		return kind == "number" || kind == "integer" && toFloat(v).IsInt()
	case []any:
		return kind == "array"
	default:
		return kind == "object"
	}
}

func toFloat(n json.Number) *big.Float {
	f, _, err := big.ParseFloat(string(n), 10, 200, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return f
}
