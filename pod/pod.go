package pod

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"podium.local/llm"
	"podium.local/protocol"
	"podium.local/session"
)

// Pod is one running agent: a name, a session, a socket.
//
// Goroutines: Run's own is the controller, which judges methods and ends
// runs; a run has one goroutine, and one a tool call; each connection has a
// reader and a writer.
//
// Lock order: commitMu, then hub.mu, then client.mu. run.mu is taken alone.
type Pod struct {
	o         Options
	id        protocol.PodID
	log       *slog.Logger
	folder    *folder
	socket    string
	listener  *listener
	hub       *hub
	system    string
	toolSpecs []llm.ToolSpec
	// contextLimit is Options.ContextLimit for the wire, nil unknown.
	contextLimit *uint64

	// commitMu orders commits and with them the publication of durable events:
	// the order of the log is the order of the events. It is held while the store
	// writes; the hub's own lock is not.
	commitMu sync.Mutex
	mark     bookmark // guarded by commitMu

	storeCtx    context.Context // for operations that outlive a run
	storeCancel context.CancelFunc
	stopOnce    sync.Once
	commands    chan command
	closing     chan struct{} // closed when the controller takes no more commands
	lonely      chan struct{}
	budget      *protocol.Budget
	trimmer     *time.Timer
	// historyLimit is maxHistoryBytes, less in tests.
	historyLimit int
	conns        sync.WaitGroup
	controller   controller
	compactor    compactor
}

// Open makes a pod of that name: it takes the name's lock, claims a session in
// the store, puts right what an earlier process left behind, and listens.
// Methods are served by Run, which must follow.
func Open(ctx context.Context, o Options) (*Pod, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	path, err := SocketPath(o.RunDir, o.Name)
	if err != nil {
		return nil, err
	}
	f, err := openFolder(ctx, o.RunDir, o.Name)
	if err != nil {
		return nil, err
	}
	p, err := open(ctx, o, f, path)
	if err != nil {
		// That a pod was to be started is said by who asked for it.
		return nil, errors.Join(err, f.close(false))
	}
	return p, nil
}

func open(ctx context.Context, o Options, f *folder, path string) (*Pod, error) {
	p := &Pod{
		o: o, log: o.Logger, folder: f, socket: path,
		commands: make(chan command), closing: make(chan struct{}), lonely: make(chan struct{}, 1),
		budget: protocol.NewBudget(lineBudget), historyLimit: maxHistoryBytes,
	}
	p.trimmer = newTrimmer()
	p.budget.Freed = p.trimSoon
	if o.ContextLimit > 0 {
		limit := uint64(o.ContextLimit)
		p.contextLimit = &limit
	}
	for _, s := range o.Tools.Specs() {
		p.toolSpecs = append(p.toolSpecs, llm.ToolSpec{Name: s.Name, Description: s.Description, Schema: s.Schema})
	}
	p.storeCtx, p.storeCancel = context.WithCancel(context.Background())
	p.hub = &hub{log: o.Logger, now: o.Now, clients: map[*client]struct{}{}, gone: func() {
		select {
		case p.lonely <- struct{}{}:
		default:
		}
	}}
	p.controller = controller{p: p, ended: make(chan ended, 1), acceptances: make(chan *acceptance, 1), settled: make(chan error, 1)}
	if err := p.begin(ctx, path); err != nil {
		p.storeCancel()
		return nil, err
	}
	return p, nil
}

// begin looks for a program that took the place without taking the lock, while
// nothing in the store has changed yet; claims the session; and listens last,
// so that a socket that answers is a pod that works.
func (p *Pod) begin(ctx context.Context, path string) error {
	if err := clearSocket(path); err != nil {
		return err
	}
	if err := p.folder.writePID(); err != nil {
		return err
	}
	if err := p.claim(ctx); err != nil {
		return err
	}
	if p.o.Claimed != nil {
		p.o.Claimed()
	}
	l, err := listen(path)
	if err != nil {
		p.controller.fatal = err
		return p.controller.leave()
	}
	p.listener = &listener{path: path, folder: p.folder, current: l}
	return nil
}

