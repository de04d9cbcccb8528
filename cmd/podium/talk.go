package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"podium.local/client"
	"podium.local/config"
	"podium.local/pod"
	"podium.local/protocol"
)

// errNotAlive is what a command about a live pod gets for one that is not.
var errNotAlive = errors.New("not alive")

// notAliveError says of a pod that does not answer what has become of it.
type notAliveError struct{ text string }

func (e *notAliveError) Error() string { return e.text }

// Is makes it an errNotAlive.
func (e *notAliveError) Is(target error) bool { return target == errNotAlive }

// notAlive says what has become of the named pod, where the store knows it.
func (a *app) notAlive(ctx context.Context, name string) error {
	row := a.podRow(ctx, name)
	switch {
	case row.Name == "":
		return &notAliveError{fmt.Sprintf("pod %s: no such pod is alive; %s", name, a.sessionCalled(ctx, name))}
	case row.EndedAt.IsZero() && ofOtherHost(row.Process):
		return &notAliveError{fmt.Sprintf("pod %s is of host %s, and its socket does not answer on this one: use it there; when that host is gone or has another name now, podium gc --other-hosts closes its session", name, printable(row.Process.Host))}
	case row.EndedAt.IsZero() && processLives(row.Process):
		return &notAliveError{fmt.Sprintf("pod %s: its process %d is there but its socket does not answer; podium logs %s may say why, podium stop %s ends it", name, row.Process.PID, name, name)}
	default:
		return &notAliveError{fmt.Sprintf("pod %s has ended; podium run %s continues its session, podium history %s shows it", name, name, name)}
	}
}

// sessionCalled says what to do about a name that no pod has: it may be a
// session's id.
func (a *app) sessionCalled(ctx context.Context, name string) string {
	const pods = "podium ps lists the pods"
	v, _, err := a.sessionView("")
	if err != nil || v == nil {
		return pods
	}
	defer v.Close()
	if _, err := referredTo(ctx, v, name); err != nil {
		return pods
	}
	return fmt.Sprintf("there is a session of that id: podium run --session %s continues it, podium history %s shows it", name, name)
}

// socketAnswers reports whether somebody lives behind the socket at path: a pod,
// a halted one, or another program. A process that was killed takes connections
// until the system has cleared it away, and answers none.
func socketAnswers(ctx context.Context, path string) bool {
	conn, err := client.Dial(ctx, path, client.Options{Client: clientName(), Tail: new(uint64), Timeout: probeWait})
	if err != nil {
		return !errors.Is(err, client.ErrNotRunning) && !errors.Is(err, client.ErrLost)
	}
	conn.Close()
	return true
}

// probeWait is how long a pod may take to answer before it counts as halted.
const probeWait = 2 * time.Second

// A killed process's socket is asked so often, with such pauses, before what it
// does is an error.
const (
	dyingTries = 20
	dyingPause = 25 * time.Millisecond
)

// socketOf is the socket of the named pod.
func (a *app) socketOf(name string) (string, error) {
	if err := pod.CheckName(name); err != nil {
		return "", usageErrorf("%w", err)
	}
	paths, err := config.LocatePaths(a.lookupEnv)
	if err != nil {
		return "", err
	}
	return pod.SocketPath(paths.Run, name)
}

// dial connects to a pod by name.
func (a *app) dial(ctx context.Context, name string) (*client.Conn, error) {
	return a.dialWithin(ctx, name, 0)
}

// dialWithin connects to a pod that may take so long to answer; 0 is the usual.
func (a *app) dialWithin(ctx context.Context, name string, patience time.Duration) (*client.Conn, error) {
	socket, err := a.socketOf(name)
	if err != nil {
		return nil, err
	}
	var conn *client.Conn
	for tries := 0; ; tries++ {
		conn, err = client.Dial(ctx, socket, client.Options{Client: clientName(), PodName: name, Tail: new(uint64), Timeout: patience})
		if !errors.Is(err, client.ErrLost) || tries == dyingTries || ctx.Err() != nil {
			break
		}
		time.Sleep(dyingPause)
	}
	if errors.Is(err, client.ErrNotRunning) {
		return nil, a.notAlive(ctx, name)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, fmt.Errorf("%w; podium stop %s ends it even so", err, name)
	}
	return conn, err
}

// clientName is what this program calls itself in hello, with the terminal it
// is on where the system tells: one person may have several.
func clientName() string {
	name := "podium/" + buildVersion()
	if tty, err := os.Readlink("/proc/self/fd/0"); err == nil && (strings.HasPrefix(tty, "/dev/pts/") || strings.HasPrefix(tty, "/dev/tty")) {
		name += " (" + strings.TrimPrefix(tty, "/dev/") + ")"
	}
	return name
}

