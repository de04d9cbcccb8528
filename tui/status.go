package tui

import (
	"fmt"
	"strings"
	"time"

	"podium.local/protocol"
)

// connection is how the client is connected.
type connection int

const (
	connecting connection = iota
	connected
	disconnected
	ended
)

// status is what is known of the pod.
type status struct {
	pod, model string
	state      protocol.PodState
	session    string
	// since is when the state began, zero when unknown.
	since   time.Time
	clients uint64
	queued  uint64
	retry   *protocol.Retry
	// base says that the pod speaks the base vocabulary only: then the state is
	// read off the events.
	base    bool
	conn    connection
	attempt int
	// silent says that the pod leaves what it is asked unanswered.
	silent bool
	// gone says that nobody answers where the pod was.
	gone bool
	// totals are those of the session, before those of the sessions that it was
	// compacted from.
	totals, before totals
	// run holds the requests of the run that is on.
	run       totals
	runBegan  time.Time
	runActive bool
	// asking says that a request to the model has no end yet, answered that
	// something of its answer came.
	asking, answered bool
	// context is the occupancy in tokens, limit what fits; 0 is unknown.
	context, limit int64
}

// totals add up what requests cost.
type totals struct {
	requests int
	// in is net of what was read from the cache.
	in, out int64
	cost    *float64
	// partial says that the cost of some request is unknown.
	partial bool
}

func (t *totals) add(u protocol.Usage) {
	if u.InputTokens != nil {
		t.in += int64(*u.InputTokens)
	}
	if u.OutputTokens != nil {
		t.out += int64(*u.OutputTokens)
	}
	if u.Extra == nil {
		return
	}
	t.in -= min(t.in, int64(u.Extra.CacheReadTokens))
	if u.Extra.CostUSD == nil {
		// Nothing was used, so nothing lacks a price.
		t.partial = t.partial || u.InputTokens != nil && *u.InputTokens > 0 || u.OutputTokens != nil && *u.OutputTokens > 0
		return
	}
	sum := *u.Extra.CostUSD
	if t.cost != nil {
		sum += *t.cost
	}
	t.cost = &sum
}

// totalsOf are the totals that a pod tells.
func totalsOf(u protocol.Usage) (t totals) {
	t.add(u)
	t.partial = t.partial || u.CostPartial
	return t
}

// plus is the sum of two.
func (t totals) plus(o totals) totals {
	sum := totals{requests: t.requests + o.requests, in: t.in + o.in, out: t.out + o.out, cost: t.cost, partial: t.partial || o.partial}
	if o.cost != nil {
		cost := *o.cost
		if t.cost != nil {
			cost += *t.cost
		}
		sum.cost = &cost
	}
	return sum
}

// brokenOff marks the sums when a request ends without its answer: what its
// vendor takes for it is not known.
func (s *status) brokenOff() {
	if s.asking {
		s.run.partial, s.totals.partial, s.asking = true, true, false
	}
}

// refused takes note that the request failed: a vendor takes nothing for one
// that it did not begin to answer.
func (s *status) refused(code protocol.ErrorCode) {
	s.asking = s.asking && (s.answered || code != protocol.CodeProviderError)
}

// measure takes the occupancy that a usage tells.
func (s *status) measure(u protocol.Usage) {
	switch {
	case u.Extra != nil && u.Extra.ContextTokens > 0:
		s.context = int64(u.Extra.ContextTokens)
	case u.Extra == nil && u.InputTokens != nil:
		s.context = int64(*u.InputTokens)
	}
	if u.Extra != nil && u.Extra.ContextLimit != nil {
		s.limit = int64(*u.Extra.ContextLimit)
	}
}

// enter changes the state.
func (s *status) enter(state protocol.PodState, since time.Time) {
	if s.state != state || !since.Equal(s.since) {
		s.state, s.since = state, since
	}
}

// busy reports whether a run or compaction is on.
func (s *status) busy() bool {
	return s.state == protocol.StateRunning || s.state == protocol.StateCompacting
}

