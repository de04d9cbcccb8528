package studio

import (
	"path/filepath"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"podium.local/session"
)

// runDetail is GET /api/runs/{id}: the listing's row and what only the detail
// knows.
type runDetail struct {
	runRow
	StateRoot          *string      `json:"state_root" doc:"Folder above the artifact folder, never absolute."`
	ArtifactRoot       *string      `json:"artifact_root" doc:"Artifact folder, never absolute."`
	WorkerName         string       `json:"worker_name"`
	Task               string       `json:"task"`
	StepCount          int          `json:"step_count"`
	FinishedAt         *number      `json:"finished_at" nullable:"true"`
	Error              *string      `json:"error"`
	Cwd                *string      `json:"cwd"`
	Steps              stepList     `json:"steps" doc:"One a branch; null without branches."`
	Graph              document     `json:"graph"`
	Manifest           emptyObject  `json:"manifest"`
	Branches           []branch     `json:"branches" nullable:"false"`
	MessageLimit       int64        `json:"message_limit"`
	MessageCursor      *string      `json:"message_cursor"`
	MessageNextCursor  *string      `json:"message_next_cursor"`
	MessageStats       messageStats `json:"message_stats"`
	StatusEvidenceRefs document     `json:"status_evidence_refs"`
}

// emptyObject keeps a member that clients expect and that holds nothing.
type emptyObject struct{}

// Schema documents it.
func (emptyObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false}
}

// stepList is null when there is no step.
type stepList []runStep

// MarshalJSONTo writes the list.
func (l stepList) MarshalJSONTo(enc *jsontext.Encoder) error {
	if l == nil {
		return enc.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(enc, []runStep(l))
}

// Schema documents the two arms.
func (stepList) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeArray, Items: schemaOf(r, runStep{})}, {Type: "null"},
	}}
}

// runStep is one branch as a step.
type runStep struct {
	Step      string     `json:"step"`
	Status    string     `json:"status"`
	Result    stepResult `json:"result"`
	Messages  []message  `json:"messages" nullable:"false"`
	Timestamp *number    `json:"timestamp" nullable:"true"`
}

// stepResult sums a step up.
type stepResult struct {
	Agent        string           `json:"agent"`
	Model        string           `json:"model"`
	MessageCount int64            `json:"message_count"`
	Roles        map[string]int64 `json:"roles"`
}

// runParams are refused outside their bounds.
var runParams = params{list: []param{
	{name: "message_limit", kind: intParam, def: defaultWindow, min: 1, max: maxWindow, doc: "Messages a branch."},
	{name: "message_cursor", kind: stringParam, doc: "Cursor of an older window."},
}}

// getRun answers GET /api/runs/{id}. Mirrored rows, which no listing shows,
// are readable here.
func (s *Server) getRun(r *request) (any, error) {
	limit := r.values.ints["message_limit"]
	d, cursor, err := s.detail(r, "Run", limit, 0)
	if err != nil {
		return nil, err
	}
	row := &d.Row
	row.BranchCount, row.MessageCount = int64(len(d.Branches)), d.Stats.MessageCount
	if row.LastMessageAt == nil {
		row.LastMessageAt = newestShown(d.Branches)
	}
	live := s.prober.probe(r.Context(), []*session.Row{row}, false)
	shown := runRowOf(row, session.UnixSeconds(s.now()), live[0])
	shown.UpdatedAt = numberOf(row.UpdatedAt)
	shown.ArtifactVerificationJSON = checkedVerification(row, s.fence, s.now())
	out := runDetail{
		runRow: shown, WorkerName: firstText(row.AgentName, row.PlaybookName), StepCount: len(d.Branches),
		FinishedAt: numberOf(row.EndedAt), Graph: graphOf(storedDocument(row.NodeMetadata)), Branches: branchesOf(d, limit, 0),
		MessageLimit: limit, MessageCursor: cursor, MessageNextCursor: nextMessageCursor(r.id(), limit, d.NextAnchors),
		MessageStats: statsOf(d), StatusEvidenceRefs: storedDocument(d.EvidenceRefs),
	}
	if row.ArtifactsPath != nil && *row.ArtifactsPath != "" {
		out.ArtifactRoot = s.shownPath(*row.ArtifactsPath)
		out.StateRoot = s.shownPath(filepath.Dir(*row.ArtifactsPath))
	}
	out.Steps = stepsOf(d.Branches, out.Branches)
	return out, nil
}

// newestShown is the newest time among the messages of the windows.
func newestShown(branches []session.Branch) *float64 {
	var newest *float64
	for i := range branches {
		for j := range branches[i].Messages {
			if at := &branches[i].Messages[j].At; newest == nil || *at > *newest {
				newest = at
			}
		}
	}
	return newest
}

func stepsOf(stored []session.Branch, shown []branch) []runStep {
	var steps []runStep
	for i := range stored {
		b := &stored[i]
		name := firstText(b.Name, b.AgentName)
		if name == "" {
			name = "agent"
		}
		status := "pending"
		if b.MessageCount > 0 {
			status = "completed"
		}
		steps = append(steps, runStep{
			Step: name, Status: status, Messages: shown[i].Messages, Timestamp: shown[i].StartedAt,
			Result: stepResult{Agent: name, Model: firstText(shownModel(b.Model)), MessageCount: b.MessageCount, Roles: b.Roles},
		})
	}
	return steps
}

// firstText is the first text that is there and not empty.
func firstText(candidates ...*string) string {
	for _, c := range candidates {
		if c != nil && *c != "" {
			return *c
		}
	}
	return ""
}

// shownPath is a folder as clients may see it: relative to the home folder,
// else its name alone.
func (s *Server) shownPath(dir string) *string {
	shown := filepath.Base(dir)
	if s.cfg.Home != "" && within(s.cfg.Home, dir) {
		if rel, err := filepath.Rel(s.cfg.Home, dir); err == nil {
			shown = filepath.ToSlash(rel)
		}
	}
	shown = strings.TrimPrefix(shown, "/")
	return &shown
}
