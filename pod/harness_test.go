package pod_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/tool"
)

// audience is a pod with a base and an extended client on it.
type audience struct {
	t        testing.TB
	p        *podtest.Pod
	base     *podtest.Client
	extended *podtest.Client
	// status is the newest one the extended client saw: the same again says only
	// that the number of clients changed.
	status string
}

func newAudience(t testing.TB, o pod.Options) *audience {
	t.Helper()
	if o.Store == nil {
		o.Store = newStore(t)
	}
	return attend(t, podtest.Start(t, o))
}

func attend(t testing.TB, p *podtest.Pod) *audience {
	t.Helper()
	a := &audience{t: t, p: p, base: p.Dial(), extended: p.Dial()}
	hello, _ := a.extended.Hello(protocol.Hello{})
	a.status = fmt.Sprintf("status %s queued=0", hello.State)
	barrier(a.base)
	a.settle()
	return a
}

// barrier reads everything that was published before this moment: the answer
// to get_history has its place in the client's own queue.
func barrier(c *podtest.Client) []protocol.Event {
	c.Send(protocol.GetHistory{})
	events := c.UntilName(protocol.EventHistory)
	return events[:len(events)-1]
}

// nextButStatus is the next event that is no status: those come when clients
// come and go, too.
func nextButStatus(c *podtest.Client) protocol.Event {
	for {
		ev := c.Next()
		if _, ok := ev.Data.(protocol.Status); !ok {
			return ev
		}
	}
}

// settle returns what both clients were shown since the last time.
func (a *audience) settle() (base, extended []string) {
	a.t.Helper()
	return describe(barrier(a.base)), a.withoutRepeats(describe(barrier(a.extended)))
}

// await reads the extended client up to the event described, then settles.
func (a *audience) await(last string) (base, extended []string) {
	a.t.Helper()
	var seen []protocol.Event
	for {
		ev := a.extended.Next()
		seen = append(seen, ev)
		if describeOne(ev) == last {
			break
		}
	}
	extended = a.withoutRepeats(describe(seen))
	base, more := a.settle()
	return base, append(extended, more...)
}

func (a *audience) withoutRepeats(events []string) []string {
	var out []string
	for _, e := range events {
		if len(e) > 7 && e[:7] == "status " {
			if e == a.status {
				continue
			}
			a.status = e
		}
		out = append(out, e)
	}
	return out
}

// describe names events with what the rules speak of: no ids, no times, no
// seq. Deltas of one block that follow each other are one.
func describe(events []protocol.Event) []string {
	var out []string
	for i, ev := range events {
		text := describeOne(ev)
		if i > 0 && isDelta(ev) && isDelta(events[i-1]) && ev.Data.EventName() == events[i-1].Data.EventName() {
			out[len(out)-1] += text[len(ev.Data.EventName())+1:]
			continue
		}
		out = append(out, text)
	}
	return out
}

func isDelta(ev protocol.Event) bool {
	switch ev.Data.(type) {
	case protocol.TextDelta, protocol.ReasoningDelta, protocol.ToolCallArgsDelta:
		return true
	}
	return false
}

func describeOne(ev protocol.Event) string {
	text := ev.Data.EventName()
	switch d := ev.Data.(type) {
	case protocol.TurnStart:
		text += fmt.Sprint(" ", d.Turn)
	case protocol.TurnEnd:
		text += fmt.Sprint(" ", d.Turn, " ", d.Result)
	case protocol.TextDelta:
		text += " " + d.Text
	case protocol.TextDone:
		text += " " + d.Text
	case protocol.ReasoningDelta:
		text += " " + d.Text
	case protocol.ReasoningDone:
		text += " " + d.Text
	case protocol.ToolCallStart:
		text += " " + d.ID + " " + d.Name
	case protocol.ToolCallArgsDelta:
		text += " " + d.JSON
	case protocol.ToolCallDone:
		text += " " + d.ID + " " + d.Name + " " + d.Arguments
	case protocol.ToolResult:
		text += fmt.Sprintf(" %s %q error=%t", d.ID, d.Output, d.IsError)
	case protocol.RunEnd:
		text += " " + string(d.Result)
		if d.Error != "" {
			text += fmt.Sprintf(" %q", d.Error)
		}
	case protocol.Error:
		text += fmt.Sprintf(" %s %q", d.Code, d.Message)
	case protocol.Status:
		text += fmt.Sprintf(" %s queued=%d", d.State, d.Queued)
	case protocol.UserInput:
		text += fmt.Sprintf(" %s %q", d.Kind, d.Text)
	case protocol.Accepted:
		text += " " + d.Method
		if d.EntryID != nil {
			text += " with entry"
		}
	case protocol.Notification:
		text += fmt.Sprintf(" %s %s", d.Level, d.Source)
	case protocol.CompactFailed:
		text += fmt.Sprintf(" %q", d.Error)
	}
	if ev.RequestID != "" {
		text += " to " + ev.RequestID
	}
	return text
}

