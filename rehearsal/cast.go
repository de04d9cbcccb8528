package rehearsal

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// cast decides who answers what. It owns the counts of what was given.
type cast struct {
	*compiled
	vars map[string]string

	mu    sync.Mutex
	given []int // by reply: how often it was given whole
	faced []int // by reply: how often its fault was met
}

func newCast(c *compiled, vars map[string]string) *cast {
	return &cast{compiled: c, vars: vars, given: make([]int, len(c.replies)), faced: make([]int, len(c.replies))}
}

// cue is what was chosen for a request.
type cue struct {
	reply *compiledReply
	// fault is set when this request meets the reply's fault.
	fault *Fault
}

// actor is the name of the first actor that the request belongs to, or empty.
func (c *cast) actor(p *prompt) string {
	for _, a := range c.actors {
		if a.model.names(p.model) && a.system.in(p.system) && a.user.in(p.userTexts()) {
			return a.name
		}
	}
	return ""
}

// tooLong is the cue of a prompt that the model played does not hold.
var tooLong = cue{&compiledReply{label: "context limit"}, &Fault{Kind: FaultOverflow}}

// take chooses the reply for a request and counts it. A prompt that is too
// long uses no reply up.
func (c *cast) take(p *prompt, actor string) (cue, error) {
	if c.script.Context > 0 && p.tokens() > c.script.Context {
		return tooLong, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.choose(p, actor)
	if i < 0 && c.script.Repeat && c.rewind(actor) {
		i = c.choose(p, actor)
	}
	if i < 0 {
		return cue{}, c.nothing(p, actor)
	}
	r := &c.replies[i]
	if f := r.Fault; f != nil {
		// A fault without times replaces the reply; with times it comes before.
		if f.Times == 0 {
			c.given[i]++
			return cue{r, f}, nil
		}
		if c.faced[i] < f.Times {
			c.faced[i]++
			return cue{r, f}, nil
		}
	}
	c.given[i]++
	return cue{reply: r}, nil
}

// choose is the index of the reply to give, or -1: rules first, then what is
// next in order, then a default; in each, the actor's own before the common.
func (c *cast) choose(p *prompt, actor string) int {
	for _, stage := range []func(*compiledReply) bool{
		func(r *compiledReply) bool { return r.When.any() && r.holds(p) },
		(*compiledReply).ordered,
		func(r *compiledReply) bool { return r.Default },
	} {
		for _, owner := range owners(actor) {
			for i := range c.replies {
				r := &c.replies[i]
				if r.Actor == owner && stage(r) && !c.spent(i) {
					return i
				}
			}
		}
	}
	return -1
}

func owners(actor string) []string {
	if actor == "" {
		return []string{""}
	}
	return []string{actor, ""}
}

func (c *cast) spent(i int) bool {
	times := c.replies[i].Times
	if times == 0 && c.replies[i].ordered() {
		times = 1
	}
	return times > 0 && c.given[i] >= times
}

// rewind makes the replies in order fresh again; false when there are none.
func (c *cast) rewind(actor string) (any bool) {
	for _, owner := range owners(actor) {
		for i := range c.replies {
			if r := &c.replies[i]; r.Actor == owner && r.ordered() {
				c.given[i], c.faced[i], any = 0, 0, true
			}
		}
	}
	return any
}

func (c *cast) nothing(p *prompt, actor string) error {
	who := "a request"
	if actor != "" {
		who = "actor " + actor
	}
	return fmt.Errorf("the script has no reply left for %s (model %s, turn %d, newest text %q); add a [[reply]], or one with default = true",
		who, p.model, p.turn(), shorten(p.user(), 60))
}

// ordered replies are given once each, in the order of the file.
func (r *compiledReply) ordered() bool { return !r.Default && !r.When.any() }

// holds reports whether all conditions of the rule do.
func (r *compiledReply) holds(p *prompt) bool {
	w := r.When
	switch {
	case w.Turn != 0 && w.Turn != p.turn(),
		w.Step != 0 && w.Step != p.step(),
		w.Last != "" && w.Last != p.last(),
		w.After != "" && !p.after(w.After),
		w.Offers != "" && !p.offers(w.Offers),
		w.Result != "" && (p.results() == nil || !r.result.in(p.result())):
		return false
	}
	return r.user.in(p.user()) && r.system.in(p.system)
}

// perform makes the chosen reply ready for the request.
func (c *cast) perform(q cue, p *prompt, actor string, id ids, now time.Time) (*answer, error) {
	a := &answer{prompt: p, ids: id, created: now, stop: q.reply.Stop, reasoningField: c.script.ReasoningField}
	s := &scene{prompt: p, actor: actor, vars: c.vars}
	for _, cp := range q.reply.parts {
		filled, err := s.part(cp)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.reply.label, err)
		}
		a.parts = append(a.parts, filled)
	}
	number(a.parts)
	if a.stop == "" {
		a.stop = StopEnd
		if slices.ContainsFunc(a.parts, func(p part) bool { return p.kind == partCall }) {
			a.stop = StopToolCalls
		}
	}
	if u := q.reply.Usage; u != nil {
		a.usage = *u
	} else {
		a.usage = a.estimate()
	}
	return a, nil
}

// estimate counts four bytes a token.
func (a *answer) estimate() Usage {
	var spoken, thought int
	for _, p := range a.parts {
		spoken += len(p.text) + len(p.name)
		if p.kind == partReasoning {
			thought += len(p.text)
		}
	}
	return Usage{Input: a.prompt.tokens(), Output: max(1, tokens(spoken)), Reasoning: tokens(thought)}
}

func (s *scene) part(cp compiledPart) (part, error) {
	out := part{kind: cp.kind, name: cp.name}
	if cp.args != nil {
		args, err := s.fillAll(cp.args)
		if err != nil {
			return out, err
		}
		out.text = string(encode(args))
		return out, nil
	}
	var err error
	out.text, err = s.fill(cp.text)
	return out, err
}

// fillAll copies v with its texts filled in.
func (s *scene) fillAll(v any) (any, error) {
	var errs []error
	switch v := v.(type) {
	case text:
		return s.fill(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var err error
			out[i], err = s.fillAll(v[i])
			errs = append(errs, err)
		}
		return out, errors.Join(errs...)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			var err error
			out[key], err = s.fillAll(v[key])
			errs = append(errs, err)
		}
		return out, errors.Join(errs...)
	default:
		return v, nil
	}
}
