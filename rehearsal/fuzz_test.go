package rehearsal_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"podium.local/rehearsal"
)

// FuzzParse holds that a script is either refused with a message that begins
// with its name, or can be played.
func FuzzParse(f *testing.F) {
	demo, err := os.ReadFile("scripts/demo.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(demo)
	for _, s := range []string{
		"", "[[reply]]\ntext = 'a'", "[server]\nkey = 'k'\n[pace]\nfirst = '1s'", "[[reply]]\n[reply.fault]\nstatus = 1",
		"[[reply]]\npart = [{ text = 'a' }, { tool = { name = 'T', arguments = { a = [1, 2.5, true, 1979-05-27] } } }]",
		"[[reply]]\ntool = [{ name = 'T', arguments = 'x' }]\nusage = { omit = true }", "reply = [{ text = '' }]\nactor = [{ name = 'a', model = 'm' }]",
		"a.b = 1", "[[reply.tool]]\nname='x'", "[[actor]]\nname = 'a'\nuser = '/x/'\n[[reply]]\nactor='a'\nfault={kind='error',after=1}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		script, err := rehearsal.Parse("s.toml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "s.toml:") {
				t.Errorf("the message does not say where: %v", err)
			}
			return
		}
		if err := script.Check(); err != nil {
			t.Fatalf("parsed, but %v", err)
		}
		// Templates may loop as long as their author likes.
		if bytes.Contains(data, []byte("{{")) {
			return
		}
		for _, r := range script.Replies {
			if r.Fault != nil && (r.Fault.Kind == rehearsal.FaultStall || r.Fault.Kind == rehearsal.FaultHang) {
				return
			}
		}
		s := rehearsal.New(script, rehearsal.Options{Rush: true})
		defer s.Close()
		for _, w := range wires {
			answerTo(t, s, w.path, []byte(say(w.stream, "hello")))
			answerTo(t, s, w.path, []byte(say(w.text, "hello")))
		}
	})
}

// FuzzRequest holds that whatever a client sends is answered: with the script's
// reply or with an error body of the vendor, and never with the server's own
// fault.
func FuzzRequest(f *testing.F) {
	for i, w := range wires {
		f.Add(i, []byte(say(w.stream, "hi")))
		f.Add(i, []byte(say(w.text, "hi")))
	}
	f.Add(0, []byte(`{"model":"m","max_tokens":1,"system":[{"type":"text","text":"s"}],"tools":[{"name":"T","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"T","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"r"}]}]}]}`))
	f.Add(1, []byte(`{"model":"m","include":["reasoning.encrypted_content"],"tools":[null],"input":[{"role":"user","content":[{"type":"input_text","text":"x"}]},{"type":"function_call","id":"fc_0r","call_id":"c","name":"T","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":[]}]}`))
	f.Add(2, []byte(`{"model":"m","messages":[{"role":"user","content":null},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"T","arguments":""}}]},{"role":"tool","tool_call_id":"c","content":""}]}`))
	f.Fuzz(func(t *testing.T, wire int, body []byte) {
		w := wires[uint(wire)%uint(len(wires))]
		reply := full
		reply.Default = true
		s := rehearsal.New(&rehearsal.Script{Replies: []rehearsal.Reply{reply}}, rehearsal.Options{Now: fixed})
		defer s.Close()
		answerTo(t, s, w.path, body)
	})
}

// answerTo sends one request and checks the form of the answer.
func answerTo(t *testing.T, s *rehearsal.Server, path string, body []byte) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil && r != http.ErrAbortHandler {
			panic(r)
		}
	}()
	r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	r.Header.Set("Anthropic-Version", "2023-06-01")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	switch {
	case w.Code == http.StatusOK:
	case w.Code >= 400 && json.Valid(w.Body.Bytes()):
	default:
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}
