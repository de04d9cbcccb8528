import { readFilter, writeFilter, type RunFilter } from "../features/runs/state/filter";

/** What the address says: the open session and the filter, never a cursor. */
export interface Place {
  selected: string | null;
  filter: RunFilter;
}

/** Reads the query of an address. */
export function readPlace(search: string): Place {
  const q = new URLSearchParams(search);
  return { selected: q.get("s") || null, filter: readFilter(q) };
}

/** The query of an address; the same place always gives the same text. */
export function writePlace(place: Place): string {
  const q = new URLSearchParams();
  if (place.selected) q.set("s", place.selected);
  writeFilter(q, place.filter);
  const text = q.toString();
  return text === "" ? "" : `?${text}`;
}
