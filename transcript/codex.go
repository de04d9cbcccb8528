package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// codexState is what a rollout's lines mean for those after them.
type codexState struct {
	// Meta says that the rollout's own session_meta was read.
	Meta  bool   `json:"meta,omitempty"`
	Model string `json:"model,omitempty"`
	// Copying says that the lines still repeat the session this one was forked
	// from. ForkedAt is in Unix milliseconds.
	Copying    bool   `json:"copying,omitempty"`
	ForkedFrom string `json:"forked_from,omitempty"`
	ForkedAt   int64  `json:"forked_at,omitempty"`
}

// codexLine is the envelope of a rollout's line. Old rollouts have none: their
// lines are the payload.
type codexLine struct {
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type codexMeta struct {
	ID           string          `json:"id"`
	Timestamp    string          `json:"timestamp"`
	Cwd          string          `json:"cwd"`
	ForkedFromID string          `json:"forked_from_id"`
	Source       json.RawMessage `json:"source"`
	Git          *struct {
		Branch string `json:"branch"`
	} `json:"git"`
}

// parent is the session that started this one as a subagent, empty for none.
func (m *codexMeta) parent() string {
	var source struct {
		Subagent struct {
			ThreadSpawn struct {
				ParentThreadID string `json:"parent_thread_id"`
			} `json:"thread_spawn"`
		} `json:"subagent"`
	}
	if json.Unmarshal(m.Source, &source) != nil { // a word, for sessions that a person started
		return ""
	}
	return source.Subagent.ThreadSpawn.ParentThreadID
}

type codexTurn struct {
	TurnID string `json:"turn_id"`
	Model  string `json:"model"`
	Cwd    string `json:"cwd"`
	Effort string `json:"effort"`
}

// codexVendor is the id at the end of a rollout's name, empty for none.
func codexVendor(stem string) string {
	if len(stem) >= 36 && validUUID(stem[len(stem)-36:]) {
		return stem[len(stem)-36:]
	}
	return ""
}

func (r *reading) codexLine(l line) error {
	var c codexLine
	if _, err := decodeLine(l, &c); err != nil {
		return err
	}
	if r.state.Codex == nil {
		r.state.Codex = &codexState{}
		if id := codexVendor(stemOf(r.file.Path)); id != "" {
			r.state.VendorID = id
		}
	}
	at := r.clock(c.Timestamp)
	payload := c.Payload
	if payload == nil { // an old rollout
		payload = l.data
		switch c.Type {
		case "":
			c.Type = "session_meta"
		case "session_meta", "turn_context", "event_msg", "compacted":
		default:
			c.Type = "response_item"
		}
	}
	switch c.Type {
	case "session_meta":
		return r.codexMeta(payload, at)
	case "turn_context":
		var t codexTurn
		_ = json.Unmarshal(payload, &t) // of another shape it says nothing
		if r.copied(t.TurnID) {
			return nil
		}
		r.codexTurn(t, at)
		r.skip("turn context")
	case "event_msg":
		r.codexEvent(payload, at)
	case "response_item":
		if !r.copied("") {
			r.codexItem(payload, at)
		}
	case "compacted":
		if !r.copied("") {
			r.codexCompacted(payload, at)
		}
	default:
		if !r.copied("") {
			r.foreign("", "", c.Type, at)
		}
	}
	return nil
}

// codexMeta reads what opens a rollout. One that comes later is part of what a
// fork copied.
func (r *reading) codexMeta(payload json.RawMessage, at time.Time) error {
	s := r.state.Codex
	if s.Meta {
		r.skip("session context")
		return nil
	}
	var m codexMeta
	_ = json.Unmarshal(payload, &m) // of another shape it says nothing
	r.vendor(m.ID)
	s.Meta = true
	branch := ""
	if m.Git != nil {
		branch = m.Git.Branch
	}
	r.place("", m.Cwd, branch)
	r.seen("", at, false)
	p := r.known("")
	if id := m.parent(); id != "" {
		p.Parent = SessionID(Codex, id, "")
	}
	if m.ForkedFromID != "" {
		p.ForkedFrom = SessionID(Codex, m.ForkedFromID, "")
		s.Copying, s.ForkedFrom, s.ForkedAt = true, m.ForkedFromID, at.UnixMilli()
		if ms, ok := uuidTime(m.ID); ok {
			s.ForkedAt = ms
		}
	}
	r.skip("session context")
	return nil
}

// copied reports that the line at hand repeats the session that this one was
// forked from, and counts it. The copy ends with the first turn that is
// neither one of that session's nor older than this one.
func (r *reading) copied(turnID string) bool {
	s := r.state.Codex
	if turnID != "" && r.vendor("") != "" {
		p := r.part("")
		p.Turns = append(p.Turns, turnID)
	}
	if !s.Copying {
		return false
	}
	if turnID != "" && !r.turnOf(s.ForkedFrom, turnID) {
		if ms, ok := uuidTime(turnID); !ok || ms >= s.ForkedAt {
			s.Copying, r.known("").Facts.Turn = false, turnID
			return false
		}
	}
	r.skip("copied from the session it was forked from")
	return true
}

// turnOf reports whether a session's own file has a turn of that id.
func (r *reading) turnOf(vendorID, turnID string) bool {
	if r.parentTurns == nil && r.turns != nil {
		r.parentTurns = r.turns(vendorID)
	}
	return r.parentTurns[turnID]
}

// turnIDs reads the ids of all turns of a rollout.
func turnIDs(ctx context.Context, path string) (ids map[string]bool, err error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ids = make(map[string]bool)
	for lines := newLineReader(ctx, f); ; {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			return ids, nil
		}
		if err != nil {
			return ids, err
		}
		if !bytes.Contains(l.data, []byte(`"turn_id"`)) {
			continue
		}
		var c struct {
			Payload codexTurn `json:"payload"`
		}
		if json.Unmarshal(l.data, &c) == nil && c.Payload.TurnID != "" {
			ids[c.Payload.TurnID] = true
		}
	}
}

