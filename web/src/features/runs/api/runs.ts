import type { components } from "../../../generated/studio";
import { fetchJson } from "../../../lib/http/fetch";
import { withList } from "../../../lib/http/shape";
import type { RunPage, RunQuery, RunSort, SessionPage } from "./types";

/** One page of runs over v1: numbered pages, exact totals. */
export async function listRuns(query: RunQuery, page: number, perPage: number, signal?: AbortSignal): Promise<RunPage> {
  return withList(await fetchJson<RunPage>(`/api/runs/?${runsQuery(query, page, perPage)}`, { signal }), "runs");
}

/** One part of the sessions over v1: by offset, exact total, no filters. */
export function listSessions(offset: number, limit: number, sort: RunSort = "recent", signal?: AbortSignal): Promise<SessionPage> {
  return fetchJson<SessionPage>(`/api/sessions/?${new URLSearchParams({ offset: String(offset), limit: String(limit), sort })}`, { signal });
}

/** How many sessions each project has, most recently used first. */
export async function listProjects(signal?: AbortSignal): Promise<components["schemas"]["ProjectCountsBody"]> {
  return withList(await fetchJson<components["schemas"]["ProjectCountsBody"]>("/api/runs/projects", { signal }), "projects");
}

/** The query text of a numbered page. */
export function runsQuery(query: RunQuery, page: number, perPage: number): string {
  const q = new URLSearchParams({ page: String(page), per_page: String(perPage) });
  addQuery(q, query);
  return q.toString();
}

/**
 * Adds what both versions ask in the same words; unset values are left out,
 * project_null suppresses project.
 */
export function addQuery(q: URLSearchParams, query: RunQuery): void {
  if (query.search) q.set("search", query.search);
  for (const s of query.status ?? []) q.append("status", s);
  for (const k of query.kind ?? []) q.append("kind", k);
  if (query.project_null) q.set("project_null", "true");
  else if (query.project) q.set("project", query.project);
  if (query.playbook) q.set("playbook", query.playbook);
  for (const t of query.tag ?? []) q.append("tag", t);
  if (query.sort && query.sort !== "recent") q.set("sort", query.sort);
}
