import { fetchJson } from "../../../lib/http/fetch";
import type { ProjectCount, RunFilter, RunPage } from "./types";

/** One page of runs over v1: numbered pages, exact totals. */
export function listRuns(filter: RunFilter, page: number, perPage: number, signal?: AbortSignal): Promise<RunPage> {
  return fetchJson<RunPage>(`/api/runs/?${runsQuery(filter, page, perPage)}`, signal ? { signal } : {});
}

export function listProjects(signal?: AbortSignal): Promise<{ projects: ProjectCount[]; total: number }> {
  return fetchJson("/api/runs/projects", signal ? { signal } : {});
}

/** The query text; unset values are left out, project_null suppresses project. */
export function runsQuery(filter: RunFilter, page: number, perPage: number): string {
  const q = new URLSearchParams({ page: String(page), per_page: String(perPage) });
  if (filter.search) q.set("search", filter.search);
  for (const s of filter.status ?? []) q.append("status", s);
  for (const k of filter.kind ?? []) q.append("kind", k);
  if (filter.project_null) q.set("project_null", "true");
  else if (filter.project) q.set("project", filter.project);
  if (filter.sort && filter.sort !== "recent") q.set("sort", filter.sort);
  return q.toString();
}