func (r *reading) codexTurn(t codexTurn, at time.Time) {
	r.place("", t.Cwd, "")
	r.seen("", at, false)
	f := &r.known("").Facts
	if t.Effort != "" {
		f.Effort = session.Clip(t.Effort, 100)
	}
	if t.Model != "" {
		r.state.Codex.Model = session.Clip(t.Model, nameBytes)
		r.answered("", r.state.Codex.Model)
	}
}

// codexEvent reads an event. Most repeat what a response item says.
func (r *reading) codexEvent(payload json.RawMessage, at time.Time) {
	var e struct {
		Type       string `json:"type"`
		TurnID     string `json:"turn_id"`
		Message    string `json:"message"`
		ThreadName string `json:"thread_name"`
		Info       *struct {
			Last  *codexUsage     `json:"last_token_usage"`
			Total json.RawMessage `json:"total_token_usage"`
		} `json:"info"`
	}
	_ = json.Unmarshal(payload, &e) // of another shape it is kept as it is
	turn := ""
	if e.Type == "task_started" || e.Type == "turn_started" {
		turn = e.TurnID
	}
	if r.copied(turn) {
		return
	}
	switch e.Type {
	case "token_count":
		if e.Info == nil || e.Info.Last == nil {
			r.skip("limits")
			return
		}
		// The count is sent again whenever limits change: the running total tells
		// that nothing was added.
		key := r.placeID()
		if total := compact(e.Info.Total); total != "" {
			key = total
		}
		r.request("", requestKey(string(Codex), r.settled(), key), at, r.state.Codex.Model, e.Info.Last.usage())
		r.skip("usage")
	case "thread_name_updated":
		r.known("").Facts.Title = nameOf(e.ThreadName)
		r.skip("title")
	case "error", "stream_error", "warning":
		if e.Message == "" {
			r.skip("event")
			return
		}
		r.add("", r.placeID(), at, session.KindSystem, session.System{Text: r.keep(e.Message)})
	case "user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
		"task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted", "context_compacted", "thread_settings_applied",
		"exec_command_begin", "exec_command_end", "patch_apply_begin", "patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end",
		"web_search_begin", "web_search_end", "view_image_tool_call", "plan_update", "turn_diff", "item_started", "item_completed":
		r.skip("event")
	default:
		r.foreign("", "", "event_msg/"+e.Type, at)
	}
}

