package rehearsal_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"podium.local/rehearsal"
)

// talk asks a chat question and returns the text of the answer, or its status
// when that is an error.
func talk(t *testing.T, url, model, messages string) string {
	t.Helper()
	a := post(t, url+"/v1/chat/completions", `{"model":"`+model+`","stream":true,"messages":[`+messages+`]}`)
	if a.status != 200 {
		return fmt.Sprint(a.status)
	}
	return listen(t, rehearsal.WireChat, a.body).text
}

const (
	userA  = `{"role":"user","content":"alpha"}`
	userB  = `{"role":"user","content":"beta"}`
	said   = `{"role":"assistant","content":"ok"}`
	called = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"Edit","arguments":"{}"}}]}`
	result = `{"role":"tool","tool_call_id":"c1","content":"Edited a.go"}`
	system = `{"role":"system","content":"You are careful."}`
)

func TestCast_RulesThenOrderThenDefault(t *testing.T) {
	_, url := start(t, parse(t, `
[[reply]]
text = "first"
[[reply]]
default = true
text = "default"
[[reply]]
text = "rule"
when = { user = "beta" }
[[reply]]
text = "second"
`), rehearsal.Options{})
	var got []string
	for _, m := range []string{userA, userB, userA, userB, userA, userA} {
		got = append(got, talk(t, url, "m", m))
	}
	if want := []string{"first", "rule", "second", "rule", "default", "default"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCast_EveryConditionMustHold(t *testing.T) {
	for _, c := range []struct {
		when     rehearsal.When
		yes, not []string // messages
	}{
		{rehearsal.When{User: "alp"}, []string{userA, userB + "," + said + "," + userA}, []string{userB, userA + "," + said + "," + userB}},
		{rehearsal.When{User: "/^alpha$/"}, []string{userA}, []string{userB}},
		{rehearsal.When{System: "careful"}, []string{system + "," + userA}, []string{userA}},
		{rehearsal.When{Turn: 2}, []string{userA + "," + said + "," + userB}, []string{userA}},
		{rehearsal.When{Turn: 2}, []string{userA + "," + called + "," + result}, []string{userA + "," + said + "," + userB + "," + said + "," + userA}},
		{rehearsal.When{Step: 1}, []string{userA, userA + "," + said + "," + userB}, []string{userA + "," + called + "," + result}},
		{rehearsal.When{Step: 2}, []string{userA + "," + called + "," + result, userB + "," + said + "," + userA + "," + called + "," + result}, []string{userA}},
		{rehearsal.When{Last: "user"}, []string{userA}, []string{userA + "," + called + "," + result}},
		{rehearsal.When{Last: "tool"}, []string{userA + "," + called + "," + result}, []string{userA, userA + "," + said + "," + userB}},
		{rehearsal.When{After: "Edit"}, []string{userA + "," + called + "," + result}, []string{userA, userA + "," + called + "," + result + "," + said + "," + userB}},
		{rehearsal.When{After: "Read"}, nil, []string{userA + "," + called + "," + result}},
		{rehearsal.When{Result: "a.go"}, []string{userA + "," + called + "," + result}, []string{userA}},
		{rehearsal.When{Result: "/^Edited/"}, []string{userA + "," + called + "," + result}, []string{userA + "," + called + "," + result + "," + said + "," + userB}},
		{rehearsal.When{User: "alpha", Turn: 2}, []string{userA + "," + called + "," + result}, []string{userA, userB + "," + said + "," + userB}},
		{rehearsal.When{Offers: "Read"}, nil, []string{userA}},
	} {
		_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
			{Text: "yes", When: c.when}, {Text: "no", Default: true},
		}}, rehearsal.Options{})
		for _, m := range c.yes {
			if got := talk(t, url, "m", m); got != "yes" {
				t.Errorf("%+v does not hold for %s: %s", c.when, m, got)
			}
		}
		for _, m := range c.not {
			if got := talk(t, url, "m", m); got != "no" {
				t.Errorf("%+v holds for %s: %s", c.when, m, got)
			}
		}
	}
}

func TestCast_OffersSeesTheToolsOfTheRequest(t *testing.T) {
	s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
		{Name: "summary", Text: "s", When: rehearsal.When{Offers: "write_summary"}}, {Name: "other", Text: "o", Default: true},
	}}, rehearsal.Options{})
	post(t, url+"/v1/chat/completions", `{"model":"m","messages":[`+userA+`],"tools":[{"type":"function","function":{"name":"write_summary"}}]}`)
	post(t, url+"/v1/chat/completions", `{"model":"m","messages":[`+userA+`],"tools":[{"type":"function","function":{"name":"Read"}}]}`)
	if r := s.Requests(); r[0].Reply != "summary" || r[1].Reply != "other" {
		t.Errorf("got %s and %s", r[0].Reply, r[1].Reply)
	}
}

func TestCast_TimesLimitsAndRepeatBeginsAgain(t *testing.T) {
	_, url := start(t, parse(t, `
