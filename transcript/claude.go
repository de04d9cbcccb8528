package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// claudeLine is one line of a Claude Code session.
type claudeLine struct {
	Type             string          `json:"type"`
	Subtype          string          `json:"subtype"`
	UUID             string          `json:"uuid"`
	SessionID        string          `json:"sessionId"`
	AgentID          string          `json:"agentId"`
	Timestamp        string          `json:"timestamp"`
	Cwd              string          `json:"cwd"`
	GitBranch        string          `json:"gitBranch"`
	RequestID        string          `json:"requestId"`
	IsSidechain      bool            `json:"isSidechain"`
	IsMeta           bool            `json:"isMeta"`
	IsCompactSummary bool            `json:"isCompactSummary"`
	Message          *claudeMessage  `json:"message"`
	Content          json.RawMessage `json:"content"`
	Attachment       *struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
	} `json:"attachment"`
	Summary         string `json:"summary"`
	CustomTitle     string `json:"customTitle"`
	AITitle         string `json:"aiTitle"`
	CompactMetadata *struct {
		PreTokens int64 `json:"preTokens"`
	} `json:"compactMetadata"`
	ForkedFrom *struct {
		SessionID   string `json:"sessionId"`
		MessageUUID string `json:"messageUuid"`
	} `json:"forkedFrom"`

	odd bool
}

type claudeMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Usage   *claudeUsage    `json:"usage"`
}

// claudeUsage counts input apart from what the cache took.
type claudeUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheWrite int64  `json:"cache_creation_input_tokens"`
	CacheRead  int64  `json:"cache_read_input_tokens"`
}

// synthetic is the model of answers that no model gave.
const synthetic = "<synthetic>"

// decodeLine reads a line. A field of another type than expected stays empty,
// which makes the line odd; what is no JSON object is damaged.
func decodeLine(l line, to any) (odd bool, err error) {
	if l.data[0] != '{' {
		return false, fmt.Errorf("%w: not a JSON object", errDamaged)
	}
	err = json.Unmarshal(l.data, to)
	var shape *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &shape):
		return true, nil
	case errors.As(err, &syntax): // its text may quote the content; its place does not
		return false, fmt.Errorf("%w: not valid JSON at byte %d of the line", errDamaged, syntax.Offset)
	default:
		return false, fmt.Errorf("%w: not valid JSON", errDamaged)
	}
}

func (r *reading) claudeLine(l line) error {
	var c claudeLine
	var err error
	if c.odd, err = decodeLine(l, &c); err != nil {
		return err
	}
	r.vendor(c.SessionID)
	sub := r.subagent
	if sub == "" && c.IsSidechain {
		if sub = c.AgentID; sub == "" {
			sub = "sidechain"
		}
	}
	at := r.clock(c.Timestamp)
	r.place(sub, c.Cwd, c.GitBranch)
	if sub != "" {
		r.known(sub).Parent = SessionID(r.tool, r.settled(), "")
	}
	id := ""
	if c.UUID != "" {
		id = recordID(r.tool, c.UUID)
	}
	if f := c.ForkedFrom; f != nil && f.SessionID != "" && f.SessionID != r.vendor("") {
		r.known(sub).ForkedFrom = SessionID(r.tool, f.SessionID, "")
		if f.MessageUUID != "" {
			id = recordID(r.tool, f.MessageUUID)
		}
	}
	switch c.Type {
	case "user", "assistant":
		r.claudeMessage(sub, id, at, &c)
	case "system":
		r.claudeSystem(sub, id, at, &c)
	case "attachment":
		if c.Attachment != nil && c.Attachment.Type == "queued_command" {
			if text := plain(c.Attachment.Prompt); text != "" {
				r.said(sub, id, at, text)
				return nil
			}
		}
		r.foreign(sub, id, "attachment", at)
	case "summary":
		r.known(sub).Facts.Summary = nameOf(c.Summary)
		r.skip("title")
	case "ai-title":
		r.known(sub).Facts.Summary = nameOf(c.AITitle)
		r.skip("title")
	case "custom-title":
		r.known(sub).Facts.Title = nameOf(c.CustomTitle)
		r.skip("title")
	case "queue-operation", "progress", "file-history-snapshot":
		r.skip(c.Type)
	default:
		r.foreign(sub, id, c.Type, at)
	}
	return nil
}

