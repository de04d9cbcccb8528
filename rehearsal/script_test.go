package rehearsal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/rehearsal"
)

func TestParse_ReadsEverySetting(t *testing.T) {
	got := parse(t, `
[server]
key = "sk-rehearsal"
models = ["one", "two"]
context = 1000
repeat = true
reasoning_field = "reasoning"

[pace]
first = "1.5s"
delay = "40ms"
chunk = "line"

[[actor]]
name = "reviewer"
model = "/^gpt-/"
system = "You review."
user = "review"

[[reply]]
name = "first"
actor = "reviewer"
times = 2
reasoning = "Hm."
text = "Hello."
stop = "max_tokens"
usage = { input = 10, output = 9, cache_read = 3, cache_write = 2, reasoning = 1 }
pace = { first = "1s", delay = "2s", chunk = "whole" }
[reply.when]
turn = 1
step = 2
user = "u"
system = "s"
result = "r"
last = "tool"
after = "Edit"
offers = "Read"
[[reply.tool]]
name = "Read"
arguments = { file_path = "/a", limit = 5 }
[[reply.tool]]
name = "Raw"
arguments = '{"not json'

[[reply]]
default = true
fault = { kind = "error", times = 2, after = 3, status = 500, type = "t", code = "c", message = "m" }
[[reply.part]]
text = "a"
[[reply.part]]
reasoning = "b"
[[reply.part]]
tool = { name = "Write" }

[[reply]]
fault = { status = 429, retry_after = "2s" }

[[reply]]
fault = { kind = "stall", ping = "1s" }
`)
	wait := 2 * time.Second
	want := rehearsal.Script{
		Name: "script.toml", Key: "sk-rehearsal", Models: []string{"one", "two"}, Context: 1000, Repeat: true, ReasoningField: "reasoning",
		Pace:   rehearsal.Pace{First: 1500 * time.Millisecond, Delay: 40 * time.Millisecond, Chunk: "line"},
		Actors: []rehearsal.Actor{{Name: "reviewer", Model: "/^gpt-/", System: "You review.", User: "review"}},
		Replies: []rehearsal.Reply{
			{
				Name: "first", Actor: "reviewer", Times: 2, Reasoning: "Hm.", Text: "Hello.", Stop: rehearsal.StopMaxTokens,
				Usage: &rehearsal.Usage{Input: 10, Output: 9, CacheRead: 3, CacheWrite: 2, Reasoning: 1},
				Pace:  rehearsal.Pace{First: time.Second, Delay: 2 * time.Second, Chunk: "whole"},
				When:  rehearsal.When{Turn: 1, Step: 2, User: "u", System: "s", Result: "r", Last: "tool", After: "Edit", Offers: "Read"},
				Calls: []rehearsal.Call{
					{Name: "Read", Args: rehearsal.Args{"file_path": "/a", "limit": int64(5)}},
					{Name: "Raw", Args: `{"not json`},
				},
			},
			{
				Default: true,
				Fault:   &rehearsal.Fault{Kind: rehearsal.FaultError, Times: 2, After: 3, Status: 500, Type: "t", Code: "c", Message: "m"},
				Parts:   []rehearsal.Part{{Text: "a"}, {Reasoning: "b"}, {Call: &rehearsal.Call{Name: "Write"}}},
			},
			{Fault: &rehearsal.Fault{Status: 429, RetryAfter: &wait}},
			{Fault: &rehearsal.Fault{Kind: rehearsal.FaultStall, Ping: time.Second}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("script (-want +got):\n%s", d)
	}
}

func TestParse_ErrorsNameTheLineAndTheNextStep(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"unknown key", "[[reply]]\ntext = 'a'\ntxet = 'b'", "s.toml:3: unknown key \"txet\"; docs/rehearsal.md lists the keys of a script"},
		{"unknown key inline", "[[reply]]\ntext = 'a'\nfault = { status = 500,\n wait = 3 }", `s.toml:4: unknown key "wait"`},
		{"not TOML", "[[reply]]\ntext = ", "s.toml:2:7: "},
		{"wrong type", "[[reply]]\ntimes = 'often'", "s.toml:2:9: "},
		{"duration", "[pace]\ndelay = '3'", `s.toml:2:9: "3" is no duration; write it like "40ms" or "1.5s"`},
		{"nothing to say", "[[reply]]\ntext = 'a'\n\n[[reply]]\nname = 'b'", "s.toml:4: reply 2: has nothing to say; give it text,"},
		{"status", "[[reply]]\nfault = { status = 200 }", "s.toml:2: reply 1, fault.status: 200 is not the status of an error; use 400 to 599"},
		{"status in a table of its own", "[[reply]]\ntext = 'a'\n[[reply]]\n[reply.fault]\nafter = 1\nkind = 'cut'\nstatus = 99", "s.toml:7: reply 2, fault.status: 99"},
		{"status without one", "[[reply]]\nfault = { times = 2 }", "reply 1, fault.status: 0 is not the status of an error"},
		{"words of a fault without words", "[[reply]]\nfault = { kind = 'cut', message = 'x' }", "s.toml:2: reply 1, fault: cut sends no error, so it takes no status, type, code or message"},
		{"after without a stream", "[[reply]]\nfault = { status = 500, after = 2 }", "reply 1, fault.after: counts deltas of a stream, and status comes before any"},
		{"kind", "[[reply]]\nfault = { kind = 'boom' }", `s.toml:2: reply 1, fault.kind: unknown word "boom"; use one of status, overflow,`},
		{"retry_after", "[[reply]]\nfault = { kind = 'cut', retry_after = '1s' }", "fault.retry_after: goes with a status; cut sends none"},
		{"ping", "[[reply]]\nfault = { kind = 'cut', ping = '1s' }", `fault.ping: goes with kind = "stall"`},
		{"negative", "[[reply]]\ntext = ''\ntimes = -1", "s.toml:1: reply 1: times, turn and step count from 1"},
		{"negative delay", "[pace]\nfirst = '-1s'", "s.toml:1: pace: a delay is negative"},
		{"chunk", "[pace]\nchunk = 'page'", `s.toml:2: pace.chunk: unknown word "page"; use one of word, char, line, whole`},
		{"context", "[server]\ncontext = -1", "s.toml:2: server.context: -1 is negative"},
		{"reasoning field", "[server]\nreasoning_field = 'thoughts'", `server.reasoning_field: unknown word "thoughts"; use one of reasoning_content, reasoning, none`},
		{"pattern", "[[reply]]\ntext = 'a'\nwhen = { user = '/(/' }", "s.toml:3: reply 1, when.user: bad regular expression /(/: "},
		{"last", "[[reply]]\ntext = 'a'\nwhen = { last = 'model' }", `reply 1, when.last: unknown word "model"; use one of user, tool`},
		{"stop", "[[reply]]\ntext = 'a'\nstop = 'now'", `s.toml:3: reply 1, stop: unknown word "now"`},
		{"template", "[[reply]]\ntext = '{{cwdd}}'", `s.toml:2: reply 1, text: bad template "{{cwdd}}": function "cwdd" not defined; templates may use actor, cwd,`},
		{"template in arguments", "[[reply]]\n[[reply.tool]]\nname = 'a'\n[[reply.tool]]\nname = 'b'\narguments = { x = [1, { y = '{{' }] }", "s.toml:6: reply 1, tool 2, arguments.x.y: bad template"},
		{"tool name", "[[reply]]\ntool = [{ name = 'a b' }]", `s.toml:2: reply 1, tool 1, name: "a b" is no tool name`},
		{"arguments", "[[reply]]\ntool = [{ name = 'a', arguments = 3 }]", "tool 1, arguments: cannot be sent as JSON: they are no object"},
		{"parts and text", "[[reply]]\ntext = 'a'\npart = [{ text = 'b' }]", "s.toml:1: reply 1: has parts beside reasoning, text or tool"},
		{"two things in a part", "[[reply]]\npart = [{ text = 'a', reasoning = 'b' }]", "reply 1, part 1: holds several things"},
		{"actor without a name", "[[actor]]\nmodel = 'm'", "s.toml:1: actor 1: has no name"},
		{"actor for all", "[[actor]]\nname = 'a'", "s.toml:1: actor 1: matches every request"},
		{"actors of one name", "[[actor]]\nname = 'a'\nmodel = 'm'\n[[actor]]\nname = 'a'\nmodel = 'n'", `s.toml:5: actor 2, name: two actors are called "a"`},
		{"unknown actor", "[[actor]]\nname = 'a'\nmodel = 'm'\n[[reply]]\nactor = 'b'\ntext = ''", `s.toml:5: reply 1, actor: no actor is called "b"; the script has: a`},
		{"default with conditions", "[[reply]]\ntext = ''\ndefault = true\nwhen = { turn = 1 }", "s.toml:3: reply 1, default: a default reply has no conditions"},
		{"usage", "[[reply]]\ntext = ''\nusage = { input = 1, cache_read = 2 }", "s.toml:3: reply 1, usage: cache_read and cache_write are parts of input, but 2 + 0 is more than 1"},
		{"usage of reasoning", "[[reply]]\ntext = ''\nusage = { output = 1, reasoning = 2 }", "reply 1, usage: reasoning is a part of output"},
		{"usage omitted and given", "[[reply]]\ntext = ''\nusage = { output = 1, omit = true }", "reply 1, usage: omit stands beside counts"},
		{"negative usage", "[[reply]]\ntext = ''\nusage = { output = -1 }", "reply 1, usage: a count is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rehearsal.Parse("s.toml", []byte(c.script))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestParse_TellsAllFaultsAtOnce(t *testing.T) {
	_, err := rehearsal.Parse("s.toml", []byte("[[reply]]\nfault = { status = 99 }\n[[reply]]\ntext = '{{x}}'\n[[reply]]\n"))
	if err == nil {
		t.Fatal("no error")
	}
	for i, start := range []string{"s.toml:2: reply 1", "s.toml:4: reply 2", "s.toml:5: reply 3"} {
		if line := strings.Split(err.Error(), "\n")[i]; !strings.HasPrefix(line, start) {
			t.Errorf("line %d is %q, want it to begin with %q", i, line, start)
		}
	}
}

func TestLoad_NamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent.toml")
	if _, err := rehearsal.Load(path); err == nil || !strings.Contains(err.Error(), path) || !os.IsNotExist(unwrapAll(err)) {
		t.Errorf("got %v, want one that names %s", err, path)
	}
	if err := os.WriteFile(path, []byte("[[reply]]\ntext = 'hi'"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := rehearsal.Load(path); err != nil || s.Name != path || s.Replies[0].Text != "hi" {
		t.Errorf("got %+v, %v", s, err)
	}
}

func unwrapAll(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
}

func TestNew_RefusesAWrongScriptByPanicking(t *testing.T) {
	script := &rehearsal.Script{Replies: []rehearsal.Reply{{Text: "{{nope}}"}, {Fault: &rehearsal.Fault{Status: 99}}}}
	if err := script.Check(); err == nil || !strings.Contains(err.Error(), "reply 2, fault.status: 99") {
		t.Errorf("Check says %v", err)
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "reply 1, text: bad template") {
			t.Errorf("panicked with %v", r)
		}
	}()
	rehearsal.New(script, rehearsal.Options{})
}

func TestParse_LeavesTheScriptOfTheCallerAlone(t *testing.T) {
	args := rehearsal.Args{"path": "{{cwd}}/a"}
	script := rehearsal.Script{Replies: []rehearsal.Reply{{Calls: []rehearsal.Call{{Name: "Read", Args: args}}}}}
	_, url := start(t, script, rehearsal.Options{Vars: map[string]string{"cwd": "/srv"}})
	h := listen(t, rehearsal.WireChat, post(t, url+wires[2].path, say(wires[2].stream, "x")).body)
	if h.calls[0].arguments != `{"path":"/srv/a"}` || args["path"] != "{{cwd}}/a" {
		t.Errorf("sent %s, and the caller's arguments became %v", h.calls[0].arguments, args)
	}
}

func TestParse_AZeroInAReplysPaceOverridesTheScripts(t *testing.T) {
	s, err := rehearsal.Parse("s.toml", []byte(`
[pace]
first = "1h"
delay = "1h"
[[reply]]
text = "at once"
pace = { first = "0s", delay = "0s" }
[[reply]]
text = "slow"
`))
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Replies[0].Pace; p.First != rehearsal.NoWait || p.Delay != rehearsal.NoWait {
		t.Errorf("written zeros are %v and %v", p.First, p.Delay)
	}
	if p := s.Replies[1].Pace; p != (rehearsal.Pace{}) {
		t.Errorf("what is not written is %+v", p)
	}
}