// claim takes the session and brings it into order.
func (p *Pod) claim(ctx context.Context) error {
	self, err := ThisProcess()
	if err != nil {
		return err
	}
	var row session.Pod
	err = p.patiently(func(context.Context) (err error) {
		row, err = p.o.Store.StartPod(ctx, session.PodStart{
			Name: p.o.Name, Cwd: p.o.Dir, Provider: p.o.Scheme, Model: p.o.Model, Socket: p.socket, Process: self,
			AgentName: p.o.AgentName, Project: p.o.Project, New: p.o.New, SessionID: p.o.SessionID,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("claim a session: %w", err)
	}
	p.id = row.ID
	prompt, notices := buildPrompt(&p.o)
	p.system = prompt
	for _, n := range append(p.o.Notices, notices...) {
		p.hub.notify(n)
	}
	if err := p.recover(row); err != nil {
		return fmt.Errorf("take up session %s: %w", row.SessionID, err)
	}
	p.writeStatus()
	return nil
}

// Socket is the path clients connect to.
func (p *Pod) Socket() string { return p.socket }

// ID is the pod's identity, which it keeps over restarts.
func (p *Pod) ID() protocol.PodID { return p.id }

// SessionID is the session the pod holds now.
func (p *Pod) SessionID() string { return p.sessionID() }

func (p *Pod) sessionID() string {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	return p.hub.view.sessionID.String()
}

// Run serves the pod until somebody shuts it down or ctx ends, which is the
// same (a signal). It returns once the session is left in order, every client
// has been told, and no goroutine, file or lock remains. The error is nil
// after an orderly end.
func (p *Pod) Run(ctx context.Context) error {
	connCtx, endConns := context.WithCancel(context.Background())
	defer endConns()
	p.conns.Go(func() { p.acceptLoop(connCtx) })
	p.conns.Go(p.keepSocket)
	k := &p.controller
	// A stop reaches the store's waits also while the controller is in one.
	defer context.AfterFunc(ctx, p.hurry)()
	k.serve(ctx)
	p.listener.close()
	close(p.closing)
	err := k.leave()
	// The folder goes before the clients do: who sees the connection end can rely
	// on the pod being gone.
	remove := p.o.Once && k.ran && err == nil
	err = errors.Join(err, p.folder.close(remove))
	p.hub.update(nil, protocol.Event{Data: protocol.ShutdownEvent{}})
	for _, c := range p.hub.close() {
		c.finish()
	}
	p.endConnections(endConns)
	p.trimmer.Stop()
	p.storeCancel()
	return err
}

// hurry shortens every wait for the store, now that the pod is to stop.
func (p *Pod) hurry() { p.stopOnce.Do(func() { time.AfterFunc(stopPatience, p.storeCancel) }) }

// endConnections lets every writer empty its queue, within bounds.
func (p *Pod) endConnections(end context.CancelFunc) {
	all := make(chan struct{})
	go func() {
		defer close(all)
		p.conns.Wait()
	}()
	timer := time.AfterFunc(flushWait, end)
	defer timer.Stop()
	<-all
}

// leave gives the session up in order.
func (k *controller) leave() error {
	p := k.p
	if k.fatal == nil {
		if err := k.payDebt(); err != nil {
			p.log.Error("save the end of the last run", "error", err)
		}
	}
	l := session.Leave{
		PodID: p.id, SessionID: p.sessionID(), At: p.o.Now(),
		Status: session.StatusCompleted, ReasonCode: "session.completed", Reason: "the pod was stopped" + p.lastMark().outcome(),
	}
	switch {
	case k.fatal != nil:
		l.Status, l.ReasonCode, l.Reason = session.StatusFailed, "session.failed", k.fatal.Error()
	case k.discarded:
		l.Status, l.ReasonCode, l.Reason = session.StatusCancelled, "session.cancelled", "the stop ended a run"
	}
	err := p.patiently(func(ctx context.Context) error { return p.o.Store.Leave(ctx, l) })
	if err != nil && k.fatal == nil {
		return fmt.Errorf("leave the session: %w", err)
	}
	return k.fatal
}

// outcome says what became of the last run where it did not finish. A session
// that its pod leaves in order is completed all the same, for another run may
// follow; the reason tells the rest. A paused run says nothing yet, one that was
// discarded later was cancelled.
func (m bookmark) outcome() string {
	switch m.Ended.Result {
	case protocol.RunFailed:
		return "; its last run failed: " + m.Ended.Error
	case protocol.RunLimitReached:
		return "; its last run reached its limit of turns"
	case protocol.RunCancelled, protocol.RunRolledBack:
		return "; its last run was cancelled"
	case protocol.RunPaused:
		if m.Run == nil {
			return "; its last run was paused and then discarded"
		}
	}
	return ""
}

func (p *Pod) greeting() protocol.Greeting {
	return protocol.Greeting{
		PodName: p.o.Name, Cwd: p.o.Dir, Provider: p.o.Scheme, Model: p.o.Model,
		ScopeSummary: p.o.ScopeSummary, Tools: p.o.Tools.Names(),
	}
}

// writeStatus puts the state into status.json, for people and scripts; the
// store is the authority, so a failure is only logged.
func (p *Pod) writeStatus() {
	p.hub.mu.Lock()
	s := savedStatus{PodName: p.o.Name, SessionID: p.hub.view.sessionID.String(), State: string(p.hub.view.state)}
	p.hub.mu.Unlock()
	if err := p.folder.writeStatus(s); err != nil {
		p.log.Warn("write the status file", "error", err)
	}
}
