package studio

import (
	"errors"
	"net/http"
	"time"

	"podium.local/session"
)

// Times of an event stream.
const (
	heartbeatEvery = 5 * time.Second
	// streamWrite is how long one frame may take to be taken by the client.
	streamWrite = 15 * time.Second
	// settled is how long, in seconds, an ended session must be untouched before
	// its stream ends: a status may be written before the last messages are.
	settled = 60
)

var streamParams = params{list: []param{
	{name: "cursor", kind: stringParam, doc: "The id of the last frame received."},
}}

// streamSession answers GET /api/sessions/{id}/stream with the session's
// messages, those there and those to come, as server-sent events. A frame's
// id names its row exactly, so that a reconnect neither repeats nor skips one.
func (s *Server) streamSession(r *request) {
	from, err := s.openStream(r)
	if err != nil {
		s.writeProblem(r.w, r.Request, problemOf(err))
		return
	}
	release, err := s.takeStream()
	if err != nil {
		s.writeProblem(r.w, r.Request, problemOf(err))
		return
	}
	defer release()
	f, err := beginFrames(r)
	if err != nil {
		return
	}
	s.pump(r, f, from)
}

// takeStream takes a place among the open streams.
func (s *Server) takeStream() (release func(), err error) {
	select {
	case s.streams <- struct{}{}:
	default:
		return nil, &problem{status: http.StatusServiceUnavailable, detail: "Too many open streams; close one and try again.", retryAfter: 5}
	}
	s.metrics.streams.Inc()
	return func() {
		s.metrics.streams.Dec()
		<-s.streams
	}, nil
}

// heartbeat is the frame that says that a quiet stream lives.
var heartbeat = []byte(`{"type":"heartbeat"}`)

// beginFrames sends the head of an event stream.
func beginFrames(r *request) (*frames, error) {
	h := r.header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no")
	r.w.WriteHeader(http.StatusOK)
	f := &frames{control: http.NewResponseController(r.w), w: r.w}
	return f, f.flush()
}

// openStream checks what can still be answered with a status.
func (s *Server) openStream(r *request) (session.StreamPosition, error) {
	if err := s.requireFile(r); err != nil {
		return session.StreamPosition{}, err
	}
	if _, err := s.cfg.Sources.Sessions.StreamState(r.Context(), r.id()); err != nil {
		if errors.Is(err, session.ErrNotFound) {
			return session.StreamPosition{}, failf(http.StatusNotFound, "Session '%s' not found", r.id())
		}
		return session.StreamPosition{}, err
	}
	token, _ := r.values.str("cursor")
	if token == "" {
		return session.StreamPosition{}, nil
	}
	return decodeStreamCursor(token, r.id())
}

// pump sends what is new until the session is over, the client goes away or
// the daemon stops. Pages are drained without a pause while there is more; the
// end is only looked for when there is not.
func (s *Server) pump(r *request, f *frames, at session.StreamPosition) {
	ctx, id := r.Context(), r.id()
	quiet := s.now()
	pause := time.NewTimer(s.cfg.Poll)
	defer pause.Stop()
	for {
		page, err := s.cfg.Sources.Sessions.MessagesAfter(ctx, id, at)
		if err != nil && !retryable(err) {
			return
		}
		for i := range page {
			m := &page[i]
			body, err := encode(streamMessage{messageOf(m), m.BranchID})
			if err != nil {
				return
			}
			at = session.StreamPosition{At: m.At, MessageID: m.ID, BranchID: m.BranchID}
			cursor := encodeCursor(streamCursor{Version: 1, SessionID: id, CreatedAt: number(m.At), MessageID: m.ID, BranchID: m.BranchID})
			if f.send(cursor, body) != nil {
				return
			}
		}
		if len(page) > 0 {
			quiet = s.now()
			if f.flush() != nil {
				return
			}
			continue
		}
		if s.now().Sub(quiet) >= heartbeatEvery {
			quiet = s.now()
			if f.send(nil, heartbeat) != nil || f.flush() != nil {
				return
			}
		}
		if err == nil {
			state, err := s.cfg.Sources.Sessions.StreamState(ctx, id)
			if errors.Is(err, session.ErrNotFound) {
				return
			}
			if err == nil && s.over(state) {
				if f.send(nil, []byte(`{"type":"done"}`)) == nil {
					_ = f.flush()
				}
				return
			}
		}
		pause.Reset(s.cfg.Poll)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		case <-s.closing:
			return
		}
	}
}

// retryable reports whether a poll that failed may be tried at the next tick.
func retryable(err error) bool {
	return errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrOverloaded) || errors.Is(err, session.ErrSlow)
}

// over reports whether a session has ended and been left alone since.
func (s *Server) over(state session.StreamState) bool {
	row := session.Row{Status: state.Status}
	if !terminal(statusOf(&row)) {
		return false
	}
	updated := 0.0
	if state.UpdatedAt != nil {
		updated = *state.UpdatedAt
	}
	return session.UnixSeconds(s.now())-updated > settled
}

// frames writes server-sent events; a client that does not take one in time
// loses its stream.
type frames struct {
	control *http.ResponseController
	w       http.ResponseWriter
}

func (f *frames) send(id *string, data []byte) error {
	_ = f.control.SetWriteDeadline(time.Now().Add(streamWrite))
	frame := make([]byte, 0, len(data)+256)
	if id != nil {
		frame = append(frame, "id: "...)
		frame = append(frame, *id...)
		frame = append(frame, '\n')
	}
	frame = append(frame, "data: "...)
	frame = append(frame, data...)
	frame = append(frame, "\n\n"...)
	_, err := f.w.Write(frame)
	return err
}

func (f *frames) flush() error { return f.control.Flush() }
