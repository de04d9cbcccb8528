package studio

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"podium.local/session"
)

// invocationCore is what listing and detail say first of an orchestration.
type invocationCore struct {
	ID                  string   `json:"id"`
	Skill               string   `json:"skill"`
	Plugin              *string  `json:"plugin"`
	Prompt              *string  `json:"prompt"`
	StartedAt           number   `json:"started_at"`
	EndedAt             *number  `json:"ended_at" nullable:"true"`
	Status              string   `json:"status"`
	StatusReasonCode    *string  `json:"status_reason_code"`
	StatusReasonSummary *string  `json:"status_reason_summary"`
	StatusEvidenceRefs  document `json:"status_evidence_refs"`
	SessionCount        int64    `json:"session_count"`
	CreatedAt           number   `json:"created_at"`
	UpdatedAt           number   `json:"updated_at"`
	NodeMetadata        document `json:"node_metadata"`
}

// invocationFate is what became of an orchestration.
type invocationFate struct {
	ScheduleRunExitCode    *int64  `json:"schedule_run_exit_code"`
	ScheduleRunErrorDetail *string `json:"schedule_run_error_detail"`
	Health                 string  `json:"health" doc:"The worst of its sessions; unknown without any."`
	LastActivityAt         *number `json:"last_activity_at" nullable:"true"`
}

// invocation is one orchestration of the listing.
type invocation struct {
	invocationCore
	Project       *string `json:"project"`
	ProjectSource *string `json:"project_source"`
	invocationFate
}

// TransformSchema adds what the detail has too.
func (invocation) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return withMembersOf(r, withMembersOf(r, s, invocationFate{}), invocationCore{})
}

// invocationsBody is GET /api/invocations/.
type invocationsBody struct {
	Invocations    []invocation `json:"invocations" nullable:"false"`
	Limit          int64        `json:"limit"`
	Offset         int64        `json:"offset"`
	HasNext        bool         `json:"has_next"`
	Total          int64        `json:"total"`
	CompletedTotal int64        `json:"completed_total" doc:"Completed ones whatever status was asked for."`
}

// invocationSession is a session of an invocation.
type invocationSession struct {
	ID             string  `json:"id"`
	Name           *string `json:"name"`
	AgentName      *string `json:"agent_name"`
	PlaybookName   *string `json:"playbook_name"`
	InvocationKind *string `json:"invocation_kind"`
	Status         *string `json:"status"`
	LastMessageAt  *number `json:"last_message_at" nullable:"true"`
	StartedAt      *number `json:"started_at" nullable:"true"`
	EndedAt        *number `json:"ended_at" nullable:"true"`
	Model          *string `json:"model"`
	Effort         *string `json:"effort"`
}

// artifact is a structured result.
type artifact struct {
	ID           string   `json:"id"`
	InvocationID *string  `json:"invocation_id"`
	SessionID    *string  `json:"session_id"`
	Kind         string   `json:"kind"`
	Name         string   `json:"name"`
	CreatedAt    number   `json:"created_at"`
	Content      document `json:"content"`
	FilePath     *string  `json:"file_path"`
}

// invocationDetail is GET /api/invocations/{id}.
type invocationDetail struct {
	invocation
	Sessions  []invocationSession `json:"sessions" nullable:"false"`
	Artifacts []artifact          `json:"artifacts" nullable:"false"`
}

// TransformSchema adds what the listing has too.
func (invocationDetail) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return withMembersOf(r, s, invocation{})
}

func coreOf(in *session.Invocation) invocationCore {
	return invocationCore{
		ID: in.ID, Skill: in.Skill, Plugin: in.Plugin, Prompt: in.Prompt, StartedAt: number(in.StartedAt), EndedAt: numberOf(in.EndedAt),
		Status: in.Status, StatusReasonCode: in.ReasonCode, StatusReasonSummary: in.ReasonSummary, StatusEvidenceRefs: storedDocument(in.EvidenceRefs),
		SessionCount: in.SessionCount, CreatedAt: number(in.CreatedAt), UpdatedAt: number(in.UpdatedAt), NodeMetadata: metadataOf(in),
	}
}

func (s *Server) invocationOf(ctx context.Context, in *session.Invocation) invocation {
	return invocation{
		invocationCore: coreOf(in), Project: in.Project, ProjectSource: in.ProjectSource, invocationFate: s.fateOf(ctx, in),
	}
}

