package studio_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"podium.local/session"
	"podium.local/studio"
)

const hour = 3600.0

func TestHealth_FollowsLivenessIdlenessAndKind(t *testing.T) {
	now := 1_000_000.0
	tests := []struct {
		name      string
		kind      string
		idle      float64
		live      studio.Liveness
		artifacts bool
		messages  int64
		want      string
	}{
		{"alive and busy", "agent", 10, studio.Alive, true, 1, "healthy"},
		{"alive at the idle floor", "agent", hour, studio.Alive, true, 1, "healthy"},
		{"alive past the idle floor", "agent", hour + 1, studio.Alive, true, 1, "idle"},
		{"alive before the threshold", "agent", 6*hour - 1, studio.Alive, true, 1, "idle"},
		{"alive at the threshold", "agent", 6 * hour, studio.Alive, true, 1, "idle"},
		{"alive past the threshold", "agent", 6*hour + 1, studio.Alive, true, 1, "unresponsive"},
		{"seven hours of an agent", "agent", 7 * hour, studio.Alive, true, 1, "unresponsive"},
		{"seven hours of a play", "play", 7 * hour, studio.Alive, true, 1, "unresponsive"},
		{"seven hours of a flow", "flow", 7 * hour, studio.Alive, true, 1, "idle"},
		{"flow at its threshold", "flow", 12 * hour, studio.Alive, true, 1, "idle"},
		{"flow past its threshold", "flow", 12*hour + 1, studio.Alive, true, 1, "unresponsive"},
		{"fanout past its threshold", "fanout", 12*hour + 1, studio.Alive, true, 1, "unresponsive"},
		{"show-play at its threshold", "show-play", 12 * hour, studio.Alive, true, 1, "idle"},
		{"engine at its threshold", "engine", 12 * hour, studio.Alive, true, 1, "idle"},
		{"no kind counts as an agent", "", 6*hour + 1, studio.Alive, true, 1, "unresponsive"},
		{"alive without anything to show", "agent", 10, studio.Alive, false, 0, "healthy"},
		{"dead despite a recent message", "agent", 30, studio.Dead, true, 1, "stale"},
		{"dead with messages only", "agent", 30, studio.Dead, false, 3, "stale"},
		{"dead with nothing to show", "agent", 30, studio.Dead, false, 0, "orphaned"},
		{"unknown with a recent message", "agent", 30, studio.Unknown, true, 1, "healthy"},
		{"unknown past the idle floor", "agent", hour + 1, studio.Unknown, true, 1, "idle"},
		{"unknown at the threshold", "agent", 6 * hour, studio.Unknown, true, 1, "idle"},
		{"unknown past the threshold", "agent", 6*hour + 1, studio.Unknown, true, 1, "stale"},
		{"unknown with nothing to show", "agent", 30, studio.Unknown, false, 0, "orphaned"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row := session.Row{LastMessageAt: ptr(now - tt.idle), MessageCount: tt.messages}
			if tt.kind != "" {
				row.InvocationKind = &tt.kind
			}
			if tt.artifacts {
				row.ArtifactsPath = ptr("/a")
			}
			if got := studio.RunningHealth(row, now, tt.live); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	quiet := session.Row{LastMessageAt: ptr(0.0), UpdatedAt: ptr(now - 10), MessageCount: 1}
	if got := studio.RunningHealth(quiet, now, studio.Alive); got != "healthy" {
		t.Errorf("a time of zero counted: %s", got)
	}
}

// table is a process table with everything settable.
type table struct {
	alive     map[session.Process]studio.Liveness // others are dead
	commands  []string
	err       error
	snapshots atomic.Int64
	entered   chan struct{} // receives when a snapshot begins
	hold      chan struct{} // lets it end
}

func (p *table) Probe(process session.Process) studio.Liveness {
	if live, ok := p.alive[process]; ok {
		return live
	}
	return studio.Dead
}
func (p *table) Hostname() string { return "here" }
func (p *table) Commands(ctx context.Context) ([]string, error) {
	p.snapshots.Add(1)
	if p.entered != nil {
		p.entered <- struct{}{}
	}
	if p.hold != nil {
		select {
		case <-p.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return p.commands, p.err
}

func runningRow(id, metadata string) session.Row {
	r := session.Row{ID: id, Status: ptr("running")}
	if metadata != "" {
		r.NodeMetadata = &metadata
	}
	return r
}

func TestLiveness_TheRecordedIdentityDecides(t *testing.T) {
	whole := session.Process{PID: 1, CreateTime: 6000.5, BootTime: 5004.25}
	p := &table{alive: map[session.Process]studio.Liveness{
		{PID: 1}: studio.Alive, whole: studio.Alive, {PID: 4}: studio.Unknown, {PID: 9, CreateTime: 7}: studio.Alive,
	}}
	tests := []struct {
		name, metadata string
		want           studio.Liveness
	}{
		{"a pid alone", `{"pid":1}`, studio.Alive},
		{"a pid written as text", `{"pid":"1"}`, studio.Alive},
		{"all that is recorded", `{"process_identity_mode":"local","pid":1,"pid_host":"here","pid_create_time":6000.5,"pid_boot_time":5004.25}`, studio.Alive},
		{"another create time", `{"pid":1,"pid_create_time":6000.25,"pid_boot_time":5004.25}`, studio.Dead},
		{"gone", `{"pid":3}`, studio.Dead},
		{"cannot be looked at", `{"pid":4}`, studio.Unknown},
		{"another machine", `{"pid":1,"pid_host":"there"}`, studio.Unknown},
		{"in a host process", `{"process_identity_mode":"in_process","pid":3,"host_pid":9,"host_pid_create_time":7}`, studio.Alive},
		{"in a host process that is gone", `{"process_identity_mode":"in_process","pid":1,"host_pid":3}`, studio.Dead},
		{"unknown mode", `{"process_identity_mode":"remote","pid":1}`, studio.Unknown},
		{"mode null", `{"process_identity_mode":null,"pid":1}`, studio.Unknown},
		{"mode of an import", `{"process_identity_mode":"external","pid":1}`, studio.Unknown},
		{"no pid", `{"x":1}`, studio.Unknown},
		{"pid that is none", `{"pid":true}`, studio.Unknown},
		{"pid zero", `{"pid":0}`, studio.Unknown},
		{"negative pid", `{"pid":-1}`, studio.Unknown},
		{"pid too large", `{"pid":99999999999999}`, studio.Unknown},
		{"metadata that is no object", `[1]`, studio.Unknown},
		{"malformed metadata", `{"pid":1`, studio.Unknown},
		{"no metadata", ``, studio.Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, listing := range []bool{true, false} {
				if got := studio.Probe(t.Context(), p, nil, listing, runningRow("id", tt.metadata))[0]; got != tt.want {
					t.Errorf("listing %v: got %d, want %d", listing, got, tt.want)
				}
			}
		})
	}
}

func TestLiveness_OnlyRowsWithoutAnIdentityPayForASnapshot(t *testing.T) {
	p := &table{alive: map[session.Process]studio.Liveness{{PID: 1}: studio.Alive}, commands: []string{"agent --session id-2", "sh"}}
	rows := []session.Row{
		runningRow("id-1", `{"pid":1}`), runningRow("foreign", `{"pid_host":"there"}`), {ID: "ended", Status: ptr("failed")},
	}
	if got := studio.Probe(t.Context(), p, nil, true, rows...); fmt.Sprint(got) != fmt.Sprint([]studio.Liveness{studio.Alive, studio.Unknown, studio.Unknown}) {
		t.Errorf("%v", got)
	}
	if n := p.snapshots.Load(); n != 0 {
		t.Errorf("a page of complete identities took %d snapshots", n)
	}
	rows = append(rows, runningRow("id-2", ""), runningRow("id-3", ""))
	if got := studio.Probe(t.Context(), p, nil, true, rows...); fmt.Sprint(got[3:]) != fmt.Sprint([]studio.Liveness{studio.Alive, studio.Unknown}) {
		t.Errorf("%v", got)
	}
	if n := p.snapshots.Load(); n != 1 {
		t.Errorf("two rows took %d snapshots", n)
	}
	// The detail of a foreign row without a pid still looks for its id here.
	p.commands = []string{"watch foreign"}
	if got := studio.Probe(t.Context(), p, nil, false, runningRow("foreign", `{"pid_host":"there"}`))[0]; got != studio.Alive {
		t.Errorf("%d", got)
	}
}

func TestLiveness_RequestsShareOneSnapshot(t *testing.T) {
	p := &table{commands: []string{"id-1"}, hold: make(chan struct{}), entered: make(chan struct{}, 4)}
	prober := studio.NewProber(p, nil)
	var wg sync.WaitGroup
	answers := make(chan studio.Liveness, 4)
	for range 4 {
		wg.Go(func() { answers <- studio.ProbeWith(t.Context(), prober, true, runningRow("id-1", ""))[0] })
	}
	<-p.entered
	close(p.hold)
	wg.Wait()
	close(answers)
	for a := range answers {
		if a != studio.Alive {
			t.Errorf("%d", a)
		}
	}
	if n := p.snapshots.Load(); n != 1 {
		t.Errorf("four requests took %d snapshots", n)
	}
}

func TestLiveness_AProcessTableThatFailsOrHangsLeavesItUnknown(t *testing.T) {
	broken := &table{err: errors.New("ps is missing")}
	if got := studio.Probe(t.Context(), broken, nil, true, runningRow("id", ""))[0]; got != studio.Unknown {
		t.Errorf("%d", got)
	}
	hanging := &table{hold: make(chan struct{})}
	defer close(hanging.hold)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := studio.Probe(ctx, hanging, nil, true, runningRow("id", ""))[0]; got != studio.Unknown {
		t.Errorf("%d", got)
	}
}

func TestLiveness_PidFilesAreReadInsideTheFenceOnly(t *testing.T) {
	root := t.TempDir()
	inside, outside := filepath.Join(root, "in", "run"), filepath.Join(t.TempDir(), "run")
	p := &table{alive: map[session.Process]studio.Liveness{{PID: 1}: studio.Alive}}
	ask := func(dir string) studio.Liveness {
		row := runningRow("id", "")
		row.ArtifactsPath = &dir
		return studio.Probe(t.Context(), p, []string{filepath.Join(root, "in")}, true, row)[0]
	}
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(inside, "zz.pid", " 1\n")
	if got := ask(inside); got != studio.Alive {
		t.Errorf("any .pid file: %d", got)
	}
	write(inside, "run.pid", "3")
	if got := ask(inside); got != studio.Dead {
		t.Errorf("run.pid comes first: %d", got)
	}
	write(inside, "session.pid", "1")
	if got := ask(inside); got != studio.Alive {
		t.Errorf("session.pid comes before run.pid: %d", got)
	}
	write(outside, "session.pid", "1")
	if got := ask(outside); got != studio.Unknown {
		t.Errorf("a folder outside the fence was read: %d", got)
	}
	link := filepath.Join(root, "in", "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if got := ask(link); got != studio.Unknown {
		t.Errorf("a link led out of the fence: %d", got)
	}
	for name, make := range map[string]func(path string) error{
		"too large": func(path string) error { return os.WriteFile(path, make65(), 0o600) },
		"a link":    func(path string) error { return os.Symlink(filepath.Join(inside, "session.pid"), path) },
		"a FIFO":    func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":  func(path string) error { return os.Mkdir(path, 0o700) },
		"no number": func(path string) error { return os.WriteFile(path, []byte("one"), 0o600) },
	} {
		dir := filepath.Join(root, "in", "odd", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := make(filepath.Join(dir, "session.pid")); err != nil {
			t.Fatal(err)
		}
		if got := ask(dir); got != studio.Unknown {
			t.Errorf("%s as pid file gave %d", name, got)
		}
	}
}

// make65 is a pid with more blanks than a pid file may hold.
func make65() []byte { return append([]byte("1"), make([]byte, 64)...) }
