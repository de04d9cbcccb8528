package rehearsal

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// errBroken ends a handler that has to break its connection.
var errBroken = errors.New("connection broken on purpose")

// player sends one answer at its pace, with its fault.
type player struct {
	ctx      context.Context
	w        http.ResponseWriter
	flush    *http.ResponseController
	patience time.Duration // for a client that does not read

	answer *answer
	enc    encoder
	pace   Pace
	fault  *Fault
	hold   *Hold
	limit  int // of the model played, in tokens; 0 is endless

	requestID string
	buf       events
	deltas    int
	began     bool // headers are out
	ended     bool // the answer went out whole, with its usage
}

// play sends the answer. The error says why it was not sent to its end: the
// client left, stopped reading, or errBroken.
func (p *player) play() error {
	if err := p.wait(p.pace.First); err != nil {
		return err
	}
	if p.hold != nil && p.hold.After == 0 {
		if err := p.held(); err != nil {
			return err
		}
	}
	if p.fault != nil {
		switch p.fault.kind() {
		case FaultStatus:
			return p.refuse(refusal{
				status: p.fault.Status, kind: p.fault.Type, code: p.fault.Code, message: p.fault.Message,
				retryAfter: p.fault.RetryAfter,
			})
		case FaultOverflow:
			return p.overflow()
		case FaultHang:
			return p.wait(forever)
		case FaultReset:
			return errBroken
		}
	}
	if !p.answer.prompt.stream {
		return p.recite()
	}
	return p.stream()
}

// overflow refuses the prompt as too long. On a Responses stream the vendor
// notices only after it has begun to answer.
func (p *player) overflow() error {
	have := p.answer.prompt.tokens()
	limit := p.limit
	if limit == 0 || limit >= have {
		limit = max(0, have-1)
	}
	r := p.answer.prompt.wire.overflow(have, limit)
	if p.answer.prompt.wire != WireResponses || !p.answer.prompt.stream {
		return p.refuse(r)
	}
	p.enc.open(&p.buf)
	p.enc.fail(&p.buf, r, FaultError)
	return p.finish()
}

func (p *player) refuse(r refusal) error {
	writeRefusal(p.w, p.answer.prompt.wire, r, p.requestID)
	return nil
}

// forever is waited until the client leaves.
const forever = time.Duration(-1)

func (p *player) wait(d time.Duration) error {
	if d == 0 || d == NoWait {
		return p.ctx.Err()
	}
	var tick <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		tick = t.C
	}
	select {
	case <-p.ctx.Done():
		return p.ctx.Err()
	case <-tick:
		return nil
	}
}

func (p *player) held() error {
	select {
	case <-p.ctx.Done():
		return p.ctx.Err()
	case <-p.hold.Until:
		return nil
	}
}

// send flushes what the encoder wrote, and stops when nobody listens any more.
func (p *player) send() error {
	if err := p.finish(); err != nil {
		return err
	}
	return p.ctx.Err()
}

// finish is send for the last events: a client that leaves once it has them has
// missed nothing.
func (p *player) finish() error {
	if !p.began {
		p.began = true
		h := p.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		p.w.WriteHeader(http.StatusOK)
	}
	if err := p.write(p.buf.Bytes()); err != nil {
		return err
	}
	p.buf.Reset()
	return nil
}

// write sends b. A client that does not read it gets so much patience and no
// more; writers without deadlines (recorders in tests) are never slow.
func (p *player) write(b []byte) error {
	if err := supported(p.flush.SetWriteDeadline(time.Now().Add(p.patience))); err != nil {
		return err
	}
	if _, err := p.w.Write(b); err != nil {
		return err
	}
	if err := supported(p.flush.Flush()); err != nil {
		return err
	}
	return supported(p.flush.SetWriteDeadline(time.Time{}))
}

func supported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

func (p *player) stream() error {
	p.enc.open(&p.buf)
	if err := p.send(); err != nil {
		return err
	}
	for i, part := range p.answer.parts {
		p.enc.start(&p.buf, i, part)
		cut := pieces
		if part.kind == partCall {
			cut = argumentPieces
		}
		for _, piece := range cut(part.text, p.pace.Chunk) {
			if over, err := p.strike(p.deltas); over || err != nil {
				return err
			}
			if err := p.wait(p.pace.Delay); err != nil {
				return err
			}
			p.enc.delta(&p.buf, i, part, piece)
			if err := p.send(); err != nil {
				return err
			}
			p.deltas++
			if p.hold != nil && p.hold.After == p.deltas {
				if err := p.held(); err != nil {
					return err
				}
			}
		}
		p.enc.done(&p.buf, i, part)
	}
	if p.fault != nil {
		if over, err := p.strike(max(p.deltas, p.fault.After)); over || err != nil {
			return err
		}
	}
	p.enc.close(&p.buf)
	p.ended = true
	return p.finish()
}

// strike lets the fault happen when n deltas were sent. It reports whether the
// stream is over.
func (p *player) strike(n int) (over bool, err error) {
	if p.fault == nil || n != p.fault.After {
		return false, nil
	}
	f := p.fault
	if f.kind() == FaultMalformed {
		// The stream goes on behind it: a client that skips what it cannot read is
		// found out by what it then shows.
		p.fault = nil
		p.buf.WriteString("event: message\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"del\n\n")
		return false, p.send()
	}
	if f.broken() {
		r := refusal{status: f.Status, kind: f.Type, code: f.Code, message: f.Message}
		if r.status == 0 {
			r.status = http.StatusInternalServerError
			if p.answer.prompt.wire == WireAnthropic {
				r.status = 529
			}
		}
		p.enc.fail(&p.buf, r, f.kind())
		return true, p.finish()
	}
	if err := p.send(); err != nil {
		return true, err
	}
	switch f.kind() {
	case FaultCut:
		return true, errBroken
	case FaultStall:
		return true, p.stall(f.Ping)
	default: // FaultEnd
		return true, nil
	}
}

// stall sends nothing, or only keep-alives, until the client leaves.
func (p *player) stall(ping time.Duration) error {
	if ping == 0 {
		return p.wait(forever)
	}
	for {
		if err := p.wait(ping); err != nil {
			return err
		}
		p.enc.ping(&p.buf)
		if err := p.send(); err != nil {
			return err
		}
	}
}

// recite sends the answer as one document. Faults of the stream strike in the
// middle of it.
func (p *player) recite() error {
	doc := encode(p.enc.whole())
	var kind FaultKind
	if p.fault != nil {
		kind = p.fault.kind()
	}
	p.w.Header().Set("Content-Type", "application/json")
	switch kind {
	case FaultError, FaultErrorFlat, FaultFailed:
		status := p.fault.Status
		if status == 0 {
			status = http.StatusInternalServerError
		}
		return p.refuse(refusal{status: status, kind: p.fault.Type, code: p.fault.Code, message: p.fault.Message})
	case FaultStall:
		return p.wait(forever)
	case FaultMalformed, FaultEnd:
		doc = doc[:len(doc)/2]
	case FaultCut:
		p.w.Header().Set("Content-Length", strconv.Itoa(len(doc)))
		doc = doc[:len(doc)/2]
	}
	if err := p.write(doc); err != nil {
		return err
	}
	if kind == FaultCut {
		return errBroken
	}
	p.ended = p.fault == nil
	return nil
}
