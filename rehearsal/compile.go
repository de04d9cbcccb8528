package rehearsal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// compiled is a script with its patterns and templates parsed.
type compiled struct {
	script  Script
	actors  []compiledActor
	replies []compiledReply
}

type compiledActor struct {
	name                string
	model, system, user pattern
}

type compiledReply struct {
	Reply
	label                string
	user, system, result pattern
	parts                []compiledPart
}

type compiledPart struct {
	kind partKind
	text text
	name string
	// args are a call's arguments; nil when text holds them.
	args any
}

// pattern is text that must occur, or a regular expression.
type pattern struct {
	plain string
	re    *regexp.Regexp
}

func compilePattern(s string) (pattern, error) {
	if len(s) < 2 || !strings.HasPrefix(s, "/") || !strings.HasSuffix(s, "/") {
		return pattern{plain: s}, nil
	}
	re, err := regexp.Compile(s[1 : len(s)-1])
	if err != nil {
		return pattern{}, fmt.Errorf("bad regular expression %s: %w; plain text stands without slashes", s, err)
	}
	return pattern{re: re}, nil
}

// in reports whether the pattern occurs in s; the empty one always does.
func (p pattern) in(s string) bool {
	if p.re != nil {
		return p.re.MatchString(s)
	}
	return strings.Contains(s, p.plain)
}

// names reports whether the pattern is all of s, or its expression matches.
func (p pattern) names(s string) bool {
	if p.re != nil {
		return p.re.MatchString(s)
	}
	return p.plain == "" || p.plain == s
}

// Check says everything that is wrong with the script, or nil. Parse and Load
// have called it.
func (s *Script) Check() error {
	_, err := s.compile(func(string) string { return "" })
	return err
}

// compiler collects the faults of a script. where turns the path of a setting
// (reply[2].fault.status) into the place a message begins with.
type compiler struct {
	where func(path string) string
	errs  []error
}

func (c *compiler) errorf(path, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s%s: %s", c.where(path), spoken(path), fmt.Sprintf(format, args...)))
}

var arrayIndex = regexp.MustCompile(`^([a-z]+)\[(\d+)\]\.?`)

// spoken is a path as people count: reply[2].fault.status is "reply 3,
// fault.status".
func spoken(path string) string {
	m := arrayIndex.FindStringSubmatch(path)
	if m == nil {
		return path
	}
	var i int
	fmt.Sscan(m[2], &i)
	head := fmt.Sprintf("%s %d", m[1], i+1)
	if rest := path[len(m[0]):]; rest != "" {
		return head + ", " + spoken(rest)
	}
	return head
}

func (s *Script) compile(where func(path string) string) (*compiled, error) {
	c := &compiler{where: where}
	out := &compiled{script: *s}
	if s.Context < 0 {
		c.errorf("server.context", "%d is negative; give the size in tokens, or 0 for no limit", s.Context)
	}
	c.oneOf("server.reasoning_field", s.ReasoningField, "", "reasoning_content", "reasoning", "none")
	c.pace("pace", s.Pace)
	for i, a := range s.Actors {
		out.actors = append(out.actors, c.actor(fmt.Sprintf("actor[%d]", i), a, out.actors))
	}
	for i, r := range s.Replies {
		out.replies = append(out.replies, c.reply(fmt.Sprintf("reply[%d]", i), i, r, out.actors))
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	return out, nil
}

func (c *compiler) oneOf(path, have string, allowed ...string) {
	if !slices.Contains(allowed, have) {
		named := slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return s == "" })
		c.errorf(path, "unknown word %q; use one of %s", have, strings.Join(named, ", "))
	}
}

func (c *compiler) pattern(path, s string) pattern {
	p, err := compilePattern(s)
	if err != nil {
		c.errorf(path, "%v", err)
	}
	return p
}

func (c *compiler) text(path, s string) text {
	t, err := parseText(s)
	if err != nil {
		c.errorf(path, "%v", err)
	}
	return t
}

func (c *compiler) pace(path string, p Pace) {
	if p.First < 0 || p.Delay < 0 {
		c.errorf(path, "a delay is negative; give durations like \"40ms\"")
	}
	c.oneOf(path+".chunk", p.Chunk, "", "word", "char", "line", "whole")
}

