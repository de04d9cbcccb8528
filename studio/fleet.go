package studio

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"podium.local/protocol"
	"podium.local/session"
)

// Bounds of the fleet.
const (
	maxActiveRuns = 500
	maxFailedRuns = 50
	failedFor     = 24 * time.Hour
	// looksAtOnce is how many pods are asked at the same time.
	looksAtOnce = 32
	// lookLimit is how long one answer without a stream may take in all.
	lookLimit = 10 * time.Second
)

// Statuses of sessions that run, wait for a person or are queued, in every
// spelling that a store may hold, and of those that went wrong.
var (
	activeStatuses = slices.Concat(waitingStatuses, []string{
		"running", "executing", "in_progress", "director-managed",
		"queued", "pending", "planned", "received", "waiting", "scheduled",
	})
	failedStatuses = []string{"failed", "timed_out"}
)

// fleetPod is one pod. podium ps says the same words and numbers.
type fleetPod struct {
	Name          string      `json:"name"`
	PodID         string      `json:"pod_id"`
	SessionID     *string     `json:"session_id"`
	Title         *string     `json:"title" doc:"The session's name; null while it has none."`
	State         string      `json:"state" enum:"idle,running,paused,compacting,unresponsive,dead" doc:"unresponsive: the pod does not answer within 2 seconds; dead: its process was killed."`
	Tool          *string     `json:"tool" doc:"The oldest tool call that runs."`
	Model         *string     `json:"model"`
	Project       *string     `json:"project"`
	Cwd           string      `json:"cwd"`
	StartedAt     number      `json:"started_at"`
	Since         *number     `json:"since" nullable:"true" doc:"Since when it is in its state; of a dead pod, when it last started or wrote; of an unresponsive one, when it last answered while it was followed, else null."`
	ContextTokens *int64      `json:"context_tokens"`
	ContextLimit  *int64      `json:"context_limit"`
	InputTokens   *int64      `json:"input_tokens" doc:"Of the session so far; null is unknown."`
	OutputTokens  *int64      `json:"output_tokens"`
	CostUSD       *number     `json:"cost_usd" nullable:"true" doc:"null is unknown, never 0."`
	CostPartial   bool        `json:"cost_partial" doc:"Some requests have no known price."`
	Clients       int64       `json:"clients" doc:"Connections. While a stream is open the daemon's own is one of them."`
	Attention     *attention  `json:"attention" doc:"What the pod waits for a person with; null when it does not."`
	Problem       *podProblem `json:"problem" doc:"Why the newest compaction failed, as far as an open stream heard it; null once another one or a run begins."`
}

// podProblem is what failed in a pod, in its own words.
type podProblem struct {
	Text string `json:"text"`
	At   number `json:"at"`
}

// fleetRun is a row of the runs listing with its attention.
type fleetRun struct {
	runRow
	Attention *attention `json:"attention" doc:"null when nobody is waited for."`
}

// TransformSchema lets a pod's attention and its problem be null.
func (fleetPod) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return orNone(orNone(s, "attention"), "problem")
}

// TransformSchema adds the listing's row.
func (fleetRun) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return orNone(withMembersOf(r, s, runRow{}), "attention")
}

// orNone lets a member be null; a reference alone cannot say so.
func orNone(s *huma.Schema, member string) *huma.Schema {
	there := *s.Properties[member]
	text := there.Description
	there.Description = ""
	s.Properties[member] = &huma.Schema{Description: text, OneOf: []*huma.Schema{&there, {Type: "null"}}}
	return s
}

// fleetBody is the answer of GET /api/pods and the content of a reset.
type fleetBody struct {
	AsOf            number     `json:"as_of"`
	Pods            []fleetPod `json:"pods" nullable:"false" doc:"Every pod that has not ended, by name."`
	Runs            []fleetRun `json:"runs" nullable:"false" doc:"At most 500 that run, are queued or wait, newest first, then at most 50 that failed within a day."`
	Truncated       bool       `json:"truncated" doc:"More than 500 are stored as running, queued or waiting."`
	FailedTruncated bool       `json:"failed_truncated" doc:"More than 50 failed within a day."`
}

