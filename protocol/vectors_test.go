package protocol_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

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

// recode decodes the line and gives its canonical form.
func (v vector) recode(t testing.TB) (string, error) {
	t.Helper()
	return recode(v.Kind, v.line(t))
}

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
	vectors := readVectors(t, "protocol.jsonl")
	if len(vectors) < 100 {
		t.Fatalf("only %d vectors: the file is cut", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			got, err := v.recode(t)
			if v.Error != "" {
				var decode *protocol.DecodeError
				if !errors.As(err, &decode) || !strings.Contains(err.Error(), v.Error) {
					t.Fatalf("got %q, error %v; want a DecodeError with %q", got, err, v.Error)
				}
				return
			}
			if err != nil || got != v.Canonical {
				t.Fatalf("got  %s\nerror %v\nwant %s", got, err, v.Canonical)
			}
			again, err := recode(v.Kind, []byte(v.Canonical))
			if err != nil || again != v.Canonical {
				t.Fatalf("canonical form is not a fixpoint: %s, error %v", again, err)
			}
		})
	}
}
