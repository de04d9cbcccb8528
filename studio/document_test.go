package studio_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"podium.local/studio"
)

func TestNumber_LooksAsInV1(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", 1: "1.0", -1.5: "-1.5", 100: "100.0", 1767277320: "1767277320.0", 0.30000000000000004: "0.30000000000000004",
		0.0001: "0.0001", 0.00001: "1e-05", 1.5e-7: "1.5e-07", 1e15: "1000000000000000.0", 9999999999999998: "9999999999999998.0",
		1e16: "1e+16", 1.25e100: "1.25e+100", 5e-324: "5e-324", math.MaxFloat64: "1.7976931348623157e+308",
	} {
		if got := studio.Number(f); got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
	if got := studio.Number(math.Copysign(0, -1)); got != "-0.0" {
		t.Errorf("negative zero: %s", got)
	}
}

func TestNumber_ReadsBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return
		}
		text := studio.Number(f)
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || back != f || !json.Valid([]byte(text)) {
			t.Errorf("%v became %s", f, text)
		}
	})
}

func TestStored_JSONIsShownCompactAndOddTextAsText(t *testing.T) {
	for text, want := range map[string]string{
		`{"b": 1, "a": [1.50, 2e2, -0, 12345678901234567890]}`: `{"b":1,"a":[1.5,200.0,0,12345678901234567890]}`,
		`null`:            `null`,
		` null `:          `null`,
		`"text"`:          `"text"`,
		`"\u00e4\u2028<"`: "\"ä\u2028<\"",
		`{"a":1,"a":2}`:   `{"a":1,"a":2}`,
		`{"a":`:           `"{\"a\":"`,
		``:                `""`,
		`1 2`:             `"1 2"`,
		`NaN`:             `"NaN"`,
		`{"a":1} x`:       `"{\"a\":1} x"`,
		"\xff":            "\"\uFFFD\"",
		`1e999`:           `1e999`,
		`"\ud800"`:        "\"\uFFFD\"",
	} {
		got, err := studio.Stored(text)
		if err != nil || got != want {
			t.Errorf("%q: got %s (%v), want %s", text, got, err, want)
		}
	}
}

func FuzzStored(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.0,null]}`, `"\ud83d\ude00"`, `[`, `-0.0`, `{"a":{"a":{}}}`, "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := studio.Stored(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if !json.Valid([]byte(got)) {
			t.Fatalf("%q became %q, which is no JSON", text, got)
		}
		again, err := studio.Stored(got)
		if err != nil || again != got {
			t.Fatalf("%q became %q and then %q (%v)", text, got, again, err)
		}
	})
}
