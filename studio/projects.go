package studio

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"podium.local/session"
)

// projectCount is how many runs carry a project label.
type projectCount struct {
	Project      *string `json:"project"`
	Count        int64   `json:"count"`
	LastActivity *number `json:"last_activity" nullable:"true"`
}

// projectCountsBody is GET /api/runs/projects.
type projectCountsBody struct {
	Projects []projectCount `json:"projects" nullable:"false"`
	Total    int64          `json:"total"`
}

// runProjects answers GET /api/runs/projects, latest activity first.
func (s *Server) runProjects(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	counts, err := s.cfg.Sources.Listings.ProjectCounts(r.Context())
	if err != nil {
		return nil, err
	}
	body := projectCountsBody{Projects: make([]projectCount, 0, len(counts))}
	slices.SortStableFunc(counts, func(a, b session.ProjectCount) int {
		return cmp.Compare(orZero(b.LastActivity), orZero(a.LastActivity))
	})
	for _, c := range counts {
		body.Projects = append(body.Projects, projectCount{Project: c.Project, Count: c.Count, LastActivity: numberOf(c.LastActivity)})
		body.Total += c.Count
	}
	return body, nil
}

func orZero(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// project is one registered project.
type project struct {
	Name         string  `json:"name"`
	Source       string  `json:"source"`
	Path         *string `json:"path"`
	GitHub       *string `json:"github"`
	Description  *string `json:"description"`
	CreatedAt    number  `json:"created_at"`
	UpdatedAt    number  `json:"updated_at"`
	LastSeenAt   *number `json:"last_seen_at" nullable:"true"`
	SessionCount int64   `json:"session_count"`
	RunningCount int64   `json:"running_count"`
	Editable     bool    `json:"editable"`
}

// projectsBody is GET /api/projects/.
type projectsBody struct {
	Projects        []project `json:"projects" nullable:"false"`
	UnassignedCount int64     `json:"unassigned_count"`
}

// agentUse is how many sessions of a project an agent ran.
type agentUse struct {
	AgentName string `json:"agent_name"`
	RunCount  int64  `json:"run_count"`
}

// playbookUse is how many sessions of a project ran a playbook.
type playbookUse struct {
	PlaybookName string `json:"playbook_name"`
	RunCount     int64  `json:"run_count"`
}

// projectDetail is GET /api/projects/{name}.
type projectDetail struct {
	project
	AgentsUsed    []agentUse    `json:"agents_used" nullable:"false"`
	PlaybooksUsed []playbookUse `json:"playbooks_used" nullable:"false"`
}

// listProjects answers GET /api/projects/.
func (s *Server) listProjects(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	all, err := s.cfg.Sources.Projects.ListProjects(r.Context())
	if err != nil {
		return nil, err
	}
	body := projectsBody{Projects: make([]project, 0, len(all.Projects)), UnassignedCount: all.Unassigned}
	for i := range all.Projects {
		body.Projects = append(body.Projects, projectOf(&all.Projects[i]))
	}
	return body, nil
}

// getProject answers GET /api/projects/{name}.
func (s *Server) getProject(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	name := r.PathValue("name")
	p, err := s.cfg.Sources.Projects.GetProject(r.Context(), name)
	if errors.Is(err, session.ErrNotFound) {
		return nil, failf(http.StatusNotFound, "Project '%s' not found", name)
	}
	if err != nil {
		return nil, err
	}
	body := projectDetail{project: projectOf(&p), AgentsUsed: make([]agentUse, 0, len(p.Agents)), PlaybooksUsed: make([]playbookUse, 0, len(p.Playbooks))}
	for _, use := range p.Agents {
		body.AgentsUsed = append(body.AgentsUsed, agentUse{AgentName: use.Name, RunCount: use.Runs})
	}
	for _, use := range p.Playbooks {
		body.PlaybooksUsed = append(body.PlaybooksUsed, playbookUse{PlaybookName: use.Name, RunCount: use.Runs})
	}
	return body, nil
}

func projectOf(p *session.Project) project {
	return project{
		Name: p.Name, Source: p.Source, Path: p.Path, GitHub: p.GitHub, Description: p.Description,
		CreatedAt: number(p.CreatedAt), UpdatedAt: number(p.UpdatedAt), LastSeenAt: numberOf(p.LastSeenAt),
		SessionCount: p.Sessions, RunningCount: p.Running,
		Editable: p.Source == "studio" || p.Source == "global_override",
	}
}