// roles are the roles and types of a history's items.
func roles(t testing.TB, h protocol.History) []string {
	t.Helper()
	var out []string
	for _, raw := range h.Items {
		item, err := protocol.ParseItem(raw)
		if err != nil {
			t.Fatalf("history item %s: %v", raw, err)
		}
		switch d := item.Data.(type) {
		case protocol.Message:
			out = append(out, fmt.Sprintf("%s: %s", d.Role, d.Content[0].Text))
		case protocol.ToolCallItem:
			out = append(out, fmt.Sprintf("call %s %s %s", d.CallID, d.Name, d.Arguments))
		case protocol.ToolResultItem:
			text := d.Summary
			if d.Content != nil {
				text += "\n" + *d.Content
			}
			out = append(out, fmt.Sprintf("result %s: %s", d.CallID, text))
		case protocol.ReasoningItem:
			out = append(out, "reasoning: "+d.Text)
		}
	}
	return out
}

// fakeTool runs a function as a tool.
type fakeTool struct {
	name string
	run  func(ctx context.Context, args json.RawMessage) tool.Result
}

func (f fakeTool) Spec() tool.Spec {
	return tool.Spec{Name: f.name, Description: "a tool", Schema: json.RawMessage(`{"type":"object"}`)}
}

func (f fakeTool) Run(ctx context.Context, args json.RawMessage) tool.Result { return f.run(ctx, args) }

// echo answers with its arguments.
var echo = fakeTool{"Echo", func(_ context.Context, args json.RawMessage) tool.Result {
	return tool.Result{Summary: string(args)}
}}

// hanging is a tool that says when it has begun and ends only when it is
// killed.
func hanging(began chan<- struct{}) fakeTool {
	return fakeTool{"Hang", func(ctx context.Context, _ json.RawMessage) tool.Result {
		began <- struct{}{}
		<-ctx.Done()
		return tool.ExecutionFailed(ctx.Err())
	}}
}

// conversation names what the model was given, as history does.
func conversation(req llm.Request) []string {
	var out []string
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case llm.Text:
				out = append(out, string(m.Role)+": "+b.Text)
			case llm.Reasoning:
				out = append(out, "reasoning: "+b.Text+" "+string(b.Opaque))
			case llm.ToolCall:
				out = append(out, "call "+b.ID+" "+b.Name+" "+string(b.Arguments))
			case llm.ToolResult:
				out = append(out, fmt.Sprintf("result %s: %s", b.CallID, b.Text))
			}
		}
	}
	return out
}

// history is the roles of the history that a client is answered now.
func history(t testing.TB, c *podtest.Client) []string {
	t.Helper()
	c.Send(protocol.GetHistory{})
	return roles(t, podtest.Await[protocol.History](c))
}

// slowToDie is a tool that takes its time after it was killed.
func slowToDie(began chan<- struct{}, die <-chan struct{}) func(context.Context, json.RawMessage) tool.Result {
	return func(ctx context.Context, _ json.RawMessage) tool.Result {
		began <- struct{}{}
		<-ctx.Done()
		<-die
		return tool.ExecutionFailed(ctx.Err())
	}
}

func delta(text string) llm.Delta { return llm.BlockDelta{Text: text} }

func stop() llm.Delta { return llm.BlockStop{} }

// readerOf is a file reader for which every file holds the same.
func readerOf(content string) func(context.Context, json.RawMessage) tool.Result {
	return func(context.Context, json.RawMessage) tool.Result {
		return tool.Result{Summary: "read", Content: content}
	}
}
