package studio

import (
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"podium.local/session"
)

// Bounds of the message window.
const (
	defaultWindow = 200
	maxWindow     = 1000
)

// message is one message of a window.
type message struct {
	ID               string   `json:"id"`
	Role             string   `json:"role"`
	Content          document `json:"content"`
	ContentWithheld  bool     `json:"content_withheld" doc:"The content is too large to be read with the others."`
	Sender           *string  `json:"sender"`
	Timestamp        number   `json:"timestamp"`
	LionClass        string   `json:"lion_class"`
	ActionRequestID  string   `json:"action_request_id,omitempty"`
	ActionResponseID string   `json:"action_response_id,omitempty"`
}

// streamMessage is a message with its branch, as streams send it.
type streamMessage struct {
	message
	BranchID string `json:"branch_id"`
}

// branchStats count a branch's messages.
type branchStats struct {
	MessageCount int64            `json:"message_count"`
	Roles        map[string]int64 `json:"roles"`
}

// toolError is a tool call that went wrong.
type toolError struct {
	Function  string  `json:"function"`
	Sender    *string `json:"sender"`
	Timestamp *number `json:"timestamp" nullable:"true"`
	Output    string  `json:"output"`
}

// messageStats describe all messages of a session, not the window.
type messageStats struct {
	MessageCount  int64                  `json:"message_count" doc:"Messages that exist."`
	Roles         map[string]int64       `json:"roles"`
	Branches      map[string]branchStats `json:"branches"`
	ToolCallCount int64                  `json:"tool_call_count"`
	ErrorCount    int64                  `json:"error_count"`
	Errors        []toolError            `json:"errors" nullable:"false"`
	Files         []string               `json:"files" nullable:"false"`
	Bounded       bool                   `json:"bounded" doc:"Only the newest part was counted."`
	FilesBounded  bool                   `json:"files_bounded"`
}

// branch is one line of conversation with a window of its messages.
type branch struct {
	ID                 string      `json:"id"`
	Name               *string     `json:"name"`
	CreatedAt          number      `json:"created_at"`
	Messages           []message   `json:"messages" nullable:"false"`
	MessageTotal       int64       `json:"message_total" doc:"Members of the branch, missing ones included."`
	MessageOffset      int64       `json:"message_offset"`
	MessageLimit       int64       `json:"message_limit"`
	MessageWindowCount int         `json:"message_window_count"`
	MessagesTruncated  bool        `json:"messages_truncated"`
	MessageHasOlder    bool        `json:"message_has_older"`
	MessageStats       branchStats `json:"message_stats"`
	FirstMessageAt     *number     `json:"first_message_at" nullable:"true"`
	LastMessageAt      *number     `json:"last_message_at" nullable:"true"`
	Model              *string     `json:"model"`
	Provider           *string     `json:"provider"`
	AgentName          *string     `json:"agent_name"`
	Status             *string     `json:"status"`
	StartedAt          *number     `json:"started_at" nullable:"true"`
	EndedAt            *number     `json:"ended_at" nullable:"true"`
}

// showRef is the show that a session played in.
type showRef struct {
	Topic    string `json:"topic"`
	PlayName string `json:"play_name"`
}

// optionalShow is a showRef or null.
type optionalShow struct{ ref *showRef }

// MarshalJSONTo writes the reference, or null for none.
func (o optionalShow) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, o.ref)
}

// Schema documents the two arms.
func (optionalShow) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{schemaOf(r, showRef{}), {Type: "null"}}}
}

