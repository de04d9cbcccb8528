import type { components } from "../../../generated/studio";

/** GET /api/runs/{id}: the row and a window of the messages of each branch. */
export type RunDetail = components["schemas"]["RunDetail"];
export type Branch = components["schemas"]["Branch"];
export type Message = components["schemas"]["Message"];

/** GET /api/sessions/{id}/entries: a window of the log, oldest first. */
export type EntryWindow = components["schemas"]["EntriesBody"];

/** GET /api/sessions/{id}/lineage: compactions through a session, oldest first. */
export type Lineage = components["schemas"]["LineageBody"];

/**
 * One record of a log. The kinds are those of the document; one that this page
 * does not know yet is shown as it came.
 */
export type Entry = Pick<components["schemas"]["Entry"], "id" | "created_at" | "payload"> & { kind: string };
