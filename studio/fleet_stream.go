package studio

import (
	"strconv"
	"time"
)

// newFleet makes the daemon's fleet. It starts nothing.
func newFleet(s *Server) *fleet {
	f := &fleet{server: s}
	f.watch = &fleetWatch{
		fleet: f, subscribers: make(map[*subscriber]struct{}),
		ring: ring{start: strconv.FormatInt(s.now().UnixMilli(), 10)},
	}
	return f
}

// streamFleet answers GET /api/fleet/stream: the fleet and what changes in it,
// as server-sent events.
func (s *Server) streamFleet(r *request) {
	release, err := s.openFleetStream(r)
	if err != nil {
		s.writeProblem(r.w, r.Request, problemOf(err))
		return
	}
	defer release()
	sub, first, err := s.fleet.watch.subscribe(r.Context(), r.Header.Get("Last-Event-ID"))
	if err != nil {
		s.writeProblem(r.w, r.Request, problemOf(err))
		return
	}
	defer s.fleet.watch.unsubscribe(sub)
	f, err := beginFrames(r)
	if err != nil {
		return
	}
	for i := range first {
		if f.send(&first[i].id, first[i].data) != nil {
			return
		}
	}
	if f.flush() != nil {
		return
	}
	s.sendFleet(r, f, sub)
}

// openFleetStream checks what can still be answered with a status, and takes a
// place among the open streams.
func (s *Server) openFleetStream(r *request) (release func(), err error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	return s.takeStream()
}

// sendFleet sends what comes until the client goes away, falls behind, or the
// daemon stops.
func (s *Server) sendFleet(r *request, f *frames, sub *subscriber) {
	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
	for {
		select {
		case frame, open := <-sub.frames:
			if !open || f.send(&frame.id, frame.data) != nil || f.flush() != nil {
				return
			}
		case <-beat.C:
			if f.send(nil, heartbeat) != nil || f.flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		}
	}
}
