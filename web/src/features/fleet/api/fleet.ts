import type { components } from "../../../generated/studio";
import { fetchEvents, fetchJson } from "../../../lib/http/fetch";
import type { ServerEvent } from "../../../lib/http/events";
import type { FleetBody } from "./types";

/** Everything that lives, at once. */
export function getFleet(signal: AbortSignal): Promise<FleetBody> {
  return fetchJson<FleetBody>("/api/pods", { signal });
}

/** How long the stream may be silent, in ms: it beats every 5 s. */
const silence = 15_000;

/** The fleet's stream, from behind lastEventId on. */
export function streamFleet(lastEventId: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  return fetchEvents("/api/fleet/stream", { signal, lastEventId, silence });
}

/** What sessions were started by: its name, and the sessions. */
export function getInvocation(id: string, signal?: AbortSignal): Promise<components["schemas"]["InvocationDetail"]> {
  return fetchJson(`/api/invocations/${encodeURIComponent(id)}`, { signal });
}
