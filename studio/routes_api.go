package studio

import "net/http"

// sessionRoutes are those of one session and of the sessions listing.
func (s *Server) sessionRoutes() []route {
	notFound := []int{http.StatusNotFound}
	return []route{
		{
			method: http.MethodGet, path: "/api/sessions/", id: "listSessions", area: "sessions", store: true,
			doc:    "Lists sessions by numbered offset, with the exact count. Unknown parameters are ignored.",
			params: sessionsParams, response: sessionsBody{}, handle: s.listSessions, bounded: s.listSessionsV2,
		},
		{
			method: http.MethodGet, path: "/api/sessions/{id}", id: "getSession", area: "sessions", store: true,
			doc:    "One session with a window of the newest messages of each branch.",
			params: sessionParams, response: sessionDetail{}, errors: []int{http.StatusBadRequest, http.StatusNotFound}, handle: s.getSession,
		},
		{
			method: http.MethodPatch, path: "/api/sessions/{id}", id: "renameSession", area: "sessions", store: true, access: tokenAccess,
			doc:  "Renames a session. 409 on an adopted store.",
			body: renameRequest{}, response: renamedBody{}, list: true, errors: []int{http.StatusNotFound, http.StatusConflict}, handle: s.renameSession,
		},
		{
			method: http.MethodDelete, path: "/api/sessions/{id}", id: "deleteSession", area: "sessions", store: true, access: tokenAccess,
			doc:    "Deletes a session for good. 409 while a live pod holds it and on an adopted store.",
			status: http.StatusNoContent, errors: []int{http.StatusNotFound, http.StatusConflict}, handle: s.deleteSession,
		},
		{
			method: http.MethodGet, path: "/api/sessions/{id}/stream", id: "streamSession", area: "sessions", store: true,
			doc:    "The session's messages, past and coming, as server-sent events; a frame's id is the cursor to resume with.",
			params: streamParams, media: "text/event-stream", errors: []int{http.StatusBadRequest, http.StatusNotFound}, stream: s.streamSession,
		},
		{
			method: http.MethodGet, path: "/api/sessions/{id}/entries", id: "getEntries", area: "sessions", store: true,
			doc:    "A window of the session's log: the newest entries, or those around, before or after one.",
			params: entriesParams, response: entriesBody{}, errors: notFound, handle: s.getEntries,
		},
		{
			method: http.MethodGet, path: "/api/sessions/{id}/search", id: "searchSession", area: "sessions", store: true,
			doc:    "Looks for a text in the session's log, at most 10,000 entries a request, and says how far it looked.",
			params: searchParams, response: searchBody{}, errors: notFound, handle: s.searchSession,
		},
		{
			method: http.MethodGet, path: "/api/sessions/{id}/lineage", id: "getLineage", area: "sessions", store: true,
			doc:      "The sessions this one was compacted from and continued in.",
			response: lineageBody{}, errors: notFound, handle: s.getLineage,
		},
		{
			method: http.MethodGet, path: "/api/sessions/{id}/export", id: "exportSession", area: "sessions", store: true,
			doc:    "The whole log as JSON Lines or Markdown.",
			params: exportParams, media: "application/jsonl", errors: notFound, stream: s.exportSession,
		},
		{
			method: http.MethodPost, path: "/api/sessions/{id}/tags", id: "addTag", area: "sessions", store: true, access: tokenAccess,
			doc:  "Tags a session; a tag that is there already stays.",
			body: tagRequest{}, response: tagsBody{}, list: true, errors: []int{http.StatusNotFound, http.StatusConflict}, handle: s.addTag,
		},
		{
			method: http.MethodDelete, path: "/api/sessions/{id}/tags/{tag}", rest: true, id: "removeTag", area: "sessions", store: true, access: tokenAccess,
			doc:      "Takes a tag off a session. The tag is the rest of the path, slashes too.",
			response: tagsBody{}, errors: []int{http.StatusConflict}, handle: s.removeTag,
		},
	}
}

// runRoutes are those of the runs listing. The fixed word comes before the
// variable for readers; the router prefers it in any order.
func (s *Server) runRoutes() []route {
	return []route{
		{
			method: http.MethodGet, path: "/api/runs/", id: "listRuns", area: "runs", store: true,
			doc:    "Lists runs by numbered page, filtered, with the exact count. Unknown parameters are refused.",
			params: runsParams, response: runsBody{}, handle: s.listRuns, bounded: s.listRunsV2,
		},
		{
			method: http.MethodGet, path: "/api/runs/projects", id: "listRunProjects", area: "runs", store: true,
			doc: "Counts runs by project.", response: projectCountsBody{}, handle: s.runProjects,
		},
		{
			method: http.MethodGet, path: "/api/runs/{id}", id: "getRun", area: "runs", store: true,
			doc:    "One run: its row, and a window of the newest messages of each branch.",
			params: runParams, response: runDetail{}, errors: []int{http.StatusBadRequest, http.StatusNotFound}, handle: s.getRun,
		},
		{
			method: http.MethodGet, path: "/api/runs/{id}/file", id: "getRunFile", area: "runs", store: true, access: tokenAccess,
			doc:    "The text of a file below the run's artifact folder.",
			params: fileParams, response: fileBody{},
			errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusUnsupportedMediaType}, handle: s.getFile,
		},
	}
}

// projectRoutes are those of projects, orchestrations and spend.
func (s *Server) projectRoutes() []route {
	notFound := []int{http.StatusNotFound}
	return []route{
		{
			method: http.MethodGet, path: "/api/projects/", id: "listProjects", area: "projects", store: true,
			doc: "All registered projects with their sessions counted.", response: projectsBody{}, handle: s.listProjects,
		},
		{
			method: http.MethodGet, path: "/api/projects/{name}", id: "getProject", area: "projects", store: true,
			doc: "One project with its most used agents and playbooks.", response: projectDetail{}, errors: notFound, handle: s.getProject,
		},
		{
			method: http.MethodGet, path: "/api/invocations/", id: "listInvocations", area: "invocations", store: true,
			doc: "Lists orchestrations, newest first.", params: invocationsParams, response: invocationsBody{}, handle: s.listInvocations,
		},
		{
			method: http.MethodGet, path: "/api/invocations/{id}", id: "getInvocation", area: "invocations", store: true,
			doc: "One orchestration with its sessions and artifacts.", response: invocationDetail{}, errors: notFound, handle: s.getInvocation,
		},
		{
			method: http.MethodGet, path: "/api/usage", id: "getUsage", area: "usage", store: true,
			doc:    "Sessions started and spend by day, project or model; priced and unpriced requests apart.",
			params: usageParams, response: usageBody{}, handle: s.getUsage,
		},
		{
			method: http.MethodGet, path: "/api/imports", id: "listImports", area: "imports", store: true,
			doc:    "The ledger of imported files: how far each was read and what became of its lines.",
			params: importsParams, response: importsBody{}, handle: s.listImports,
		},
	}
}

// adminRoutes say how the daemon and its store are.
func (s *Server) adminRoutes() []route {
	return []route{
		{
			method: http.MethodGet, path: "/api/admin/readiness", id: "getReadiness", area: "admin",
			doc:    "The condition of the store, read with one indexed query. Always 200.",
			params: readinessParams, response: readinessBody{}, handle: s.getReadiness,
		},
	}
}