// sessionDetail is GET /api/sessions/{id}: 43 members.
type sessionDetail struct {
	ID                       string       `json:"id"`
	Name                     string       `json:"name"`
	CreatedAt                number       `json:"created_at"`
	UpdatedAt                *number      `json:"updated_at" nullable:"true"`
	PlaybookName             *string      `json:"playbook_name"`
	AgentName                *string      `json:"agent_name"`
	InvocationKind           *string      `json:"invocation_kind"`
	ShowTopic                *string      `json:"show_topic"`
	ShowPlayName             *string      `json:"show_play_name"`
	ArtifactsPath            *string      `json:"artifacts_path"`
	ArtifactContractJSON     document     `json:"artifact_contract_json"`
	ArtifactVerificationJSON document     `json:"artifact_verification_json"`
	SourceKind               string       `json:"source_kind"`
	Status                   string       `json:"status"`
	StartedAt                *number      `json:"started_at" nullable:"true"`
	EndedAt                  *number      `json:"ended_at" nullable:"true"`
	EndedAtIsApproximate     bool         `json:"ended_at_is_approximate"`
	DurationMS               *number      `json:"duration_ms" nullable:"true" doc:"Milliseconds; null when the end was not measured."`
	LastMessageAt            *number      `json:"last_message_at" nullable:"true"`
	SourceShow               optionalShow `json:"source_show"`
	Branches                 []branch     `json:"branches" nullable:"false"`
	MessageLimit             int64        `json:"message_limit"`
	MessageCursor            *string      `json:"message_cursor"`
	MessageNextCursor        *string      `json:"message_next_cursor" doc:"Names the older window; null at the beginning."`
	MessageStats             messageStats `json:"message_stats"`
	Model                    *string      `json:"model"`
	Provider                 *string      `json:"provider"`
	Effort                   *string      `json:"effort"`
	AgentHash                *string      `json:"agent_hash"`
	InvocationID             *string      `json:"invocation_id"`
	HasControlConsumer       bool         `json:"has_control_consumer"`
	PauseIsHeld              bool         `json:"pause_is_held"`
	Project                  *string      `json:"project"`
	ProjectSource            *string      `json:"project_source"`
	StatusReasonCode         *string      `json:"status_reason_code"`
	StatusReasonSummary      *string      `json:"status_reason_summary"`
	StatusEvidenceRefs       document     `json:"status_evidence_refs"`
	TotalCostUSD             *number      `json:"total_cost_usd" nullable:"true"`
	InputTokens              *int64       `json:"input_tokens"`
	OutputTokens             *int64       `json:"output_tokens"`
	Graph                    document     `json:"graph"`
	Segments                 document     `json:"segments"`
	NodeMetadata             *string      `json:"node_metadata"`
}

// sessionParams are clamped instead of refused, as they always were.
var sessionParams = params{list: []param{
	{name: "message_limit", kind: intParam, def: defaultWindow, unbounded: true, doc: "Messages a branch, clamped to 1..1000."},
	{name: "message_offset", kind: intParam, unbounded: true, doc: "Newest messages to skip; ignored with a cursor."},
	{name: "message_cursor", kind: stringParam, doc: "Cursor of an older window."},
}}

// getSession answers GET /api/sessions/{id}.
func (s *Server) getSession(r *request) (any, error) {
	limit := min(max(r.values.ints["message_limit"], 1), maxWindow)
	offset := max(r.values.ints["message_offset"], 0)
	d, cursor, err := s.detail(r, "Session", limit, offset)
	if err != nil {
		return nil, err
	}
	return s.sessionDetailOf(r.id(), d, limit, offset, cursor), nil
}

// detail reads a session with the window that the request asks for. what
// names the thing in the 404.
func (s *Server) detail(r *request, what string, limit, offset int64) (*session.Detail, *string, error) {
	if err := s.requireFile(r); err != nil {
		return nil, nil, err
	}
	missing := failf(http.StatusNotFound, "%s '%s' not found", what, r.id())
	if !s.cfg.Sources.Presence.Present() {
		return nil, nil, missing
	}
	window := session.Window{Limit: int(limit), Offset: offset}
	var cursor *string
	if token, given := r.values.str("message_cursor"); given {
		cursor = &token
		if token != "" {
			anchors, err := decodeMessageCursor(token, r.id(), limit)
			if err != nil {
				return nil, nil, err
			}
			window.Anchors = anchors
		}
	}
	d, err := s.cfg.Sources.Sessions.SessionDetail(r.Context(), r.id(), window)
	var stale *session.AnchorError
	switch {
	case errors.As(err, &stale):
		return nil, nil, failf(http.StatusBadRequest, "message_cursor anchor not found in branch %s progression", pythonQuote(stale.Branch))
	case errors.Is(err, session.ErrNotFound):
		return nil, nil, missing
	case err != nil:
		return nil, nil, err
	}
	return &d, cursor, nil
}