[server]
repeat = true
[[reply]]
text = "twice"
times = 2
[[reply]]
text = "once"
[[reply]]
text = "rule"
times = 1
when = { user = "beta" }
`), rehearsal.Options{})
	var got []string
	for _, m := range []string{userB, userB, userA, userA, userA, userA, userB} {
		got = append(got, talk(t, url, "m", m))
	}
	if want := []string{"rule", "twice", "twice", "once", "twice", "twice", "once"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCast_NothingLeftIsSaidAndNotRetried(t *testing.T) {
	s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Text: "only"}}}, rehearsal.Options{})
	talk(t, url, "m", userA)
	a := post(t, url+"/v1/chat/completions", `{"model":"m","messages":[`+userA+`]}`)
	want := `rehearsal: the script has no reply left for a request (model m, turn 1, newest text \"alpha\"); add a [[reply]], or one with default = true`
	if a.status != 400 || !strings.Contains(a.body, want) {
		t.Errorf("got %d %s, want 400 and %s", a.status, a.body, want)
	}
	if r := s.Requests()[1]; !strings.Contains(r.Refused, "no reply left") {
		t.Errorf("recorded %+v", r)
	}
}

func TestCast_ActorsAreToldApart(t *testing.T) {
	s, url := start(t, parse(t, `
[[actor]]
name = "careful"
system = "careful"
[[actor]]
name = "mini"
model = "/mini$/"
[[actor]]
name = "big"
model = "big"
[[actor]]
name = "asker"
user = "gamma"

[[reply]]
actor = "mini"
text = "mini 1"
[[reply]]
text = "common 1"
[[reply]]
actor = "mini"
text = "mini 2"
[[reply]]
actor = "big"
default = true
text = "big default"
[[reply]]
default = true
text = "default"
[[reply]]
actor = "careful"
text = "careful rule"
when = { turn = 1 }
`), rehearsal.Options{})
	var got []string
	for _, r := range [][2]string{
		{"x-mini", userA}, {"big", userA}, {"big", userA}, {"x-mini", userA}, {"x-mini", userA},
		{"bigger", userA}, {"big", system + "," + userA}, {"z", `{"role":"user","content":"gamma"},` + said + "," + userA},
	} {
		got = append(got, talk(t, url, r[0], r[1]))
	}
	want := []string{"mini 1", "common 1", "big default", "mini 2", "default", "default", "careful rule", "default"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var actors []string
	for _, r := range s.Requests() {
		actors = append(actors, r.Actor)
	}
	if want := []string{"mini", "big", "big", "mini", "mini", "", "careful", "asker"}; !slices.Equal(actors, want) {
		t.Errorf("actors %q, want %q", actors, want)
	}
}

func TestCast_FaultTimesThenTheReply(t *testing.T) {
	s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: "first", Fault: &rehearsal.Fault{Status: 529, Times: 2}},
		{Fault: &rehearsal.Fault{Status: 500}},
		{Text: "last"},
		{Text: "rule", When: rehearsal.When{User: "beta"}, Fault: &rehearsal.Fault{Status: 429}},
	}}, rehearsal.Options{})
	var got []string
	for _, m := range []string{userA, userB, userA, userA, userA, userB, userA} {
		got = append(got, talk(t, url, "m", m))
	}
	if want := []string{"529", "429", "529", "first", "500", "429", "last"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if r := s.Requests()[0]; r.Reply != "reply 1" || r.Fault != rehearsal.FaultStatus || r.Status != 529 {
		t.Errorf("recorded %+v", r)
	}
}

func TestCast_ConcurrentRequestsShareTheRepliesFairly(t *testing.T) {
	var script rehearsal.Script
	for i := range 40 {
		script.Replies = append(script.Replies, rehearsal.Reply{Text: fmt.Sprint(i)})
	}
	s, url := start(t, script, rehearsal.Options{})
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			got := talk(t, url, "m", userA)
			mu.Lock()
			defer mu.Unlock()
			seen[got]++
		})
	}
	all.Wait()
	if len(seen) != 40 {
		t.Errorf("40 requests met %d different replies: %v", len(seen), seen)
	}
	numbers := map[int]bool{}
	for _, r := range s.Requests() {
		numbers[r.Number] = true
	}
	if len(numbers) != 40 {
		t.Errorf("40 requests have %d numbers", len(numbers))
	}
}

func TestCast_ContextLimitRefusesAndUsesNothingUp(t *testing.T) {
	for _, w := range wires {
		s, url := start(t, rehearsal.Script{Context: 100, Replies: []rehearsal.Reply{{Text: "short enough"}}}, rehearsal.Options{})
		long := post(t, url+w.path, say(w.text, strings.Repeat("word ", 200)))
		if long.status != 400 || !strings.Contains(long.body, "100") && w.wire != rehearsal.WireResponses {
			t.Errorf("%s: got %d %s, want 400 naming the limit", w.wire, long.status, long.body)
		}
		if openAI := w.wire != rehearsal.WireAnthropic; openAI != strings.Contains(long.body, `"context_length_exceeded"`) {
			t.Errorf("%s: %s", w.wire, long.body)
		}
		if h := listen(t, w.wire, post(t, url+w.path, say(w.stream, "hi")).body); h.text != "short enough" {
			t.Errorf("%s: heard %+v", w.wire, h)
		}
		if r := s.Requests()[0]; r.Fault != rehearsal.FaultOverflow || r.Reply != "context limit" {
			t.Errorf("%s: recorded %+v", w.wire, r)
		}
	}
}

// TestTemplate_SaysWhatIsMissingInTheScriptsWords wants nothing of the parser.
func TestTemplate_SaysWhatIsMissingInTheScriptsWords(t *testing.T) {
	_, url := start(t, parse(t, "[[reply]]\ntext = 'to {{var \"X\"}}'"), rehearsal.Options{})
	a := post(t, url+"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	for _, want := range []string{"no variable", "--set X=VALUE"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%d %s lacks %q", a.status, a.body, want)
		}
	}
	for _, foreign := range []string{"executing", "error calling"} {
		if strings.Contains(a.body, foreign) {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}
