package pod

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"podium.local/protocol"
)

// Limits of the socket server.
const (
	maxClients = 1024
	// lineBudget is what all connections together hold in unfinished lines.
	lineBudget = 128 << 20
	// judgeWait is how long a client's next line waits for the method before it.
	judgeWait = 250 * time.Millisecond
	// refuseWait is how long a refused connection may take for its one line.
	refuseWait = time.Second
)

// acceptLoop takes connections until the socket is closed for good.
func (p *Pod) acceptLoop(ctx context.Context) {
	for {
		l := p.listener.get()
		conn, err := l.AcceptUnix()
		switch {
		case err == nil:
			p.conns.Go(func() { p.serveConn(ctx, conn) })
		case errors.Is(err, net.ErrClosed):
			if p.listener.get() == l {
				return
			}
		default:
			// Out of file descriptors: those who are here go on, and leave.
			p.log.Error("accept a connection", "error", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

// keepSocket makes the socket again when its file was removed, until the pod
// takes no more commands.
func (p *Pod) keepSocket() {
	ticks := time.NewTicker(socketEvery)
	defer ticks.Stop()
	for {
		select {
		case <-p.closing:
			return
		case <-ticks.C:
		}
		renewed, err := p.listener.mend()
		switch {
		case err != nil:
			p.log.Error("make the removed socket again", "error", err)
		case renewed:
			p.log.Warn("the socket's file was removed; it was made again", "socket", p.socket)
		}
	}
}

// serveConn is one connection, from its acceptance to its end.
func (p *Pod) serveConn(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	if err := checkPeer(conn); err != nil {
		p.log.Warn("refused a connection", "error", err)
		refuseConn(conn, err.Error())
		return
	}
	c := newClient(ctx, conn)
	defer c.hangUp()
	if !p.hub.join(c, maxClients) {
		refuseConn(conn, fmt.Sprintf("the pod is ending or has its %d clients", maxClients))
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	c.read(p.budget, func(line []byte, err error) { p.handleLine(c, line, err) })
	// What was asked before the peer closed its side is still answered.
	p.hub.leave(c)
	c.finish()
	conn.SetWriteDeadline(time.Now().Add(flushWait))
	<-written
}

// refuseConn says why and ends; a peer that does not read does not hold it.
func refuseConn(conn net.Conn, why string) {
	conn.SetWriteDeadline(time.Now().Add(refuseWait))
	writeEvent(conn, protocol.Event{
		Data: protocol.Error{Code: protocol.CodeInternal, Message: "refused: " + why},
	}, false)
}

// checkPeer reports a peer that is not this user.
func checkPeer(conn *net.UnixConn) error {
	uid, err := peerUID(conn)
	if err != nil {
		return fmt.Errorf("ask who connects: %w", err)
	}
	if uid != os.Geteuid() {
		return fmt.Errorf("user %d may not talk to a pod of user %d", uid, os.Geteuid())
	}
	return nil
}

// handleLine judges one line of a client. Questions are answered in the
// client's own queue; the rest goes to the controller, and the next line is
// read when it has judged this one, or when that takes so long that the next
// one may be to cancel it.
func (p *Pod) handleLine(c *client, line []byte, err error) {
	if err != nil {
		c.reject(p.hub, "", protocol.CodeInternal, "refused: "+err.Error())
		return
	}
	m, err := protocol.DecodeMethod(line)
	if err != nil {
		c.reject(p.hub, m.RequestID, protocol.CodeInternal, "invalid method: "+err.Error())
		return
	}
	cmd := command{client: c, name: c.name, method: m, done: make(chan struct{})}
	switch params := m.Params.(type) {
	case protocol.GetHistory:
		p.answerHistory(c, m.RequestID)
		return
	case protocol.Hello:
		p.hello(c, params, m.RequestID)
		return
	case protocol.GetEntries:
		p.entries(c, params, m.RequestID)
		return
	case protocol.Shutdown:
		p.hurry() // whatever the controller waits for
	case protocol.Notify:
		cmd.accepted, _, err = p.accept(protocol.InputNotification, params.Message, c.name, m.RequestID, nil)
	case protocol.PodEvent:
		cmd.accepted, _, err = p.accept(protocol.InputPodEvent, podEventText(params), c.name, m.RequestID, nil)
	}
	if err != nil {
		p.refuseInput(c, m.RequestID, err)
		return
	}
	select {
	case p.commands <- cmd:
		select {
		case <-cmd.done:
		case <-time.After(judgeWait):
		}
	case <-p.closing:
		if cmd.accepted != "" {
			c.accept(p.hub, m.RequestID, m.Params.MethodName(), cmd.accepted)
			return
		}
		c.reject(p.hub, m.RequestID, protocol.CodeInternal, Stopping)
	}
}
