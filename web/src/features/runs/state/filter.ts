import type { RunQuery, RunSort } from "../api/types";

/** The kinds that the server can filter by. */
export const kinds = ["agent", "play", "flow", "fanout", "show"] as const;
export type Kind = (typeof kinds)[number];

/**
 * The statuses that the page offers, in the words that its rows show, and the
 * stored ones that each stands for.
 */
export const statuses = {
  waiting: ["needs_review", "blocked", "gated"],
  running: ["running"],
  failed: ["failed", "error", "failure"],
  "timed out": ["timed_out"],
  completed: ["done", "completed_empty", "running_complete"],
  cancelled: ["cancelled"],
  aborted: ["aborted"],
  queued: ["pending", "queued", "scheduled"],
} as const satisfies Record<string, readonly string[]>;
export type StatusWord = keyof typeof statuses;

/** What the list shows, and how; absent means everything in numbered pages. */
export interface RunFilter {
  search?: string;
  status?: StatusWord;
  kind?: Kind;
  project?: string;
  project_null?: boolean;
  playbook?: string;
  tag?: readonly string[];
  sort?: RunSort;
  /** Bounded windows (version 2) instead of numbered pages. */
  list?: "window";
}

/** What a filter has besides what it leaves out of the list. */
type Manner = Pick<RunFilter, "sort" | "list">;

/** Whether anything is left out of the list. */
export function filtered(filter: RunFilter): boolean {
  return Object.keys(filter).some((key) => key !== "sort" && key !== "list");
}

/** The same list with nothing left out. */
export function unfiltered({ sort, list }: RunFilter): Manner {
  return { ...(sort ? { sort } : {}), ...(list ? { list } : {}) };
}

/** The filter for a project's sessions: null for those of none, undefined for all. */
export function withProject({ project: _, project_null: __, ...rest }: RunFilter, project: string | null | undefined): RunFilter {
  if (project === undefined) return rest;
  return project === null ? { ...rest, project_null: true } : { ...rest, project };
}

/** The filter in the server's words. */
export function queryOf({ status, kind, list: _, ...rest }: RunFilter): RunQuery {
  return { ...rest, ...(status ? { status: statuses[status] } : {}), ...(kind ? { kind: [kind] } : {}) };
}

/** Reads a filter out of an address; unknown words are dropped, not sent. */
export function readFilter(q: URLSearchParams): RunFilter {
  const filter: RunFilter = {};
  const search = q.get("q");
  if (search) filter.search = search;
  const status = q.getAll("status").find((s): s is StatusWord => Object.hasOwn(statuses, s));
  if (status) filter.status = status;
  const kind = q.getAll("kind").find((k): k is Kind => (kinds as readonly string[]).includes(k));
  if (kind) filter.kind = kind;
  const project = q.get("project");
  if (q.get("project_null") === "true") filter.project_null = true;
  else if (project) filter.project = project;
  const playbook = q.get("playbook");
  if (playbook) filter.playbook = playbook;
  const tag = [...new Set(q.getAll("tag"))].filter((t) => t !== "");
  if (tag.length > 0) filter.tag = tag;
  if (q.get("sort") === "cost") filter.sort = "cost";
  if (q.get("list") === "window") filter.list = "window";
  return filter;
}

/** Writes a filter into an address, always in the same order. */
export function writeFilter(q: URLSearchParams, f: RunFilter): void {
  if (f.search) q.set("q", f.search);
  if (f.status) q.set("status", f.status);
  if (f.kind) q.set("kind", f.kind);
  if (f.project_null) q.set("project_null", "true");
  else if (f.project) q.set("project", f.project);
  if (f.playbook) q.set("playbook", f.playbook);
  for (const t of f.tag ?? []) q.append("tag", t);
  if (f.sort && f.sort !== "recent") q.set("sort", f.sort);
  if (f.list) q.set("list", f.list);
}
