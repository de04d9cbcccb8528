import type { components } from "../../../generated/studio";
import { fetchAnswer, fetchJson } from "../../../lib/http/fetch";
import { addQuery } from "./runs";
import type { RunQuery, RunSort } from "./types";
import type { Answer, RunsWindow, SessionsWindow, WindowRequest } from "./windowTypes";

/** One bounded window of runs (v2). */
export function listRunsV2(query: RunQuery, request: WindowRequest, signal?: AbortSignal): Promise<Answer<RunsWindow>> {
  const q = begin(request, "per_page");
  addQuery(q, query);
  return ask<RunsWindow>("/api/runs/", q, signal);
}

/** One bounded window of sessions (v2), which know no filters. */
export function listSessionsV2(sort: RunSort, request: WindowRequest, signal?: AbortSignal): Promise<Answer<SessionsWindow>> {
  const q = begin(request, "limit");
  addQuery(q, { sort });
  return ask<SessionsWindow>("/api/sessions/", q, signal);
}

/** The condition of the store, and which one it is. */
export function readReadiness(signal?: AbortSignal): Promise<components["schemas"]["ReadinessBody"]> {
  return fetchJson("/api/admin/readiness", { signal });
}

function begin(request: WindowRequest, rows: "per_page" | "limit"): URLSearchParams {
  const q = new URLSearchParams({ listing_version: "2", [rows]: String(request.rows) });
  if (request.cursor != null) q.set("cursor", request.cursor);
  if (request.exactTotal) q.set("exact_total", "true");
  return q;
}

async function ask<W>(path: string, q: URLSearchParams, signal?: AbortSignal): Promise<Answer<W>> {
  const { body, headers } = await fetchAnswer<W>(`${path}?${q}`, { signal });
  const reached = Number.parseFloat(headers.get("Podium-Listing-Reached") ?? "");
  return { window: body, reached: Number.isFinite(reached) ? reached : null };
}
