import type { components } from "../../../generated/listing";

/** A row of GET /api/runs/ (v2); the same as in v1. */
export type WindowRun = components["schemas"]["RunRow"];

/** The envelope of GET /api/runs/ (v2): a total is known only when it was asked for. */
export type RunsWindow = components["schemas"]["RunsWindow"];

/** The envelope of GET /api/sessions/ (v2). */
export type SessionsWindow = components["schemas"]["SessionsWindow"];

/** Why a window ended. */
export type StopReason = components["schemas"]["Pagination"]["stop_reason"];

/** How many match: exactly, or unknown, which is not 0. */
export type Total = components["schemas"]["Total"];

/** An envelope, and what came beside it. */
export interface Answer<W> {
  window: W;
  /** How far back the window came, in Unix seconds; null when that is not known. */
  reached: number | null;
}

/** Where a window begins and what it is to bring. */
export interface WindowRequest {
  /** The next_cursor of an answer to the same request; absent begins. */
  cursor?: string | null;
  /** Most rows, 1 to 500. */
  rows: number;
  /** Counts all matches too, at the cost of the whole store. */
  exactTotal?: boolean;
}
