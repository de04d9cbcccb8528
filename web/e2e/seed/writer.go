package main

import (
	"context"
	"encoding/json"
	"time"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
)

// writer puts whole conversations into a store, as pods would have. The first
// error stays and turns everything after it into nothing.
type writer struct {
	ctx   context.Context
	store *store.Store
	now   time.Time
	clock time.Time // what the store takes for the present
	err   error
}

// talk is one pod's conversation. Its clock moves with what is said.
type talk struct {
	*writer
	pod  session.Pod
	at   time.Time
	head int64
	turn uint64
	name string
}

// start opens a conversation that began so long ago. Its process is on another
// machine, so that the page's idea of its health comes from its activity.
func (w *writer) start(pod string, ago time.Duration, model, provider, project, name string) *talk {
	t := &talk{writer: w, at: w.now.Add(-ago), name: name}
	if w.err != nil {
		return t
	}
	w.clock = t.at
	t.pod, w.err = w.store.StartPod(w.ctx, session.PodStart{
		Name: pod, Cwd: "/home/ada/src/" + project, Provider: provider, Model: model, Project: project,
		Process: session.Process{PID: 4711, CreateTime: seconds(t.at), Host: "another-machine", BootTime: 7},
	})
	return t
}

// commit appends entries after a pause.
func (t *talk) commit(pause time.Duration, c session.Commit, payloads ...any) {
	t.at = t.at.Add(pause)
	if t.err != nil {
		return
	}
	c.PodID, c.SessionID, c.At, c.Phase, c.Name = t.pod.ID, t.pod.SessionID, t.at, session.PhaseRunning, t.name
	for _, p := range payloads {
		c.Entries = append(c.Entries, session.NewEntry{ID: protocol.NewEntryID(), Kind: kindOf(p), Payload: p})
	}
	t.head += int64(len(payloads))
	_, t.writer.err = t.store.Commit(t.ctx, c)
}

func kindOf(payload any) session.Kind {
	switch payload.(type) {
	case session.Input:
		return session.KindInput
	case session.System:
		return session.KindSystem
	case session.Text:
		return session.KindText
	case session.Reasoning:
		return session.KindReasoning
	case session.ToolCall:
		return session.KindToolCall
	case session.ToolResult:
		return session.KindToolResult
	case session.TurnEnd:
		return session.KindTurnEnd
	default:
		return session.KindRunEnd
	}
}

func (t *talk) asks(text string) {
	t.commit(2*time.Second, session.Commit{}, session.Input{Text: text, Kind: protocol.InputText, Client: "ada"})
}

func (t *talk) hears(text string) {
	t.commit(time.Second, session.Commit{}, session.Input{Text: text, Kind: protocol.InputNotification})
}

func (t *talk) thinks(text string) {
	t.commit(3*time.Second, session.Commit{}, session.Reasoning{Text: text})
}

func (t *talk) says(text string) { t.commit(2*time.Second, session.Commit{}, session.Text{Text: text}) }

// turnEnd closes an answer with what it used. cost is in US dollars; negative
// is unknown.
func (t *talk) turnEnd(input, output int64, cost float64) {
	u := &session.Usage{InputTokens: &input, OutputTokens: &output}
	if cost >= 0 {
		u.CostUSD = &cost
	}
	t.turn++
	t.commit(0, session.Commit{Usage: u, Turns: 1}, session.TurnEnd{Turn: t.turn, Model: t.pod.Model, Usage: u, StopReason: "end"})
}

// uses calls a tool and, after a while, has its result.
func (t *talk) uses(took time.Duration, tool string, args map[string]any, summary, content string, failed bool) {
	id := "call_" + protocol.NewEntryID()
	raw, err := json.Marshal(args)
	if t.err == nil {
		t.writer.err = err
	}
	t.commit(time.Second, session.Commit{}, session.ToolCall{CallID: id, Name: tool, Arguments: raw})
	t.commit(took, session.Commit{}, session.ToolResult{CallID: id, Summary: summary, Content: content, IsError: failed})
}

func (t *talk) runEnd(result protocol.RunResult, problem string) {
	t.commit(time.Second, session.Commit{}, session.RunEnd{Result: result, Error: problem})
}

// compacts continues the conversation in a new session with a summary.
func (t *talk) compacts(summary string, before, after int64) {
	t.at = t.at.Add(20 * time.Second)
	if t.err != nil {
		return
	}
	next, cost := protocol.NewSessionID().String(), 0.05
	_, t.writer.err = t.store.Continue(t.ctx, session.Continuation{
		PodID: t.pod.ID, FromSession: t.pod.SessionID, NewSession: next, At: t.at, Head: t.head, Name: t.name, Phase: session.PhaseRunning,
		Usage:   &session.Usage{InputTokens: &before, OutputTokens: &after, CostUSD: &cost},
		Entries: []session.NewEntry{{ID: protocol.NewEntryID(), Kind: session.KindSystem, Payload: session.System{Text: summary}}},
		Done: session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindCompaction, Payload: session.Compaction{
			FromSession: t.pod.SessionID, NewSession: next, TokensBefore: before, TokensAfter: after, CostUSD: &cost,
		}},
	})
	t.pod.SessionID, t.head = next, 2
}

// leave ends the conversation.
func (t *talk) leave(status session.Status, reason string) {
	t.at = t.at.Add(2 * time.Second)
	if t.err == nil {
		t.writer.err = t.store.Leave(t.ctx, session.Leave{
			PodID: t.pod.ID, SessionID: t.pod.SessionID, At: t.at, Status: status, ReasonCode: "session." + string(status), Reason: reason,
		})
	}
}
