package studio

import (
	"podium.local/session"
)

// sessionRow is one session as GET /api/sessions/ lists it: 33 members in
// this order.
type sessionRow struct {
	ID                       string   `json:"id"`
	Name                     string   `json:"name" doc:"Display name; never null."`
	CreatedAt                number   `json:"created_at"`
	UpdatedAt                number   `json:"updated_at" doc:"0.0 when unknown."`
	NodeMetadata             *string  `json:"node_metadata" doc:"JSON text as stored."`
	BranchCount              int64    `json:"branch_count"`
	MessageCount             int64    `json:"message_count"`
	Status                   string   `json:"status"`
	StartedAt                *number  `json:"started_at" nullable:"true"`
	EndedAt                  *number  `json:"ended_at" nullable:"true"`
	EndedAtIsApproximate     bool     `json:"ended_at_is_approximate"`
	LastMessageAt            *number  `json:"last_message_at" nullable:"true"`
	InvocationID             *string  `json:"invocation_id"`
	Model                    *string  `json:"model"`
	Provider                 *string  `json:"provider"`
	Effort                   *string  `json:"effort"`
	AgentHash                *string  `json:"agent_hash"`
	PlaybookName             *string  `json:"playbook_name"`
	AgentName                *string  `json:"agent_name"`
	InvocationKind           *string  `json:"invocation_kind"`
	ShowTopic                *string  `json:"show_topic"`
	ShowPlayName             *string  `json:"show_play_name"`
	ArtifactsPath            *string  `json:"artifacts_path"`
	SourceKind               string   `json:"source_kind"`
	ArtifactContractJSON     document `json:"artifact_contract_json"`
	ArtifactVerificationJSON document `json:"artifact_verification_json"`
	Project                  *string  `json:"project"`
	ProjectSource            *string  `json:"project_source"`
	StatusReasonCode         *string  `json:"status_reason_code"`
	StatusReasonSummary      *string  `json:"status_reason_summary"`
	TotalCostUSD             *number  `json:"total_cost_usd" nullable:"true" doc:"null is unknown, never 0."`
	InputTokens              *int64   `json:"input_tokens"`
	OutputTokens             *int64   `json:"output_tokens"`
}

// runRow is one session as GET /api/runs/ lists it: 34 members in this order.
type runRow struct {
	RunID                    string   `json:"run_id" doc:"Equal to id."`
	ID                       string   `json:"id"`
	Name                     string   `json:"name" doc:"Display name; never null."`
	PlaybookName             *string  `json:"playbook_name"`
	AgentName                *string  `json:"agent_name"`
	InvocationKind           *string  `json:"invocation_kind"`
	ShowTopic                *string  `json:"show_topic"`
	ShowPlayName             *string  `json:"show_play_name"`
	SourceKind               string   `json:"source_kind"`
	ArtifactContractJSON     document `json:"artifact_contract_json"`
	ArtifactVerificationJSON document `json:"artifact_verification_json"`
	InvocationID             *string  `json:"invocation_id"`
	Model                    *string  `json:"model"`
	Provider                 *string  `json:"provider"`
	Effort                   *string  `json:"effort"`
	AgentHash                *string  `json:"agent_hash"`
	Status                   string   `json:"status"`
	StartedAt                *number  `json:"started_at" nullable:"true"`
	EndedAt                  *number  `json:"ended_at" nullable:"true"`
	EndedAtIsApproximate     bool     `json:"ended_at_is_approximate"`
	CreatedAt                number   `json:"created_at"`
	UpdatedAt                *number  `json:"updated_at" nullable:"true" doc:"In listings 0.0 when unknown, in the detail null."`
	LastMessageAt            *number  `json:"last_message_at" nullable:"true"`
	EffectiveHealth          *string  `json:"effective_health" doc:"Health of a running session's process; null for any other."`
	BranchCount              int64    `json:"branch_count"`
	MessageCount             int64    `json:"message_count"`
	Project                  *string  `json:"project"`
	ProjectSource            *string  `json:"project_source"`
	StatusReasonCode         *string  `json:"status_reason_code"`
	StatusReasonSummary      *string  `json:"status_reason_summary"`
	TotalCostUSD             *number  `json:"total_cost_usd" nullable:"true" doc:"null is unknown, never 0."`
	InputTokens              *int64   `json:"input_tokens"`
	OutputTokens             *int64   `json:"output_tokens"`
	Tags                     []string `json:"tags" nullable:"false"`
}