// compact is JSON without spaces, empty for none.
func compact(raw json.RawMessage) string {
	var buf bytes.Buffer
	if json.Compact(&buf, raw) != nil || buf.String() == "null" {
		return ""
	}
	return buf.String()
}

// codexUsage counts input with what the cache gave.
type codexUsage struct {
	Input     *int64 `json:"input_tokens"`
	Cached    int64  `json:"cached_input_tokens"`
	Output    *int64 `json:"output_tokens"`
	Reasoning int64  `json:"reasoning_output_tokens"`
}

func (u *codexUsage) usage() session.Usage {
	return session.Usage{
		InputTokens: positive(u.Input), OutputTokens: positive(u.Output),
		CacheReadTokens: max(0, u.Cached), ReasoningTokens: max(0, u.Reasoning),
	}
}

func (r *reading) codexCompacted(payload json.RawMessage, at time.Time) {
	var c struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(payload, &c) // of another shape it has no summary
	id := r.placeID()
	r.add("", id, at, session.KindCompaction, session.Compaction{NewSession: r.sessionID("")})
	if c.Message != "" {
		r.add("", r.entryID(id, 1), at, session.KindSystem, session.System{Text: r.keep(c.Message)})
	}
}

// codexItem is what went to the model or came from it.
type codexItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Summary   []block         `json:"summary"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	ID        string          `json:"id"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
}

func (r *reading) codexItem(payload json.RawMessage, at time.Time) {
	var i codexItem
	_ = json.Unmarshal(payload, &i) // of another shape it is kept as it is
	id := r.placeID()
	call := i.CallID
	if call == "" {
		call = i.ID
	}
	if call == "" {
		call = id
	}
	switch i.Type {
	case "message":
		r.codexMessage(&i, id, at)
	case "reasoning":
		text := textOf(i.Summary)
		if text == "" {
			text = plain(i.Content)
		}
		if text == "" {
			r.skip("encrypted reasoning")
			return
		}
		r.add("", id, at, session.KindReasoning, session.Reasoning{Text: r.keep(text)})
	case "function_call":
		args := i.Arguments
		if text := unquoted(args); json.Valid([]byte(text)) {
			args = json.RawMessage(text)
		}
		r.call("", id, at, call, i.Name, args)
	case "custom_tool_call":
		r.call("", id, at, call, i.Name, i.Input)
	case "local_shell_call", "web_search_call", "tool_search_call", "image_generation_call":
		r.call("", id, at, call, i.Type[:len(i.Type)-len("_call")], i.Action)
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		output, failed := codexOutput(i.Output)
		r.result("", id, at, call, output, failed)
	default:
		r.foreign("", "", "response_item/"+i.Type, at)
	}
}

func (r *reading) codexMessage(i *codexItem, id string, at time.Time) {
	text := plain(i.Content)
	switch {
	case text == "":
		r.skip("empty message")
	case i.Role == "assistant":
		r.add("", id, at, session.KindText, session.Text{Text: r.keep(text)})
	case i.Role == "user" && !wrapped(text):
		r.prompt("", text)
		r.add("", id, at, session.KindInput, session.Input{Text: r.keep(text), Kind: protocol.InputText})
	default: // instructions, or what a program put where a person speaks
		r.add("", id, at, session.KindSystem, session.System{Text: r.keep(text)})
	}
}

// codexOutput is a call's output and whether the call failed: a text, a text
// that holds an object, an object, or content blocks.
func codexOutput(raw json.RawMessage) (output string, failed bool) {
	var o struct {
		Output   *string         `json:"output"`
		Content  json.RawMessage `json:"content"`
		Success  *bool           `json:"success"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	text := []byte(unquoted(raw))
	if len(text) > 0 && text[0] == '{' && json.Unmarshal(text, &o) == nil && (o.Output != nil || o.Content != nil) {
		if o.Output != nil {
			output = *o.Output
		} else {
			output = outputOf(o.Content)
		}
		failed = o.Metadata.ExitCode != 0 || o.Success != nil && !*o.Success
		return output, failed || session.OutputFailed(output)
	}
	output = outputOf(raw)
	return output, session.OutputFailed(output)
}
