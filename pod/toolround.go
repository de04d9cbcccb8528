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
}

// toolRound runs the calls of one complete answer, several at once, and
// commits each result as it comes. When the run is stopped it kills what runs
// and leaves the rest open: the run's end knows which calls had begun.
func (r *run) toolRound(calls []session.ToolCall) (failure error) {
	r.started = make(map[string]bool, len(calls))
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	results := make(chan finished)
	go r.startTools(ctx, calls, results)
	for f := range results {
		// What a stopped call still says is the noise of its end; what it had
		// completed counts.
		if failure != nil || r.ctx.Err() != nil && f.result.IsError {
			continue
		}
		if f.cut != nil {
			r.p.hub.notify(protocol.Notification{
				Level: protocol.LevelWarn, Source: protocol.SourceWorker, Message: f.cut.String(),
			})
		}
		failure = r.say(step{entries: []session.NewEntry{{
			ID: protocol.NewEntryID(), Kind: session.KindToolResult,
			Payload: session.ToolResult{
				CallID: f.call.CallID, Summary: f.result.Summary, Content: f.result.Content, IsError: f.result.IsError,
			},
		}}})
		if failure != nil {
			cancel()
		}
	}
	return failure
}

// startTools starts the calls in their order, as many at once as may run, and
// closes results when the last has ended. Once ctx is done it starts no more.
func (r *run) startTools(ctx context.Context, calls []session.ToolCall, results chan<- finished) {
	var workers sync.WaitGroup
	defer close(results)
	defer workers.Wait()
	slots := make(chan struct{}, r.p.o.ParallelTools)
	for _, c := range calls {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil {
			return
		}
		r.started[c.CallID] = true
		workers.Go(func() {
			results <- r.runTool(ctx, c)
			<-slots
		})
	}
}

// runTool executes one call. A tool that panics fails its call, not the pod.
func (r *run) runTool(ctx context.Context, c session.ToolCall) (f finished) {
	f.call = c
	defer func() {
		if v := recover(); v != nil {
			r.p.log.Error("a tool panicked", "tool", c.Name, "panic", v)
			f.result = tool.ExecutionFailed(fmt.Errorf("the tool panicked: %v", v))
		}
	}()
	f.result, f.cut = r.p.o.Tools.Run(ctx, c.Name, c.Arguments)
	return f
}
