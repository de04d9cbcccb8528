import type { components } from "../../../generated/studio";
import { fetchJson } from "../../../lib/http/fetch";
import type { RunPage, RunQuery } from "./types";

/** One page of runs over v1: numbered pages, exact totals. */
export function listRuns(query: RunQuery, page: number, perPage: number, signal?: AbortSignal): Promise<RunPage> {
  return fetchJson<RunPage>(`/api/runs/?${runsQuery(query, page, perPage)}`, { signal });
}

/** How many sessions each project has, most recently used first. */
export function listProjects(signal?: AbortSignal): Promise<components["schemas"]["ProjectCountsBody"]> {
  return fetchJson("/api/runs/projects", { signal });
}

/** The query text; unset values are left out, project_null suppresses project. */
export function runsQuery(query: RunQuery, page: number, perPage: number): string {
  const q = new URLSearchParams({ page: String(page), per_page: String(perPage) });
  if (query.search) q.set("search", query.search);
  for (const s of query.status ?? []) q.append("status", s);
  for (const k of query.kind ?? []) q.append("kind", k);
  if (query.project_null) q.set("project_null", "true");
  else if (query.project) q.set("project", query.project);
  if (query.playbook) q.set("playbook", query.playbook);
  for (const t of query.tag ?? []) q.append("tag", t);
  if (query.sort && query.sort !== "recent") q.set("sort", query.sort);
  return q.toString();
}