// said adds what a person said.
func (r *reading) said(sub, id string, at time.Time, text string) {
	r.prompt(sub, text)
	r.add(sub, r.entryID(id, 0), at, session.KindInput, session.Input{Text: r.keep(text), Kind: protocol.InputText})
}

// entryID is the id of a record's n-th entry.
func (r *reading) entryID(id string, n int) string {
	if id == "" {
		id = r.placeID()
	}
	if n == 0 {
		return id
	}
	return makeID("block", id, fmt.Sprint(n)).String()
}

func (r *reading) claudeSystem(sub, id string, at time.Time, c *claudeLine) {
	if c.Subtype == "compact_boundary" {
		done := session.Compaction{NewSession: r.sessionID(sub)}
		if c.CompactMetadata != nil {
			done.TokensBefore = max(0, c.CompactMetadata.PreTokens)
		}
		r.add(sub, r.entryID(id, 0), at, session.KindCompaction, done)
		return
	}
	text := plain(c.Content)
	if text == "" {
		r.skip("system")
		return
	}
	r.add(sub, r.entryID(id, 0), at, session.KindSystem, session.System{Text: r.keep(text)})
}

// sessionID is the id of the session that a subagent of this file is; "" is
// the file's own.
func (r *reading) sessionID(sub string) string { return SessionID(r.tool, r.settled(), sub) }

func (r *reading) claudeMessage(sub, id string, at time.Time, c *claudeLine) {
	m := c.Message
	if m == nil {
		r.foreign(sub, id, c.Type, at)
		return
	}
	before := r.count
	blocks, text := blocksOf(m.Content)
	switch {
	case c.Type == "user" && c.IsCompactSummary:
		if text == "" {
			text = textOf(blocks)
		}
		r.add(sub, r.entryID(id, 0), at, session.KindSystem, session.System{Text: r.keep(text)})
	case c.Type == "user" && text != "":
		r.userText(sub, r.entryID(id, 0), at, text, c.IsMeta)
	case text != "":
		r.add(sub, r.entryID(id, 0), at, session.KindText, session.Text{Text: r.keep(text)})
	default:
		for n := range blocks {
			r.claudeBlock(sub, r.entryID(id, n), at, c, &blocks[n])
		}
	}
	switch {
	case r.count > before:
	case c.odd:
		r.foreign(sub, id, c.Type, at)
	default:
		r.skip("empty message")
	}
	if c.Type != "assistant" || m.Model == "" || m.Model == synthetic {
		return
	}
	r.answered(sub, m.Model)
	if u := m.Usage; u != nil {
		r.request(sub, r.claudeRequest(c), at, m.Model, u.usage())
	}
}

// userText adds a text that stands where a person speaks.
func (r *reading) userText(sub, id string, at time.Time, text string, meta bool) {
	if meta {
		r.add(sub, id, at, session.KindSystem, session.System{Text: r.keep(text)})
		return
	}
	r.said(sub, id, at, text)
}

// claudeRequest names the request that a line belongs to: the message and the
// request id, or what of them is there.
func (r *reading) claudeRequest(c *claudeLine) [16]byte {
	if c.Message.ID == "" && c.RequestID == "" {
		return requestKey(string(r.tool), r.entryID(c.UUID, 0))
	}
	return requestKey(string(r.tool), c.Message.ID, c.RequestID)
}

func (u *claudeUsage) usage() session.Usage {
	s := session.Usage{OutputTokens: positive(u.Output), CacheReadTokens: max(0, u.CacheRead), CacheWriteTokens: max(0, u.CacheWrite)}
	if in := positive(u.Input); in != nil {
		all := *in + s.CacheReadTokens + s.CacheWriteTokens
		s.InputTokens = &all
	}
	return s
}

// positive takes a nonsensical negative count for an unknown one.
func positive(n *int64) *int64 {
	if n == nil || *n < 0 {
		return nil
	}
	return n
}
