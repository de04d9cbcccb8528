import type { RunFilter, RunSort } from "../api/types";

export const kinds = ["agent", "play", "flow", "fanout", "show"] as const;

/** What the address says: the selected session and the filters, never a cursor. */
export interface Place {
  selected: string | null;
  filter: RunFilter;
}

/** Reads the address; unknown words are dropped instead of sent. */
export function readPlace(search: string): Place {
  const q = new URLSearchParams(search);
  const filter: RunFilter = {};
  const text = q.get("q");
  if (text) filter.search = text;
  const status = q.getAll("status").filter((s) => s !== "");
  if (status.length > 0) filter.status = status;
  const kind = q.getAll("kind").filter((k) => (kinds as readonly string[]).includes(k));
  if (kind.length > 0) filter.kind = kind;
  const project = q.get("project");
  if (q.get("project_null") === "true") filter.project_null = true;
  else if (project) filter.project = project;
  const sort = q.get("sort");
  if (sort === "cost") filter.sort = sort satisfies RunSort;
  return { selected: q.get("s") || null, filter };
}

/** Writes the address; the same place always gives the same text. */
export function writePlace(place: Place): string {
  const q = new URLSearchParams();
  if (place.selected) q.set("s", place.selected);
  const f = place.filter;
  if (f.search) q.set("q", f.search);
  for (const s of f.status ?? []) q.append("status", s);
  for (const k of f.kind ?? []) q.append("kind", k);
  if (f.project_null) q.set("project_null", "true");
  else if (f.project) q.set("project", f.project);
  if (f.sort && f.sort !== "recent") q.set("sort", f.sort);
  const text = q.toString();
  return text === "" ? "" : `?${text}`;
}
