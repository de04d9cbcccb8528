import { fetchJson } from "../../../lib/http/fetch";
import type { RunDetail } from "./types";

/** One run with the newest messages, or the older window that cursor names. */
export function getRun(id: string, cursor: string | null, signal?: AbortSignal): Promise<RunDetail> {
  const q = new URLSearchParams({ message_limit: "100" });
  if (cursor !== null) q.set("message_cursor", cursor);
  return fetchJson<RunDetail>(`/api/runs/${encodeURIComponent(id)}?${q}`, signal ? { signal } : {});
}