func (s *Server) sessionDetailOf(id string, d *session.Detail, limit, offset int64, cursor *string) sessionDetail {
	r := &d.Row
	out := sessionDetail{
		ID: r.ID, Name: displayName(r), CreatedAt: number(r.CreatedAt), UpdatedAt: numberOf(r.UpdatedAt),
		PlaybookName: r.PlaybookName, AgentName: r.AgentName, InvocationKind: r.InvocationKind, ShowTopic: r.ShowTopic,
		ShowPlayName: r.ShowPlayName, ArtifactsPath: r.ArtifactsPath, ArtifactContractJSON: storedDocument(r.ArtifactContract),
		ArtifactVerificationJSON: checkedVerification(r, s.fence, s.now()), SourceKind: shownSource(r), Status: statusOf(r),
		StartedAt: numberOf(r.StartedAt), EndedAt: numberOf(r.EndedAt), EndedAtIsApproximate: r.EndedAtApproximate,
		DurationMS: shownDuration(d), LastMessageAt: numberOf(r.LastMessageAt), Branches: branchesOf(d, limit, offset),
		MessageLimit: limit, MessageCursor: cursor, MessageNextCursor: nextMessageCursor(id, limit, d.NextAnchors),
		MessageStats: statsOf(d), Model: shownModel(r.Model), Provider: r.Provider, Effort: r.Effort, AgentHash: r.AgentHash,
		InvocationID: r.InvocationID, HasControlConsumer: controlConsumer(d), PauseIsHeld: d.PauseHeld, Project: r.Project,
		ProjectSource: r.ProjectSource, StatusReasonCode: r.ReasonCode, StatusReasonSummary: r.ReasonSummary,
		StatusEvidenceRefs: storedDocument(d.EvidenceRefs), TotalCostUSD: shownCost(r), InputTokens: r.InputTokens,
		OutputTokens: r.OutputTokens, NodeMetadata: r.NodeMetadata,
	}
	if d.Show != nil {
		out.SourceShow = optionalShow{&showRef{Topic: d.Show.Topic, PlayName: d.Show.PlayName}}
	}
	metadata := storedDocument(r.NodeMetadata)
	out.Graph = graphOf(metadata)
	out.Segments, _ = metadata.member("segments")
	return out
}

// shownDuration is the measured duration; one is never derived from an end
// that was only reconstructed.
func shownDuration(d *session.Detail) *number {
	switch {
	case d.EndedAtApproximate:
		return nil
	case d.DurationMS != nil:
		return numberOf(d.DurationMS)
	case d.StartedAt != nil && d.EndedAt != nil:
		ms := number((*d.EndedAt - *d.StartedAt) * 1000)
		return &ms
	}
	return nil
}

// controlConsumer reports whether a control queued for the session would ever
// be taken up: an agent's session only when its runner said that it looks.
func controlConsumer(d *session.Detail) bool {
	if d.InvocationKind == nil || *d.InvocationKind != "agent" {
		return true
	}
	drains, _ := storedDocument(d.NodeMetadata).member("drains_controls")
	return d.RunID != nil && *d.RunID != "" && !drains.blank()
}

func branchesOf(d *session.Detail, limit, offset int64) []branch {
	out := make([]branch, 0, len(d.Branches))
	for i := range d.Branches {
		b := &d.Branches[i]
		started := numberOf(b.StartedAt)
		if started == nil {
			created := number(b.CreatedAt)
			started = &created
		}
		out = append(out, branch{
			ID: b.ID, Name: b.Name, CreatedAt: number(b.CreatedAt), Messages: messagesOf(b.Messages),
			MessageTotal: b.Total, MessageOffset: offset, MessageLimit: limit, MessageWindowCount: len(b.Messages),
			MessagesTruncated: b.Total > int64(len(b.Messages)), MessageHasOlder: b.HasOlder,
			MessageStats: branchStats{MessageCount: b.MessageCount, Roles: b.Roles}, FirstMessageAt: numberOf(b.FirstAt),
			LastMessageAt: numberOf(b.LastAt), Model: shownModel(b.Model), Provider: b.Provider, AgentName: b.AgentName,
			Status: b.Status, StartedAt: started, EndedAt: numberOf(b.EndedAt),
		})
	}
	return out
}

func messagesOf(stored []session.Message) []message {
	out := make([]message, 0, len(stored))
	for i := range stored {
		out = append(out, messageOf(&stored[i]))
	}
	return out
}

func messageOf(m *session.Message) message {
	return message{
		ID: m.ID, Role: m.Role, Content: storedDocument(m.Content), ContentWithheld: m.Withheld, Sender: m.Sender,
		Timestamp: number(m.At), LionClass: m.Class, ActionRequestID: m.ActionRequestID, ActionResponseID: m.ActionResponseID,
	}
}

func statsOf(d *session.Detail) messageStats {
	st := &d.Stats
	out := messageStats{
		MessageCount: st.MessageCount, Roles: st.Roles, Branches: make(map[string]branchStats, len(d.Branches)),
		ToolCallCount: st.ToolCallCount, ErrorCount: int64(len(st.Errors)), Errors: make([]toolError, 0, len(st.Errors)),
		Files: st.Files, Bounded: st.Bounded, FilesBounded: st.FilesBounded,
	}
	for i := range d.Branches {
		b := &d.Branches[i]
		out.Branches[b.ID] = branchStats{MessageCount: b.MessageCount, Roles: b.Roles}
	}
	for _, e := range st.Errors {
		out.Errors = append(out.Errors, toolError{Function: e.Function, Sender: e.Sender, Timestamp: numberOf(e.At), Output: e.Output})
	}
	return out
}