// sight is what was read of the store and asked of the pods, before any rule of
// display.
type sight struct {
	fleet session.Fleet
	looks map[podKey]PodLook
}

// podKey names one life of a pod: another process is another key.
type podKey struct {
	id      protocol.PodID
	process session.Process
}

func keyOf(p *session.Pod) podKey { return podKey{p.ID, p.Process} }

// fleet is the daemon's view of what goes on. Without a stream it reads when it
// is asked; with one, watch keeps it.
type fleet struct {
	server *Server
	watch  *fleetWatch

	mu sync.Mutex // guards what follows
	// pending is the answer that is being made without a stream.
	pending *pendingFleet
}

// pendingFleet is an answer that several requests wait for.
type pendingFleet struct {
	done chan struct{} // closed when the rest is set
	body fleetBody
	err  error
}

// getPods answers GET /api/pods.
func (s *Server) getPods(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	if body, ok := s.fleet.watch.body(); ok {
		return body, nil
	}
	return s.fleet.once(r.Context())
}

// once reads the store and asks every pod. Requests that come together share
// one answer, so that polling costs the pods no more the more pages poll.
func (f *fleet) once(ctx context.Context) (fleetBody, error) {
	f.mu.Lock()
	p := f.pending
	if p == nil {
		p = &pendingFleet{done: make(chan struct{})}
		err := f.server.inBackground(func() {
			ctx, cancel := context.WithTimeout(f.server.base, lookLimit)
			defer cancel()
			p.body, p.err = f.look(ctx)
			f.mu.Lock()
			f.pending = nil
			f.mu.Unlock()
			close(p.done)
		})
		if err != nil {
			f.mu.Unlock()
			return fleetBody{}, err
		}
		f.pending = p
	}
	f.mu.Unlock()
	select {
	case <-p.done:
		return p.body, p.err
	case <-ctx.Done():
		return fleetBody{}, ctx.Err()
	}
}

// look is one reading of everything.
func (f *fleet) look(ctx context.Context) (fleetBody, error) {
	seen := sight{looks: make(map[podKey]PodLook)}
	var err error
	if seen.fleet, err = f.read(ctx, nil); err != nil {
		return fleetBody{}, err
	}
	looks := make([]PodLook, len(seen.fleet.Pods))
	slots := make(chan struct{}, looksAtOnce)
	var asked sync.WaitGroup
	for i := range seen.fleet.Pods {
		asked.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			looks[i] = f.server.cfg.Pods.Look(ctx, seen.fleet.Pods[i].Pod)
		})
	}
	asked.Wait()
	for i := range looks {
		seen.looks[keyOf(&seen.fleet.Pods[i].Pod)] = looks[i]
	}
	if off := switchedOff(&seen); off != nil {
		again, err := f.read(ctx, off)
		if err != nil {
			return fleetBody{}, err
		}
		seen.fleet = again
	}
	return f.show(&seen), nil
}

// read asks the store.
func (f *fleet) read(ctx context.Context, inputsSince map[protocol.PodID]float64) (session.Fleet, error) {
	f.server.metrics.fleetReads.Inc()
	return f.server.cfg.Sources.Fleet.Fleet(ctx, session.FleetQuery{
		Active: activeStatuses, ActiveLimit: maxActiveRuns,
		Failed: failedStatuses, FailedLimit: maxFailedRuns, FailedSince: session.UnixSeconds(f.server.now().Add(-failedFor)),
		InputsSince: inputsSince,
	})
}

// switchedOff are the pods that switched automatic compaction off, with when.
func switchedOff(seen *sight) map[protocol.PodID]float64 {
	var off map[protocol.PodID]float64
	for i := range seen.fleet.Pods {
		p := &seen.fleet.Pods[i]
		if at := seen.looks[keyOf(&p.Pod)].CompactionOff; !at.IsZero() {
			if off == nil {
				off = make(map[protocol.PodID]float64)
			}
			off[p.ID] = session.UnixSeconds(at)
		}
	}
	return off
}

