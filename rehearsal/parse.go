package rehearsal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// The document types are the script file as it is written; Script is the same
// as it is used. They differ where TOML has no word for a thing (durations,
// absence).
type document struct {
	Server struct {
		Key            string   `toml:"key"`
		Models         []string `toml:"models"`
		Context        int      `toml:"context"`
		Repeat         bool     `toml:"repeat"`
		ReasoningField string   `toml:"reasoning_field"`
	} `toml:"server"`
	Pace  documentPace `toml:"pace"`
	Actor []struct {
		Name   string `toml:"name"`
		Model  string `toml:"model"`
		System string `toml:"system"`
		User   string `toml:"user"`
	} `toml:"actor"`
	Reply []documentReply `toml:"reply"`
}

type documentPace struct {
	First *duration `toml:"first"`
	Delay *duration `toml:"delay"`
	Chunk string    `toml:"chunk"`
}

type documentReply struct {
	Name    string `toml:"name"`
	Actor   string `toml:"actor"`
	Default bool   `toml:"default"`
	Times   int    `toml:"times"`
	When    struct {
		Turn   int    `toml:"turn"`
		Step   int    `toml:"step"`
		User   string `toml:"user"`
		System string `toml:"system"`
		Result string `toml:"result"`
		Last   string `toml:"last"`
		After  string `toml:"after"`
		Offers string `toml:"offers"`
	} `toml:"when"`
	Reasoning string         `toml:"reasoning"`
	Text      *string        `toml:"text"`
	Tool      []documentTool `toml:"tool"`
	Part      []struct {
		Reasoning string        `toml:"reasoning"`
		Text      *string       `toml:"text"`
		Tool      *documentTool `toml:"tool"`
	} `toml:"part"`
	Stop  string         `toml:"stop"`
	Usage *documentUsage `toml:"usage"`
	Pace  documentPace   `toml:"pace"`
	Fault *documentFault `toml:"fault"`
}

type documentTool struct {
	Name      string `toml:"name"`
	Arguments any    `toml:"arguments"`
}

type documentUsage struct {
	Input      int  `toml:"input"`
	Output     int  `toml:"output"`
	CacheRead  int  `toml:"cache_read"`
	CacheWrite int  `toml:"cache_write"`
	Reasoning  int  `toml:"reasoning"`
	Omit       bool `toml:"omit"`
}

type documentFault struct {
	Kind       string    `toml:"kind"`
	Times      int       `toml:"times"`
	After      int       `toml:"after"`
	Status     int       `toml:"status"`
	RetryAfter *duration `toml:"retry_after"`
	Type       string    `toml:"type"`
	Code       string    `toml:"code"`
	Message    string    `toml:"message"`
	Ping       duration  `toml:"ping"`
}

// duration is written as "1.5s" or "40ms".
type duration time.Duration

// UnmarshalText reads a duration.
func (d *duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%q is no duration; write it like \"40ms\" or \"1.5s\"", b)
	}
	*d = duration(v)
	return nil
}

// Load reads a script file.
func Load(path string) (*Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read rehearsal script: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a script and checks it. Errors name the line, what is wrong and
// what to write instead; there may be several, one a line. name stands in
// them.
func Parse(name string, data []byte) (*Script, error) {
	var doc document
	d := toml.NewDecoder(bytes.NewReader(data))
	if err := d.DisallowUnknownFields().Decode(&doc); err != nil {
		return nil, explain(name, err)
	}
	script := doc.script(name)
	index := indexLines(data)
	where := func(path string) string { return fmt.Sprintf("%s:%d: ", name, index.line(path)) }
	_, err := script.compile(where)
	if err := errors.Join(err, doc.checkPresence(where)); err != nil {
		return nil, err
	}
	return script, nil
}

// explain gives a decoding error file and line.
func explain(name string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) {
		var errs []error
		for i := range unknown.Errors {
			row, _ := unknown.Errors[i].Position()
			key := unknown.Errors[i].Key()
			errs = append(errs, fmt.Errorf("%s:%d: unknown key %q; docs/rehearsal.md lists the keys of a script", name, row, key[len(key)-1]))
		}
		return errors.Join(errs...)
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		row, column := wrong.Position()
		return fmt.Errorf("%s:%d:%d: %s", name, row, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// checkPresence finds replies that say nothing at all, which an empty text
// does on purpose.
func (doc *document) checkPresence(where func(string) string) error {
	var errs []error
	for i, r := range doc.Reply {
		if r.Reasoning == "" && r.Text == nil && r.Tool == nil && r.Part == nil && r.Fault == nil {
			path := fmt.Sprintf("reply[%d]", i)
			errs = append(errs, fmt.Errorf("%s%s: has nothing to say; give it text, reasoning, tool, part or fault (text = \"\" is an empty answer)",
				where(path), spoken(path)))
		}
	}
	return errors.Join(errs...)
}

func (doc *document) script(name string) *Script {
	s := &Script{
		Name: name, Key: doc.Server.Key, Models: doc.Server.Models, Context: doc.Server.Context,
		Repeat: doc.Server.Repeat, ReasoningField: doc.Server.ReasoningField, Pace: doc.Pace.pace(),
	}
	for _, a := range doc.Actor {
		s.Actors = append(s.Actors, Actor(a))
	}
	for _, r := range doc.Reply {
		s.Replies = append(s.Replies, r.reply())
	}
	return s
}

func (p documentPace) pace() Pace {
	return Pace{First: p.First.wait(), Delay: p.Delay.wait(), Chunk: p.Chunk}
}

// wait is 0 for what was not written, NoWait for a zero that was.
func (d *duration) wait() time.Duration {
	switch {
	case d == nil:
		return 0
	case *d == 0:
		return NoWait
	default:
		return time.Duration(*d)
	}
}

func (r documentReply) reply() Reply {
	out := Reply{
		Name: r.Name, Actor: r.Actor, When: When(r.When), Default: r.Default, Times: r.Times,
		Reasoning: r.Reasoning, Stop: Stop(r.Stop), Pace: r.Pace.pace(),
	}
	if r.Text != nil {
		out.Text = *r.Text
	}
	for _, t := range r.Tool {
		out.Calls = append(out.Calls, t.call())
	}
	for _, p := range r.Part {
		part := Part{Reasoning: p.Reasoning}
		if p.Text != nil {
			part.Text = *p.Text
		}
		if p.Tool != nil {
			call := p.Tool.call()
			part.Call = &call
		}
		out.Parts = append(out.Parts, part)
	}
	if u := r.Usage; u != nil {
		usage := Usage(*u)
		out.Usage = &usage
	}
	if f := r.Fault; f != nil {
		out.Fault = &Fault{
			Kind: FaultKind(f.Kind), Times: f.Times, After: f.After, Status: f.Status, RetryAfter: (*time.Duration)(f.RetryAfter),
			Type: f.Type, Code: f.Code, Message: f.Message, Ping: time.Duration(f.Ping),
		}
	}
	return out
}

func (t documentTool) call() Call { return Call{Name: t.Name, Args: t.Arguments} }