// Shown is what a listing shows of a row in place of what is stored, the same
// everywhere.
type Shown struct {
	// Name is never empty unless the id is.
	Name   string
	Status string
	Model  *string
	// CostUSD is nil when the cost is unknown.
	CostUSD *float64
}

// Show applies the rules of display to a stored row.
func Show(r *session.Row) Shown {
	shown := Shown{Name: displayName(r), Status: statusOf(r), Model: shownModel(r.Model)}
	if cost := shownCost(r); cost != nil {
		usd := float64(*cost)
		shown.CostUSD = &usd
	}
	return shown
}

// sessionRowOf shows a stored row in the sessions listing.
func sessionRowOf(r *session.Row) sessionRow {
	return sessionRow{
		ID: r.ID, Name: displayName(r), CreatedAt: number(r.CreatedAt), UpdatedAt: shownUpdate(r),
		NodeMetadata: r.NodeMetadata, BranchCount: r.BranchCount, MessageCount: r.MessageCount,
		Status: statusOf(r), StartedAt: numberOf(r.StartedAt), EndedAt: numberOf(r.EndedAt),
		EndedAtIsApproximate: r.EndedAtApproximate, LastMessageAt: numberOf(r.LastMessageAt),
		InvocationID: r.InvocationID, Model: shownModel(r.Model), Provider: r.Provider, Effort: r.Effort,
		AgentHash: r.AgentHash, PlaybookName: r.PlaybookName, AgentName: r.AgentName, InvocationKind: r.InvocationKind,
		ShowTopic: r.ShowTopic, ShowPlayName: r.ShowPlayName, ArtifactsPath: r.ArtifactsPath, SourceKind: shownSource(r),
		ArtifactContractJSON: storedDocument(r.ArtifactContract), ArtifactVerificationJSON: listedVerification(r),
		Project: r.Project, ProjectSource: r.ProjectSource,
		StatusReasonCode: r.ReasonCode, StatusReasonSummary: r.ReasonSummary,
		TotalCostUSD: shownCost(r), InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
	}
}

// runRowOf shows a stored row in the runs listing.
func runRowOf(r *session.Row, now float64, live Liveness) runRow {
	var health *string
	if running(r) {
		word := runningHealth(r, now, live)
		health = &word
	}
	updated := shownUpdate(r)
	return runRow{
		RunID: r.ID, ID: r.ID, Name: displayName(r), PlaybookName: r.PlaybookName, AgentName: r.AgentName,
		InvocationKind: r.InvocationKind, ShowTopic: r.ShowTopic, ShowPlayName: r.ShowPlayName, SourceKind: shownSource(r),
		ArtifactContractJSON: storedDocument(r.ArtifactContract), ArtifactVerificationJSON: listedVerification(r),
		InvocationID: r.InvocationID, Model: shownModel(r.Model), Provider: r.Provider, Effort: r.Effort, AgentHash: r.AgentHash,
		Status: statusOf(r), StartedAt: numberOf(r.StartedAt), EndedAt: numberOf(r.EndedAt), EndedAtIsApproximate: r.EndedAtApproximate,
		CreatedAt: number(r.CreatedAt), UpdatedAt: &updated, LastMessageAt: numberOf(r.LastMessageAt), EffectiveHealth: health,
		BranchCount: r.BranchCount, MessageCount: r.MessageCount, Project: r.Project, ProjectSource: r.ProjectSource,
		StatusReasonCode: r.ReasonCode, StatusReasonSummary: r.ReasonSummary,
		TotalCostUSD: shownCost(r), InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, Tags: r.Tags,
	}
}

// shownUpdate is the listing's time of update: 0 when the column is NULL. It
// is for display only and never orders anything.
func shownUpdate(r *session.Row) number {
	if r.UpdatedAt == nil {
		return 0
	}
	return number(*r.UpdatedAt)
}

// shownModel hides the placeholder that some programs write for their own
// bookkeeping.
func shownModel(model *string) *string {
	if model != nil && *model == "<synthetic>" {
		return nil
	}
	return model
}

// shownCost hides the cost of codex rows, which is known to be wrong; listings
// still sort by what is stored.
func shownCost(r *session.Row) *number {
	if r.Provider != nil && *r.Provider == "codex" {
		return nil
	}
	return numberOf(r.TotalCostUSD)
}

// shownSource is the source of a row; a missing or empty one is live.
func shownSource(r *session.Row) string {
	if r.SourceKind == nil || *r.SourceKind == "" {
		return "live"
	}
	return *r.SourceKind
}
