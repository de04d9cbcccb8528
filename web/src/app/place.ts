import { readFilter, writeFilter, type RunFilter } from "../features/runs/state/filter";

/** What stands on the left: what lives above the history, or the history alone. */
export type View = "fleet" | "history";

/** What the address says: the view, what is open, and the filter, never a cursor. */
export interface Place {
  view: View;
  /** The open session. */
  selected: string | null;
  /** The entry of the open session that is pointed at. */
  entry?: string | null;
  /** The open pod, while it has no session. */
  pod: string | null;
  /** Opens a session of this invocation while none is open. */
  invocation: string | null;
  filter: RunFilter;
}

/**
 * Reads an address. /fleet is the fleet, /runs/ID an open session, and an
 * address that nobody knows the fleet.
 */
export function readPlace(search: string, path = "/"): Place {
  const q = new URLSearchParams(search);
  const run = /^\/runs\/([^/]+)\/?$/.exec(path)?.[1];
  const selected = q.get("s") || (run === undefined ? null : decoded(run));
  const pod = selected === null ? q.get("pod") || null : null;
  return {
    view: /^\/history\/?$/.test(path) ? "history" : "fleet",
    selected,
    entry: selected === null ? null : q.get("entry") || null,
    pod,
    invocation: selected === null && pod === null ? q.get("invocation") || null : null,
    filter: readFilter(q),
  };
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The query of an address; the same place always gives the same text. */
export function writePlace(place: Omit<Place, "view">): string {
  const q = new URLSearchParams();
  if (place.selected) {
    q.set("s", place.selected);
    if (place.entry) q.set("entry", place.entry);
  } else if (place.pod) q.set("pod", place.pod);
  else if (place.invocation) q.set("invocation", place.invocation);
  writeFilter(q, place.filter);
  const text = q.toString();
  return text === "" ? "" : `?${text}`;
}

/** The whole address within the origin. */
export function addressOf(place: Place): string {
  return (place.view === "history" ? "/history" : "/") + writePlace(place);
}