// promptOptions say what is known of the pod that a prompt goes to.
type promptOptions struct {
	// once: the pod ends with its run, and is gone when prompt returns.
	once bool
	// started: this command started the pod. If the pod first has to finish an
	// input that an earlier process left, the prompt waits for that.
	started bool
	// own: the pod is the one that this command started.
	own bool
}

// errEnded is what a prompt gets from a pod that ended in order before it
// accepted the input.
var errEnded = errors.New("the pod ended before it took the prompt")

// notTaken reports that a prompt failed and its input did not become the pod's.
func notTaken(err error) bool {
	var why *client.PodError
	return errors.Is(err, errNotAlive) || errors.Is(err, errEnded) || errors.As(err, &why)
}

// prompt gives a live pod one input and hands on the events of the run that
// it starts, until that run ends. When ctx ends first the run is cancelled and
// its end awaited.
func (a *app) prompt(ctx context.Context, name, text string, o promptOptions, onEvent func(protocol.Event)) (protocol.RunResult, error) {
	conn, err := a.dial(ctx, name)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() {
		// The connection may be gone; then the stream below ends and says so.
		_ = conn.Send(context.WithoutCancel(ctx), protocol.Method{Params: protocol.Cancel{}})
	})
	defer stop()
	_, extended := conn.Hello()
	f := follower{extended: extended}
	ask := func() error {
		f.request = "run-" + protocol.NewEntryID()
		return conn.Send(ctx, protocol.Method{Params: protocol.Run{Input: text}, RequestID: f.request})
	}
	err = ask()
	waiting := false
	for e, recvErr := range conn.Events(context.WithoutCancel(ctx)) {
		if err = errors.Join(err, recvErr); err != nil {
			break
		}
		if _, left := e.Data.(protocol.ShutdownEvent); left && extended && !f.accepted {
			err = errEnded // whatever it accepts it confirms before this
			break
		}
		if _, over := e.Data.(protocol.RunEnd); over && waiting {
			waiting = false
			err = ask()
			continue
		}
		shown, end, refusal := f.event(e)
		var why *client.PodError
		if errors.As(refusal, &why) && why.Code == protocol.CodeAlreadyRunning && o.started && ctx.Err() == nil {
			fmt.Fprintf(a.err, "podium: notice: pod %s first finishes an input that was left to it\n", name)
			waiting = true
			continue
		}
		if err = refusal; err != nil {
			if why.Message == pod.Stopping {
				readToEnd(conn)
			}
			break
		}
		if shown {
			onEvent(e)
		}
		if end != "" {
			if o.once {
				readToEnd(conn)
			}
			return end, nil
		}
	}
	var why *client.PodError
	switch {
	case errors.As(err, &why) && why.Code == protocol.CodeAlreadyRunning:
		return "", fmt.Errorf("pod %s: %w; podium attach %s shows what it does, podium cancel %s ends that", name, err, name, name)
	case err != nil:
		return "", fmt.Errorf("pod %s: %w", name, err)
	}
	return "", fmt.Errorf("pod %s ended before the run did; podium logs %s says why", name, name)
}

// readToEnd waits until a pod that is ending closes the connection, which is
// the last thing it does.
func readToEnd(conn *client.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, err := range conn.Events(ctx) {
		var bad *client.BadLineError
		if err != nil && !errors.As(err, &bad) {
			return
		}
	}
}

// follower finds one run in a pod's stream: the one that the request started.
// An accepted run is the next to end, also when it fails before its input shows.
type follower struct {
	request  string
	extended bool
	// accepted says that the run is ours to wait for, begun that its events come.
	accepted, begun bool
}

// event says whether e belongs to the run, and how the run ended if it did.
func (f *follower) event(e protocol.Event) (shown bool, end protocol.RunResult, err error) {
	switch d := e.Data.(type) {
	case protocol.Error:
		switch {
		case e.RequestID == f.request:
			return false, "", fmt.Errorf("the run was not accepted: %w", &client.PodError{Method: protocol.MethodRun, Code: d.Code, Message: d.Message})
		case !f.accepted && !f.begun:
			return false, "", nil
		case f.extended:
			return true, "", nil // run_end follows and says how it ended
		}
		end, _ = resultOf(e)
		return true, end, nil
	case protocol.Accepted:
		f.accepted = f.accepted || e.RequestID == f.request
		return false, "", nil
	case protocol.TurnStart:
		f.begun = f.accepted || !f.extended
		return f.begun, "", nil
	case protocol.RunEnd:
		if !f.accepted && !f.begun {
			return false, "", nil
		}
		return true, d.Result, nil
	}
	return f.begun, "", nil
}

// readPID reads a pod's pid file; 0 is unknown.
func readPID(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}
