package pod

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"podium.local/llm"
	"podium.local/protocol"
)

// reply is a whole answer that nobody watches.
type reply struct {
	// begun says that something of it came.
	begun  bool
	blocks []llm.Block
	calls  []llm.ToolCall
	usage  llm.Usage
}

// collect makes one request and waits for its answer, with the same bounds on
// silence as a run's requests.
func collect(ctx context.Context, provider llm.Provider, req llm.Request, o Timeouts) (r reply, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := newWatchdog(cancel, o)
	defer w.stop()
	var open llm.BlockStart
	var text strings.Builder
	for d, err := range provider.Stream(w.watch(ctx), req) {
		w.stop()
		if err != nil {
			return r, cause(ctx, err)
		}
		r.begun = true
		switch d := d.(type) {
		case llm.BlockStart:
			open = d
			text.Reset()
		case llm.BlockDelta:
			text.WriteString(d.Text)
		case llm.BlockStop:
			r.add(open, text.String(), d.Opaque)
		case llm.UsageReport:
			r.usage.Merge(d.Usage)
		case llm.Finish:
			return r, nil
		}
		w.expectNext()
	}
	if ctx.Err() != nil {
		return r, cause(ctx, ctx.Err())
	}
	return r, unfinished()
}

func (r *reply) add(b llm.BlockStart, text string, opaque json.RawMessage) {
	switch b.Kind {
	case llm.BlockToolCall:
		c := llm.ToolCall{ID: b.ID, Name: b.Name, Arguments: json.RawMessage(protocol.CanonicalArguments(text))}
		r.calls = append(r.calls, c)
		r.blocks = append(r.blocks, c)
	case llm.BlockReasoning:
		r.blocks = append(r.blocks, llm.Reasoning{Text: text, Opaque: opaque})
	default:
		if text != "" {
			r.blocks = append(r.blocks, llm.Text{Text: text})
		}
	}
}

// sleep waits; false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