func (c *compiler) actor(path string, a Actor, before []compiledActor) compiledActor {
	if a.Name == "" {
		c.errorf(path, "has no name; replies name their actor by it")
	}
	if a.Model == "" && a.System == "" && a.User == "" {
		c.errorf(path, "matches every request; say which by model, system or user")
	}
	if slices.ContainsFunc(before, func(b compiledActor) bool { return b.name == a.Name }) {
		c.errorf(path+".name", "two actors are called %q; give each a name of its own", a.Name)
	}
	return compiledActor{
		name: a.Name, model: c.pattern(path+".model", a.Model),
		system: c.pattern(path+".system", a.System), user: c.pattern(path+".user", a.User),
	}
}

func (c *compiler) reply(path string, i int, r Reply, actors []compiledActor) compiledReply {
	out := compiledReply{Reply: r, label: r.Name}
	if out.label == "" {
		out.label = fmt.Sprintf("reply %d", i+1)
	}
	if r.Actor != "" && !slices.ContainsFunc(actors, func(a compiledActor) bool { return a.name == r.Actor }) {
		var names []string
		for _, a := range actors {
			names = append(names, a.name)
		}
		has := "the script has none"
		if len(names) > 0 {
			has = "the script has: " + strings.Join(names, ", ")
		}
		c.errorf(path+".actor", "no actor is called %q; %s", r.Actor, has)
	}
	if r.Default && r.When.any() {
		c.errorf(path+".default", "a default reply has no conditions; drop default or when")
	}
	if r.Times < 0 || r.When.Turn < 0 || r.When.Step < 0 {
		c.errorf(path, "times, turn and step count from 1; leave them out for no limit")
	}
	c.oneOf(path+".when.last", r.When.Last, "", "user", "tool")
	c.oneOf(path+".stop", string(r.Stop), "", string(StopEnd), string(StopToolCalls), string(StopMaxTokens), string(StopRefusal), string(StopFilter))
	c.pace(path+".pace", r.Pace)
	c.usage(path+".usage", r.Usage)
	c.fault(path+".fault", r.Fault)
	if r.Hold != nil && (r.Hold.After < 0 || r.Hold.Until == nil) {
		c.errorf(path+".hold", "needs a channel to wait for and a number of deltas from 0")
	}
	out.user = c.pattern(path+".when.user", r.When.User)
	out.system = c.pattern(path+".when.system", r.When.System)
	out.result = c.pattern(path+".when.result", r.When.Result)
	out.parts = c.parts(path, r)
	return out
}

func (c *compiler) parts(path string, r Reply) (out []compiledPart) {
	if len(r.Parts) > 0 && (r.Reasoning != "" || r.Text != "" || len(r.Calls) > 0) {
		c.errorf(path, "has parts beside reasoning, text or tool; use one way or the other")
	}
	if r.Reasoning != "" {
		out = append(out, compiledPart{kind: partReasoning, text: c.text(path+".reasoning", r.Reasoning)})
	}
	if r.Text != "" {
		out = append(out, compiledPart{kind: partText, text: c.text(path+".text", r.Text)})
	}
	for i, call := range r.Calls {
		out = append(out, c.call(fmt.Sprintf("%s.tool[%d]", path, i), call))
	}
	for i, p := range r.Parts {
		at := fmt.Sprintf("%s.part[%d]", path, i)
		switch {
		case p.Call != nil && p.Text == "" && p.Reasoning == "":
			out = append(out, c.call(at+".tool", *p.Call))
		case p.Call == nil && p.Reasoning != "" && p.Text == "":
			out = append(out, compiledPart{kind: partReasoning, text: c.text(at+".reasoning", p.Reasoning)})
		case p.Call == nil && p.Reasoning == "":
			out = append(out, compiledPart{kind: partText, text: c.text(at+".text", p.Text)})
		default:
			c.errorf(at, "holds several things; a part is reasoning, text or a tool")
		}
	}
	return out
}