func (s *Server) fateOf(ctx context.Context, in *session.Invocation) invocationFate {
	health, last := s.groupHealth(ctx, in.Children)
	return invocationFate{
		ScheduleRunExitCode: in.ScheduleExitCode, ScheduleRunErrorDetail: in.ScheduleErrorDetail, Health: health, LastActivityAt: last,
	}
}

var invocationsParams = params{list: []param{
	{name: "skill", kind: stringParam, doc: "Exact skill."},
	{name: "plugin", kind: stringParam, doc: "Exact plugin."},
	{name: "status", kind: stringParam, doc: "Exact status."},
	{name: "limit", kind: intParam, def: 50, min: 1, max: 200, doc: "Rows to return."},
	{name: "offset", kind: intParam, def: 0, min: 0, max: -1, doc: "Matching rows to skip."},
}}

// listInvocations answers GET /api/invocations/.
func (s *Server) listInvocations(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	q := session.InvocationQuery{Limit: int(r.values.ints["limit"]), Offset: r.values.ints["offset"]}
	q.Skill, _ = r.values.str("skill")
	q.Plugin, _ = r.values.str("plugin")
	q.Status, _ = r.values.str("status")
	page, err := s.cfg.Sources.Invocations.ListInvocations(r.Context(), q)
	if err != nil {
		return nil, err
	}
	body := invocationsBody{
		Invocations: make([]invocation, 0, len(page.Invocations)), Limit: int64(q.Limit), Offset: q.Offset,
		HasNext: len(page.Invocations) == q.Limit, Total: page.Total, CompletedTotal: page.CompletedTotal,
	}
	for i := range page.Invocations {
		body.Invocations = append(body.Invocations, s.invocationOf(r.Context(), &page.Invocations[i]))
	}
	return body, nil
}

// getInvocation answers GET /api/invocations/{id}.
func (s *Server) getInvocation(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	in, err := s.cfg.Sources.Invocations.GetInvocation(r.Context(), r.id())
	if errors.Is(err, session.ErrNotFound) {
		return nil, failf(http.StatusNotFound, "Invocation '%s' not found", r.id())
	}
	if err != nil {
		return nil, err
	}
	body := invocationDetail{
		invocation: s.invocationOf(r.Context(), &in),
		Sessions:   make([]invocationSession, 0, len(in.Children)), Artifacts: make([]artifact, 0, len(in.Artifacts)),
	}
	for i := range in.Children {
		c := &in.Children[i]
		body.Sessions = append(body.Sessions, invocationSession{
			ID: c.ID, Name: c.Name, AgentName: c.AgentName, PlaybookName: c.PlaybookName, InvocationKind: c.InvocationKind, Status: c.Status,
			LastMessageAt: numberOf(c.LastMessageAt), StartedAt: numberOf(c.StartedAt), EndedAt: numberOf(c.EndedAt), Model: c.Model, Effort: c.Effort,
		})
	}
	for _, a := range in.Artifacts {
		content := storedDocument(a.Content)
		if _, isText := content.text(); isText {
			content = ""
		}
		body.Artifacts = append(body.Artifacts, artifact{
			ID: a.ID, InvocationID: a.InvocationID, SessionID: a.SessionID, Kind: a.Kind, Name: a.Name,
			CreatedAt: number(a.CreatedAt), Content: content, FilePath: a.FilePath,
		})
	}
	return body, nil
}

// metadataOf is an invocation's metadata; text that is not JSON is null.
func metadataOf(in *session.Invocation) document {
	if in.NodeMetadata == nil {
		return ""
	}
	d, err := parseDocument(*in.NodeMetadata)
	if err != nil {
		return ""
	}
	return d
}

// groupHealth is the worst health among sessions and their latest activity.
// An ended session is healthy: it holds nothing any more.
func (s *Server) groupHealth(ctx context.Context, children []session.Row) (string, *number) {
	if len(children) == 0 {
		return healthUnknown, nil
	}
	rows := pointers(children)
	live := s.prober.probe(ctx, rows, false)
	now := session.UnixSeconds(s.now())
	worst := healthHealthy
	var last *number
	for i, row := range rows {
		word := healthHealthy
		if !terminal(statusOf(row)) {
			word = runningHealth(row, now, live[i])
		}
		if healthSeverity[word] > healthSeverity[worst] {
			worst = word
		}
		if at := lastActivity(row); at != 0 && (last == nil || number(at) > *last) {
			n := number(at)
			last = &n
		}
	}
	return worst, last
}