// shape and style of the state; the word always stands beside them.
func (s *status) shape(r *renderer, now time.Time) string {
	switch {
	case s.conn == ended:
		return r.soft.Render(r.cancelled)
	case s.conn != connected, s.silent:
		return r.lost.Render(r.theme.shapes.lost)
	}
	switch s.state {
	case protocol.StateRunning:
		return r.running.Render(r.spin(now))
	case protocol.StateCompacting:
		return r.compacting.Render(r.theme.shapes.compacting)
	case protocol.StatePaused:
		return r.paused.Render(r.theme.shapes.paused)
	default:
		return r.idle.Render(r.theme.shapes.idle)
	}
}

// word is the state for a person.
func (s *status) word(r *renderer) string {
	switch s.conn {
	case ended:
		return r.soft.Render("ended")
	case connecting:
		return r.lost.Render("connecting")
	case disconnected:
		return r.lost.Render(fmt.Sprintf("connection lost, attempt %d", s.attempt))
	}
	if s.silent {
		return r.lost.Render("not answering")
	}
	word := cleanLine(string(s.state))
	if word == "" {
		word = "unknown"
	}
	if s.state == protocol.StateRunning && s.retry != nil {
		return r.waiting.Render(fmt.Sprintf("retry %d", s.retry.Attempt))
	}
	style := map[protocol.PodState]func(...string) string{
		protocol.StateRunning: r.running.Render, protocol.StateCompacting: r.compacting.Render, protocol.StatePaused: r.paused.Render,
	}[s.state]
	if style == nil {
		style = r.idle.Render
	}
	return style(word)
}

// line is the status line: its fields drop from the right until it fits.
func (s *status) line(r *renderer, width int, now time.Time) string {
	fields := []string{r.bold.Render(cleanLine(s.pod)), s.word(r)}
	soft := func(text string) { fields = append(fields, r.soft.Render(text)) }
	if s.session != "" {
		soft(cleanLine(protocol.ShortID(s.session)))
	}
	if s.model != "" {
		soft(cleanLine(s.model))
	}
	soft(s.contextWord(r))
	spent := s.totals.plus(s.before)
	soft(fmt.Sprintf("%s%s %s%s", r.up, tokens(spent.in), r.down, tokens(spent.out)))
	soft(money(spent.cost, spent.partial, r.dash))
	if !s.since.IsZero() && s.conn == connected {
		soft(clock(now.Sub(s.since)))
	} else {
		soft(r.dash)
	}
	if s.clients > 0 {
		soft(plural(int(min(s.clients, 1<<20)), "client"))
	}
	if s.conn == connected {
		soft(map[bool]string{true: "base", false: "connected"}[s.base])
	}
	for n := len(fields); n > 1; n-- {
		line := s.shape(r, now) + " " + strings.Join(fields[:n], r.soft.Render(r.dot))
		if r.method.StringWidth(line) <= width {
			return line
		}
	}
	return r.fit(s.shape(r, now)+" "+fields[0], width)
}

// contextWord is how full the context is.
func (s *status) contextWord(r *renderer) string {
	switch {
	case s.context == 0: // nothing was measured yet
		return "ctx " + r.dash
	case s.limit == 0:
		return "ctx " + tokens(s.context)
	case s.context*100 < s.limit:
		return "ctx <1%"
	default:
		return fmt.Sprintf("ctx %d%%", s.context*100/s.limit)
	}
}

// runWords are the statistics of a run that has ended.
func (s *status) runWords(r *renderer, result protocol.RunResult, now time.Time) string {
	var parts []string
	switch result {
	case protocol.RunFinished:
	case protocol.RunLimitReached:
		parts = append(parts, "turn limit reached")
	case protocol.RunRolledBack:
		parts = append(parts, "taken back")
	default:
		parts = append(parts, cleanLine(string(result)))
	}
	if s.run.requests > 0 {
		parts = append(parts, plural(s.run.requests, "request"))
	}
	if s.run.in > 0 || s.run.out > 0 {
		parts = append(parts, fmt.Sprintf("%s%s %s%s", r.up, tokens(s.run.in), r.down, tokens(s.run.out)))
	}
	if s.run.cost != nil {
		parts = append(parts, money(s.run.cost, s.run.partial, r.dash))
	}
	if !s.runBegan.IsZero() {
		parts = append(parts, clock(now.Sub(s.runBegan)))
	}
	if len(parts) == 0 {
		return "finished"
	}
	return strings.Join(parts, r.dot)
}