// show applies the rules of display.
func (f *fleet) show(seen *sight) fleetBody {
	now := session.UnixSeconds(f.server.now())
	body := fleetBody{
		AsOf: number(now), Truncated: seen.fleet.Truncated, FailedTruncated: seen.fleet.FailedTruncated,
		Pods: make([]fleetPod, 0, len(seen.fleet.Pods)), Runs: make([]fleetRun, 0, len(seen.fleet.Active)+len(seen.fleet.Failed)),
	}
	for i := range seen.fleet.Pods {
		p := &seen.fleet.Pods[i]
		look, known := seen.looks[keyOf(&p.Pod)]
		if !known {
			look.State = protocol.PodState(p.Phase)
		}
		body.Pods = append(body.Pods, podOf(p, look))
	}
	rows := slices.Concat(pointers(seen.fleet.Active), pointers(seen.fleet.Failed))
	live := f.server.prober.probe(f.server.base, rows, true)
	earliest := now - failedFor.Seconds()
	for i, row := range rows {
		if i >= len(seen.fleet.Active) && endOf(row) < earliest {
			continue // it failed too long ago by now
		}
		body.Runs = append(body.Runs, fleetRun{runRow: runRowOf(row, now, live[i]), Attention: attends(nil, row)})
	}
	return body
}

// podOf joins a pod's row with what the pod says of itself.
func podOf(p *session.FleetPod, look PodLook) fleetPod {
	out := fleetPod{
		Name: p.Name, PodID: p.ID.String(), Title: titleOf(p.SessionName), State: string(look.State), Model: orNull(p.Model), Project: p.Project,
		Cwd: p.Cwd, StartedAt: number(session.UnixSeconds(p.StartedAt)), Tool: orNull(look.Tool), SessionID: orNull(p.SessionID),
		ContextTokens: signed(look.ContextTokens), ContextLimit: signed(look.ContextLimit), CostUSD: numberOf(p.CostUSD), CostPartial: p.CostPartial,
		InputTokens: p.InputTokens, OutputTokens: p.OutputTokens,
	}
	if look.SessionID != "" {
		out.SessionID = &look.SessionID
	}
	facts := podFacts{state: look.State, lastRun: p.LastRun, lastRunAt: p.LastRunAt, inputAt: unixOrZero(look.Input), compactionOff: unixOrZero(look.CompactionOff)}
	if look.State == PodDead {
		facts.since = p.SeenAt // the moment of looking says nothing of its end
	} else {
		facts.since = unixOrZero(look.Since)
	}
	if facts.since > 0 {
		since := number(facts.since)
		out.Since = &since
	}
	if p.InputSince {
		facts.compactionOff = 0
	}
	if look.Clients != nil {
		out.Clients = int64(*look.Clients)
	}
	if look.Problem != "" {
		out.Problem = &podProblem{look.Problem, number(unixOrZero(look.ProblemAt))}
	}
	out.Attention = attends(&facts, nil)
	return out
}

// titleOf is the stored name of a session as listings clean it; null when
// nothing is left of it.
func titleOf(name *string) *string {
	s := stripped(name)
	if s == "" || placeholderName(s) {
		return nil
	}
	return orNull(cleanPrompt(s))
}

// endOf is when a row ended, as far as it is known.
func endOf(r *session.Row) float64 {
	if r.EndedAt != nil {
		return *r.EndedAt
	}
	return lastChange(r)
}

func unixOrZero(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return session.UnixSeconds(t)
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func signed(n *uint64) *int64 {
	if n == nil {
		return nil
	}
	v := int64(*n)
	return &v
}

// podPath reports the paths of pods: they never have CORS.
func podPath(p string) bool {
	return p == "/api/pods" || strings.HasPrefix(p, "/api/pods/") || strings.HasPrefix(p, "/api/fleet/")
}

// noPod is the answer for a pod that is not there.
func noPod(name string) *problem {
	return failf(http.StatusNotFound, "No live pod is called '%s'", name)
}
