package pod

import (
	"net"
	"time"
)

// LimitHistory makes histories longer than so many bytes too long, before the
// pod has clients.
func (p *Pod) LimitHistory(bytes int) { p.historyLimit = bytes }

// Stats are counters of a pod's connections.
type Stats struct {
	Clients []ClientStats
	// Disconnected counts clients that could not keep up.
	Disconnected uint64
}

// ClientStats are what one client, as it called itself in hello, was sent.
type ClientStats struct {
	Name string
	clientStats
}

// Stats returns the counters of this moment.
func (p *Pod) Stats() Stats {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	s := Stats{Disconnected: p.hub.disconnected}
	for c := range p.hub.clients {
		c.mu.Lock()
		s.Clients = append(s.Clients, ClientStats{c.name, c.stats})
		c.mu.Unlock()
	}
	return s
}

// Answers reports whether the pod's socket takes connections. The pod sees a
// client come and go.
func (f Found) Answers() bool {
	conn, err := net.DialTimeout("unix", f.Socket, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
