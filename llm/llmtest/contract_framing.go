package llmtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"podium.local/llm"
	"podium.local/rehearsal"
)

// framing checks that how the bytes of an answer are cut changes nothing.
func framing(t *testing.T, s Subject) {
	script := replies(rehearsal.Reply{
		Reasoning: "Überlegen 🤔", Text: "Zwei Dateien: «a» und «日本».",
		Calls: []rehearsal.Call{{Name: "Read", Args: rehearsal.Args{"path": "日本/🎭"}}, {Name: "List"}},
		Usage: &rehearsal.Usage{Input: 9, Output: 8},
	})
	server := rehearsal.New(script, rehearsal.Options{})
	tape := &recorder{}
	whole := Read(s.open(t, Target{BaseURL: server.Start(t), Client: &http.Client{Transport: tape}}).
		Stream(t.Context(), prompt("Record this.")))
	if whole.Err != nil || whole.Broken != nil {
		t.Fatalf("the recording failed: %v, %v", whole.Err, whole.Broken)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()

	play := func(t rapid.TB, body io.Reader) Reading {
		p, err := s.New(Target{BaseURL: "http://tape.invalid", Client: NewTape(body).Client()})
		if err != nil {
			t.Fatalf("make the provider: %v", err)
		}
		return Read(p.Stream(context.Background(), prompt("Play it.")))
	}
	t.Run("AnySplitGivesTheSameDeltas", rapid.MakeCheck(func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 200), 1, 40).Draw(t, "sizes")
		got := play(t, &splitter{data: tape.body.Bytes(), sizes: sizes})
		if d := cmp.Diff(whole.Deltas, got.Deltas); d != "" || got.Err != nil {
			t.Fatalf("%v\n%s", got.Err, d)
		}
	}))
	t.Run("ByteByByte", func(t *testing.T) {
		got := play(t, &splitter{data: tape.body.Bytes(), sizes: []int{1}})
		if d := cmp.Diff(whole.Deltas, got.Deltas); d != "" || got.Err != nil {
			t.Errorf("%v\n%s", got.Err, d)
		}
	})
	t.Run("AWholeAnswerLeavesItsConnectionUsable", func(t *testing.T) {
		for _, breakOut := range []bool{false, true} { // as callers do who wait for nothing more
			body := &watched{splitter: splitter{data: tape.body.Bytes(), sizes: []int{64}}}
			p := s.open(t, Target{BaseURL: "http://tape.invalid", Client: NewTape(body).Client()})
			for d := range p.Stream(t.Context(), prompt("Play it.")) {
				if _, last := d.(llm.Finish); last && breakOut {
					break
				}
			}
			if !body.closed || !body.ended {
				t.Errorf("breaking out %v: the body was read to its end: %v, closed: %v", breakOut, body.ended, body.closed)
			}
		}
	})
	t.Run("CarriageReturnsChangeNothing", func(t *testing.T) {
		got := play(t, strings.NewReader(strings.ReplaceAll(tape.body.String(), "\n", "\r\n")))
		if d := cmp.Diff(whole.Deltas, got.Deltas); d != "" || got.Err != nil {
			t.Errorf("%v\n%s", got.Err, d)
		}
	})
	t.Run("CommentsChangeNothing", func(t *testing.T) {
		got := play(t, strings.NewReader(strings.ReplaceAll(tape.body.String(), "\n\n", "\n\n: keep-alive\n\n")))
		if d := cmp.Diff(whole.Deltas, got.Deltas); d != "" || got.Err != nil {
			t.Errorf("%v\n%s", got.Err, d)
		}
	})
	t.Run("AnyCutIsAnErrorAfterTheSameBeginning", rapid.MakeCheck(func(t *rapid.T) {
		// The end mark is the last event; behind it nothing can be missing. On a
		// wire that announces its end, the announcement is enough.
		ended := bytes.LastIndex(bytes.TrimRight(tape.body.Bytes(), "\n"), []byte("\n\n")) + 2
		if s.EndsByReason {
			ended = bytes.Index(tape.body.Bytes(), []byte(`"finish_reason":"`))
		}
		cut := rapid.IntRange(0, ended).Draw(t, "cut")
		got := play(t, bytes.NewReader(tape.body.Bytes()[:cut]))
		if got.Err == nil || got.Reason != "" || got.Broken != nil {
			t.Fatalf("a stream cut at %d of %d: reason %q, error %v, broken %v", cut, tape.body.Len(), got.Reason, got.Err, got.Broken)
		}
		if len(got.Deltas) > len(whole.Deltas) {
			t.Fatalf("a cut stream has more deltas than the whole one")
		}
		if d := cmp.Diff(whole.Deltas[:len(got.Deltas)], got.Deltas, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	}))
}

// secrets checks that the key comes up in no error.
func secrets(t *testing.T, s Subject) {
	const key = "sk-very-secret-0123456789"
	echo := func(status int, contentType string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"type":"`+key+`","message":"no entry for `+key+"\\n"+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")+`"}}`)
			_, _ = w.Write(body)
		}
	}
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.invalid/"+key, http.StatusPermanentRedirect)
	}
	for name, h := range map[string]http.HandlerFunc{
		"InARefusal": echo(401, "application/json"), "InABody": echo(500, "text/plain"),
		"InAnAnswer": echo(200, "application/json"), "InAnAddress": elsewhere,
	} {
		t.Run(name, func(t *testing.T) {
			p := s.open(t, Target{BaseURL: serve(t, h), APIKey: key})
			r := Read(p.Stream(t.Context(), prompt("Hello.")))
			if r.Err == nil {
				t.Fatal("no error")
			}
			for err := r.Err; err != nil; {
				if strings.Contains(err.Error(), key) {
					t.Errorf("the key is in %v", err)
				}
				inner, ok := err.(interface{ Unwrap() error })
				if !ok {
					break
				}
				err = inner.Unwrap()
			}
		})
	}
	t.Run("InAnUnusableKey", func(t *testing.T) {
		_, err := s.New(Target{BaseURL: "http://127.0.0.1:1", APIKey: key + "\nX-Other: 1"})
		if wantKind(t, err, llm.ErrorAuth, 0); err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("the key is in %v", err)
		}
	})
	t.Run("InAnUnusableAddress", func(t *testing.T) {
		for _, address := range []string{"http://user:" + key + "@localhost/v1", "localhost:8080", "http://localhost/v1?key=" + key, "http:///v1", "http://[::1", "ftp://localhost"} {
			_, err := s.New(Target{BaseURL: address})
			if wantKind(t, err, llm.ErrorInvalid, 0); err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the key is in %v", err)
			}
		}
	})
}

// recorder keeps the first answer's bytes.
type recorder struct{ body bytes.Buffer }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if _, err := r.body.ReadFrom(res.Body); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(r.body.Bytes()))
	return res, nil
}

// splitter hands out data in pieces of the given sizes, again and again.
type splitter struct {
	data  []byte
	sizes []int
	next  int
}

func (s *splitter) Read(p []byte) (int, error) {
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	n := min(len(p), len(s.data), s.sizes[s.next%len(s.sizes)])
	s.next++
	copy(p, s.data[:n])
	s.data = s.data[n:]
	return n, nil
}

// watched tells whether it was read to its end before it was closed.
type watched struct {
	splitter
	ended, closed bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.splitter.Read(p)
	w.ended = w.ended || (err == io.EOF && !w.closed)
	return n, err
}

func (w *watched) Close() error { w.closed = true; return nil }
