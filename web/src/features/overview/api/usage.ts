import { fetchJson } from "../../../lib/http/fetch";
import { withList } from "../../../lib/http/shape";
import { ApiError } from "../../../lib/problem/problem";
import type { Usage, UsageBy } from "./types";

/** How many days the overview shows, today included. */
export const days = 30;

/**
 * Sums of the last days, which begin at midnight of a zone. A zone that Studio
 * does not know is no reason to show nothing: then days are those of UTC, and
 * the answer's tz says so.
 */
export async function getUsage(by: UsageBy, zone: string, signal?: AbortSignal): Promise<Usage> {
  try {
    return await read(by, zone, signal);
  } catch (e) {
    if (e instanceof ApiError && e.status === 422 && zone !== "UTC") return read(by, "UTC", signal);
    throw e;
  }
}

async function read(by: UsageBy, zone: string, signal?: AbortSignal): Promise<Usage> {
  const query = new URLSearchParams({ days: String(days), tz: zone, by });
  return withList(await fetchJson<Usage>(`/api/usage?${query.toString()}`, { signal }), "groups");
}

/** The viewer's zone by its IANA name. */
export function viewerZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}
