package studio

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"podium.local/session"
)

// ProcessTable is this machine's processes, as far as liveness needs them.
type ProcessTable interface {
	// Probe reports whether the process that was recorded as p still runs. A
	// create or boot time of zero was not recorded. A pid that another process
	// has by now, a zombie and a process from before the last start of the
	// machine are dead; one that may not be looked at is alive.
	Probe(p session.Process) Liveness
	// Hostname is the name that processes record as theirs.
	Hostname() string
	// Commands lists the command line of every process.
	Commands(ctx context.Context) ([]string, error)
}

// Bounds of one probe.
const (
	probeWait     = 2 * time.Second // how long a request waits before it takes unknown
	probesAtOnce  = 4
	snapshotAge   = time.Second
	snapshotLimit = 2 * time.Second
)

// identity is what a session's metadata records of its process.
type identity struct {
	known     bool // the metadata is an object
	mode      string
	foreign   bool // another machine's, or of a mode that says nothing here
	pid       int  // 0 for none
	createdAt float64
	bootTime  float64
}

// identityOf reads the process part of a session's metadata.
func identityOf(metadata *string, host string) identity {
	meta := storedDocument(metadata)
	if !meta.object() {
		return identity{}
	}
	id := identity{known: true, mode: "legacy"}
	pidKey, createKey := "pid", "pid_create_time"
	if mode, ok := meta.member("process_identity_mode"); ok {
		id.mode, _ = mode.text()
		switch id.mode {
		case "local":
		case "in_process":
			pidKey, createKey = "host_pid", "host_pid_create_time"
		default:
			id.foreign = true
		}
	}
	if h, ok := meta.member("pid_host"); ok {
		if name, isText := h.text(); isText && name != "" && name != host {
			id.foreign = true
		}
	}
	if v, ok := meta.member(pidKey); ok {
		id.pid = pidOf(v)
	}
	if v, ok := meta.member(createKey); ok {
		id.createdAt, _ = v.float()
	}
	if v, ok := meta.member("pid_boot_time"); ok {
		id.bootTime, _ = v.float()
	}
	return id
}

// pidOf reads a pid written as a number or as digits; 0 when it is neither.
func pidOf(v document) int {
	text := string(v)
	if s, ok := v.text(); ok {
		text = s
	}
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || pid <= 0 || pid > math.MaxInt32 {
		return 0
	}
	return pid
}

// prober finds out whether the processes of sessions live. Nothing of it runs
// on a request's goroutine; a request that would wait too long gets unknown.
type prober struct {
	table ProcessTable
	fence *fence
	slots chan struct{}

	mu       sync.Mutex // guards the snapshot fields
	snapshot *snapshot  // the newest published or running capture
}

// snapshot is one capture of the command lines of all processes.
type snapshot struct {
	started time.Time
	done    chan struct{} // closed when the rest is set
	lines   []string
	err     error
}

func newProber(table ProcessTable, f *fence) *prober {
	return &prober{table: table, fence: f, slots: make(chan struct{}, probesAtOnce)}
}

// probe answers for every running row, in order; others are unknown. Rows of
// other machines are not looked at when skipForeign is set.
func (p *prober) probe(ctx context.Context, rows []*session.Row, skipForeign bool) []Liveness {
	out := make([]Liveness, len(rows))
	any := false
	for _, r := range rows {
		any = any || running(r)
	}
	if !any {
		return out
	}
	select {
	case p.slots <- struct{}{}:
	default:
		return out // every worker is stuck on a slow disk or process table
	}
	wait, cancel := context.WithTimeout(ctx, probeWait)
	answers := make(chan []Liveness, 1)
	go func() {
		defer func() { <-p.slots }()
		defer cancel()
		answers <- p.resolve(wait, rows, skipForeign)
	}()
	select {
	case found := <-answers:
		return found
	case <-wait.Done():
		select {
		case found := <-answers:
			return found
		default:
			return out
		}
	}
}

// resolve works through the rows: recorded identities first, then one shared
// look at the process table for those that have none.
func (p *prober) resolve(ctx context.Context, rows []*session.Row, skipForeign bool) []Liveness {
	out := make([]Liveness, len(rows))
	var unresolved []int
	for i, r := range rows {
		if !running(r) {
			continue
		}
		id := identityOf(r.NodeMetadata, p.table.Hostname())
		if id.foreign && (skipForeign || id.pid != 0 || !knownMode(id.mode)) {
			continue
		}
		if id.pid == 0 && r.ArtifactsPath != nil {
			id.pid = p.fence.recordedPID(*r.ArtifactsPath)
		}
		if id.pid == 0 {
			unresolved = append(unresolved, i)
			continue
		}
		out[i] = p.table.Probe(session.Process{PID: id.pid, CreateTime: id.createdAt, BootTime: id.bootTime})
	}
	if len(unresolved) == 0 {
		return out
	}
	lines, err := p.commands(ctx)
	if err != nil {
		return out
	}
	for _, i := range unresolved {
		if id := rows[i].ID; id != "" && mentions(lines, id) {
			out[i] = Alive
		}
	}
	return out
}

func knownMode(mode string) bool {
	return mode == "legacy" || mode == "local" || mode == "in_process"
}

// commands returns a capture of the process table that is at most
// snapshotAge old; concurrent callers share one.
func (p *prober) commands(ctx context.Context) ([]string, error) {
	p.mu.Lock()
	s := p.snapshot
	if s == nil || time.Since(s.started) > snapshotAge && s.finished() {
		s = &snapshot{started: time.Now(), done: make(chan struct{})}
		p.snapshot = s
		go p.capture(s)
	}
	p.mu.Unlock()
	select {
	case <-s.done:
		return s.lines, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// capture fills s. It has a deadline of its own, so that one request that
// goes away does not take it from the others.
func (p *prober) capture(s *snapshot) {
	ctx, cancel := context.WithTimeout(context.Background(), snapshotLimit)
	defer cancel()
	s.lines, s.err = p.table.Commands(ctx)
	close(s.done)
}

func (s *snapshot) finished() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func mentions(lines []string, id string) bool {
	for _, line := range lines {
		if strings.Contains(line, id) {
			return true
		}
	}
	return false
}
