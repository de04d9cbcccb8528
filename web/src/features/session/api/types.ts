import type { components } from "../../../generated/studio";

/** GET /api/runs/{id}: the row and a window of the messages of each branch. */
export type RunDetail = components["schemas"]["RunDetail"];
export type Branch = components["schemas"]["Branch"];
export type Message = components["schemas"]["Message"];

/** GET /api/sessions/{id}/entries: a window of the log, oldest first. */
export type EntryWindow = components["schemas"]["EntriesBody"];

/** What a session used so far; null is unknown. */
export type Usage = components["schemas"]["LogUsage"];

/** GET /api/sessions/{id}/lineage: compactions through a session, oldest first. */
export type Lineage = components["schemas"]["LineageBody"];
export type LineageStep = components["schemas"]["LineageStep"];

/** GET /api/sessions/{id}/search: one bounded look at a log. */
export type SearchWindow = components["schemas"]["SearchBody"];
export type SearchMatch = components["schemas"]["SearchMatch"];

/** GET /api/runs/{id}/file: the text of an artifact. */
export type FileText = components["schemas"]["FileBody"];

/**
 * One record of a log. The kinds are those of the document; one that this page
 * does not know yet is shown as it came.
 */
export type Entry = Pick<components["schemas"]["Entry"], "id" | "created_at" | "payload" | "ordinal"> & {
  kind: string;
  pod_id?: string | null;
  seq?: number | null;
  /** What the server sent, where the entry was made from something else. */
  source?: unknown;
};
