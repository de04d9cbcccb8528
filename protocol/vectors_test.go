package protocol_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"podium.local/protocol"
)

// vector is one line of testdata/protocol.jsonl.
type vector struct {
	Name, Kind, Wire, Canonical, Error string
	WireHex                            string `json:"wire_hex"`
}

// line is the wire form as bytes.
func (v vector) line(t testing.TB) []byte {
	t.Helper()
	if v.WireHex == "" {
		return []byte(v.Wire)
	}
	b, err := hex.DecodeString(v.WireHex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// recode decodes a line and gives its canonical form.
func recode(kind string, line []byte) (string, error) {
	var out []byte
	var err error
	switch kind {
	case "method":
		var m protocol.Method
		if m, err = protocol.DecodeMethod(line); err == nil {
			out, err = m.Append(nil)
		}
	case "event":
		var e protocol.Event
		if e, err = protocol.DecodeEvent(line); err == nil {
			out, err = e.Append(nil)
		}
	default:
		err = errors.New("unknown kind of vector")
	}
	return string(out), err
}

func readVectors(t testing.TB, name string) []vector {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var all []vector
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestVectors_EveryLineDecodesToItsCanonicalFormOrItsError(t *testing.T) {
	for file, atLeast := range map[string]int{"protocol.jsonl": 100, "extra.jsonl": 80} {
		vectors := readVectors(t, file)
		if len(vectors) < atLeast {
			t.Fatalf("%s has only %d lines: the file is cut", file, len(vectors))
		}
		for _, v := range vectors {
			t.Run(v.Name, func(t *testing.T) { v.check(t) })
		}
	}
}

func (v vector) check(t *testing.T) {
	got, err := recode(v.Kind, v.line(t))
	if v.Error != "" {
		var decode *protocol.DecodeError
		if !errors.As(err, &decode) || !strings.Contains(err.Error(), v.Error) {
			t.Fatalf("got %q, error %v; want a DecodeError with %q", got, err, v.Error)
		}
		if text := err.Error(); strings.ContainsAny(text, "\n\r") || len(text) > 500 || !utf8.ValidString(text) {
			t.Fatalf("the error text is not fit for an answer: %.600q", text)
		}
		return
	}
	if err != nil || got != v.Canonical {
		t.Fatalf("got  %s\nerror %v\nwant %s", got, err, v.Canonical)
	}
	if again, err := recode(v.Kind, []byte(v.Canonical)); err != nil || again != v.Canonical {
		t.Fatalf("canonical form is not a fixpoint: %s, error %v", again, err)
	}
}

func TestDecode_SharesNoMemoryWithTheLine(t *testing.T) {
	for _, v := range append(readVectors(t, "protocol.jsonl"), readVectors(t, "extra.jsonl")...) {
		if v.Error != "" {
			continue
		}
		line := v.line(t)
		var appendTo func([]byte) ([]byte, error)
		if v.Kind == "method" {
			m, err := protocol.DecodeMethod(line)
			if err != nil {
				t.Fatal(err)
			}
			appendTo = m.Append
		} else {
			e, err := protocol.DecodeEvent(line)
			if err != nil {
				t.Fatal(err)
			}
			appendTo = e.Append
		}
		clear(line)
		if got, err := appendTo(nil); err != nil || string(got) != v.Canonical {
			t.Errorf("%s: after the line was overwritten: %q, %v", v.Name, got, err)
		}
	}
}
