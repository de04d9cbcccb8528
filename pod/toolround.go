package pod

import (
	"context"
	"fmt"
	"sync"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/tool"
)

// finished is a tool call that ended.
type finished struct {
	call   session.ToolCall
	result tool.Result
	cut    *tool.Truncation
	ran    bool
}

// toolRound runs the calls of one complete answer, several at once, and
// commits each result as it comes. When the run is stopped it kills what runs
// and leaves the rest open: the run's end knows which calls had begun.
func (r *run) toolRound(calls []session.ToolCall) error {
	r.mu.Lock()
	r.started = make(map[string]bool, len(calls))
	r.mu.Unlock()
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	results := make(chan finished, len(calls))
	slots := make(chan struct{}, r.p.o.ParallelTools)
	var workers sync.WaitGroup
	defer workers.Wait()
	for _, c := range calls {
		workers.Go(func() {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
			}
			results <- r.runTool(ctx, c)
		})
	}
	for range calls {
		f := <-results
		// What a stopped call still says is the noise of its end; what it had
		// completed counts.
		if !f.ran || r.ctx.Err() != nil && f.result.IsError {
			continue
		}
		if f.cut != nil {
			r.p.hub.notify(protocol.Notification{
				Level: protocol.LevelWarn, Source: protocol.SourceWorker, Message: f.cut.String(),
			})
		}
		err := r.say(step{entries: []session.NewEntry{{
			ID: protocol.NewEntryID(), Kind: session.KindToolResult,
			Payload: session.ToolResult{
				CallID: f.call.CallID, Summary: f.result.Summary, Content: f.result.Content, IsError: f.result.IsError,
			},
		}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// runTool executes one call unless the run is being stopped. A tool that
// panics fails its call, not the pod.
func (r *run) runTool(ctx context.Context, c session.ToolCall) (f finished) {
	f.call = c
	r.mu.Lock()
	if ctx.Err() != nil {
		r.mu.Unlock()
		return f
	}
	r.started[c.CallID] = true
	r.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			r.p.log.Error("a tool panicked", "tool", c.Name, "panic", v)
			f.result = tool.ExecutionFailed(fmt.Errorf("the tool panicked: %v", v))
		}
	}()
	f.ran = true
	f.result, f.cut = r.p.o.Tools.Run(ctx, c.Name, c.Arguments)
	return f
}