func (c *compiler) call(path string, call Call) compiledPart {
	out := compiledPart{kind: partCall, name: call.Name}
	if !openAIToolName.MatchString(call.Name) {
		c.errorf(path+".name", "%q is no tool name; vendors take letters, digits, _ and -, at most 64", call.Name)
	}
	switch args := call.Args.(type) {
	case nil:
		out.text = text{plain: "{}"}
	case string:
		out.text = c.text(path+".arguments", args)
	default:
		raw, err := json.Marshal(args)
		if err == nil && !isObject(raw) {
			err = errors.New("they are no object")
		}
		if err == nil {
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			err = d.Decode(&out.args)
		}
		if err != nil {
			c.errorf(path+".arguments", "cannot be sent as JSON: %v; give a table, or the text to send", err)
			return out
		}
		out.args = c.arguments(path+".arguments", out.args)
	}
	return out
}

// arguments replaces the strings in v by parsed texts.
func (c *compiler) arguments(path string, v any) any {
	switch v := v.(type) {
	case string:
		return c.text(path, v)
	case []any:
		for i := range v {
			v[i] = c.arguments(path, v[i])
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = c.arguments(path+"."+key, v[key])
		}
	}
	return v
}

func (c *compiler) usage(path string, u *Usage) {
	if u == nil {
		return
	}
	if min(u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning) < 0 {
		c.errorf(path, "a count is negative; usage counts tokens")
	}
	if u.CacheRead+u.CacheWrite > u.Input {
		c.errorf(path, "cache_read and cache_write are parts of input, but %d + %d is more than %d", u.CacheRead, u.CacheWrite, u.Input)
	}
	if u.Reasoning > u.Output {
		c.errorf(path, "reasoning is a part of output, but %d is more than %d", u.Reasoning, u.Output)
	}
	if u.Omit && *u != (Usage{Omit: true}) {
		c.errorf(path, "omit stands beside counts; drop one")
	}
}

func (c *compiler) fault(path string, f *Fault) {
	if f == nil {
		return
	}
	c.oneOf(path+".kind", string(f.Kind), "", string(FaultStatus), string(FaultOverflow), string(FaultError), string(FaultErrorFlat), string(FaultFailed),
		string(FaultMalformed), string(FaultCut), string(FaultEnd), string(FaultStall), string(FaultHang), string(FaultReset))
	if f.Times < 0 || f.After < 0 {
		c.errorf(path, "times and after count from 1 and 0; leave them out for the default")
	}
	if (f.kind() == FaultStatus || f.Status != 0) && (f.Status < http.StatusBadRequest || f.Status > 599) {
		c.errorf(path+".status", "%d is not the status of an error; use 400 to 599", f.Status)
	}
	if !f.worded() && (f.Status != 0 || f.Type != "" || f.Code != "" || f.Message != "") {
		c.errorf(path, "%s sends no error, so it takes no status, type, code or message", f.kind())
	}
	if !f.inStream() && f.After != 0 {
		c.errorf(path+".after", "counts deltas of a stream, and %s comes before any", f.kind())
	}
	if f.RetryAfter != nil && *f.RetryAfter < 0 || f.Ping < 0 {
		c.errorf(path, "a time is negative; give durations like \"2s\"")
	}
	if f.RetryAfter != nil && f.kind() != FaultStatus {
		c.errorf(path+".retry_after", "goes with a status; %s sends none", f.kind())
	}
	if f.Ping > 0 && f.kind() != FaultStall {
		c.errorf(path+".ping", "goes with kind = \"stall\"")
	}
}

func (f *Fault) kind() FaultKind {
	if f.Kind == "" {
		return FaultStatus
	}
	return f.Kind
}

// worded reports whether the fault sends an error that the script may word.
func (f *Fault) worded() bool { return f.kind() == FaultStatus || f.broken() }

// broken reports whether the fault puts an error into the stream.
func (f *Fault) broken() bool {
	return slices.Contains([]FaultKind{FaultError, FaultErrorFlat, FaultFailed}, f.kind())
}

// inStream reports whether the fault strikes after the stream began.
func (f *Fault) inStream() bool {
	return f.broken() || slices.Contains([]FaultKind{FaultMalformed, FaultCut, FaultEnd, FaultStall}, f.kind())
}
