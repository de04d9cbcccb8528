package protocol_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
)

// seed adds every vector's line.
func seed(f *testing.F) {
	for _, file := range []string{"protocol.jsonl", "extra.jsonl"} {
		for _, v := range readVectors(f, file) {
			if len(v.Wire) < 4096 {
				f.Add(v.line(f))
			}
		}
	}
}

// FuzzDecodeMethod: whatever decodes is written as one line that decodes to
// the same and is written the same.
func FuzzDecodeMethod(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := protocol.DecodeMethod(line)
		if err != nil {
			checkDecodeError(t, err)
			return
		}
		canonical, err := m.Append(nil)
		if err != nil {
			t.Fatalf("decoded but not written: %v", err)
		}
		again, err := protocol.DecodeMethod(canonical)
		if err != nil {
			t.Fatalf("%s: %v", canonical, err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Fatalf("%s\n%s", canonical, diff)
		}
		checkFixpoint(t, "method", canonical)
	})
}

// FuzzDecodeEvent holds events to the same rule, and their base view too.
func FuzzDecodeEvent(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := protocol.DecodeEvent(line)
		if err != nil {
			checkDecodeError(t, err)
			return
		}
		canonical, err := e.Append(nil)
		if err != nil {
			t.Fatalf("decoded but not written: %v", err)
		}
		again, err := protocol.DecodeEvent(canonical)
		if err != nil {
			t.Fatalf("%s: %v", canonical, err)
		}
		if diff := cmp.Diff(e, again); diff != "" {
			t.Fatalf("%s\n%s", canonical, diff)
		}
		checkFixpoint(t, "event", canonical)
		if base, ok := e.Base(); ok {
			if _, err := base.Append(nil); err != nil {
				t.Fatalf("the base view is not written: %v", err)
			}
		}
	})
}

// FuzzParseItem holds history items to the same rule.
func FuzzParseItem(f *testing.F) {
	for _, item := range []string{
		`{"type":"message","id":"m","role":"user","content":[{"type":"text","text":"hi"},{"type":"refusal","refusal":"no"},{"type":"x"}],"status":"completed","entry_id":"e"}`,
		`{"type":"tool_call","call_id":"c","name":"n","arguments":"{\"b\":1,\"a\":[{}]}"}`,
		`{"type":"tool_result","call_id":"c","summary":"s","content":"x","is_error":true}`,
		`{"type":"reasoning","text":"t","summary":["s"],"encrypted_content":"x"}`,
		`{"type":"later","x":[1.50,null]}`,
	} {
		f.Add([]byte(item))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		item, err := protocol.ParseItem(jsontext.Value(raw))
		if err != nil {
			checkDecodeError(t, err)
			return
		}
		once, err := item.Append(nil)
		if err != nil {
			t.Fatalf("parsed but not written: %v", err)
		}
		again, err := protocol.ParseItem(once)
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if diff := cmp.Diff(item, again); diff != "" {
			t.Fatalf("%s\n%s", once, diff)
		}
	})
}

// FuzzCanonicalArguments: always an object, and a fixpoint.
func FuzzCanonicalArguments(f *testing.F) {
	for _, text := range []string{``, `null`, `{"b":1,"a":{"d":[1e5,"\u00e9"],"c":true}}`, `{"a":1,"a":2}`, `{"a":`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := protocol.CanonicalArguments(text)
		v := jsontext.Value(once)
		if !v.IsValid() || v.Kind() != '{' {
			t.Fatalf("not an object: %q", once)
		}
		if twice := protocol.CanonicalArguments(once); twice != once {
			t.Fatalf("%q became %q", once, twice)
		}
	})
}

func checkDecodeError(t *testing.T, err error) {
	t.Helper()
	var decode *protocol.DecodeError
	if !errors.As(err, &decode) || decode.Reason == "" || strings.ContainsAny(err.Error(), "\n\r\x00") {
		t.Fatalf("not a fit DecodeError: %#v %q", err, err)
	}
	if len(err.Error()) > 2000 {
		t.Fatalf("an error text of %d bytes", len(err.Error()))
	}
}

func checkFixpoint(t *testing.T, kind string, canonical []byte) {
	t.Helper()
	if bytes.IndexByte(canonical, '\n') >= 0 {
		t.Fatalf("more than one line: %q", canonical)
	}
	if again, err := recode(kind, canonical); err != nil || again != string(canonical) {
		t.Fatalf("%s became %s, %v", canonical, again, err)
	}
}

// FuzzReader compares the reader with the obvious way to split a text, however
// the bytes arrive.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\r\n\n b \nlast"), 8, 0)
	f.Add(bytes.Repeat([]byte("0123456789"), 1000), 100, 1)
	f.Add(append(bytes.Repeat([]byte("x"), 5000), "\nb\n"...), 5000, 2)
	f.Fuzz(func(t *testing.T, in []byte, limit, how int) {
		if limit < 1 || limit > 1<<20 {
			return
		}
		var want []string
		for line := range bytes.SplitSeq(in, []byte{'\n'}) {
			switch {
			case len(bytes.TrimSuffix(line, []byte{'\r'})) > limit:
				want = append(want, "(too long)")
			case len(bytes.TrimSpace(line)) > 0:
				want = append(want, string(bytes.TrimSpace(line)))
			}
		}
		var source io.Reader = bytes.NewReader(in)
		switch how % 3 {
		case 1:
			source = iotest.OneByteReader(source)
		case 2:
			source = iotest.DataErrReader(&chunks{data: in, size: 4093})
		}
		budget := protocol.NewBudget(4 << 20)
		got := readAll(t, protocol.NewReader(source, protocol.ReaderOptions{MaxLine: limit, Budget: budget}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if budget.Held() != 0 {
			t.Fatalf("%d bytes still held", budget.Held())
		}
	})
}
