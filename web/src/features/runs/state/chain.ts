import { grouped } from "../../../lib/format/format";
import type { ApiError } from "../../../lib/problem/problem";
import type { StopReason } from "../api/windowTypes";

/** What one window brought. */
export interface Found<R> {
  rows: readonly R[];
  /** Where the next window begins; null when nothing is left. */
  cursor: string | null;
  /** How many sessions it examined. */
  examined: number;
  /** How many it was allowed to examine. */
  limit: number;
  stop: StopReason;
  /** How far back it came, in Unix seconds; null when not known. */
  reached: number | null;
}

/**
 * One traversal of the history, window by window. Every function here gives a
 * new chain, or the same one when what happened does not concern it.
 */
export interface Chain<R> {
  /** Answers to what an older generation asked are not taken. */
  generation: number;
  /** Grows with each traversal that took the place of the rows before it. */
  traversal: number;
  /** What is under way; nothing else is asked meanwhile. */
  asking: Asking | null;
  /** In the order of the server, each session once. */
  rows: readonly R[];
  /** The cursor to go on from, kept until a newer one came. */
  frontier: string | null;
  /** Rows that each window added, oldest window first. */
  windows: readonly number[];
  /** Sessions examined by all windows. */
  examined: number;
  /** How many the next window may examine; 0 before the first. */
  limit: number;
  /** How far back the newest window came, in Unix seconds. */
  reached: number | null;
  /** Why the newest window ended; null before the first. */
  stop: StopReason | null;
  /** When the newest window came, in Unix ms. */
  asOf: number | null;
  /** What went wrong, and what was asked for. */
  failure: { error: ApiError; of: Asking["kind"] } | null;
  /** Why there is nothing to go on from: the cursor was refused, or the store is another. */
  dropped: "cursor" | "store" | null;
  /** What to tell about the newest change. */
  told: string;
}

/** A request of a chain: its beginning, or its window behind a cursor. */
export type Asking = { kind: "begin"; cursor: null } | { kind: "continue"; cursor: string };

/** A chain that has asked for nothing. */
export function newChain<R>(generation: number, traversal = 0): Chain<R> {
  return {
    generation, traversal, asking: null, rows: [], frontier: null, windows: [], examined: 0, limit: 0, reached: null, stop: null, asOf: null, failure: null, dropped: null,
    told: "",
  };
}

/** Asks for the beginning. What is there stays until the answer takes its place. */
export function begin<R>(chain: Chain<R>): Chain<R> {
  if (chain.asking?.kind === "begin") return chain;
  return { ...chain, generation: chain.generation + 1, asking: { kind: "begin", cursor: null } };
}

/** Asks for the window behind the frontier, unless something is under way. */
export function proceed<R>(chain: Chain<R>): Chain<R> {
  if (chain.asking !== null || chain.frontier === null) return chain;
  return { ...chain, asking: { kind: "continue", cursor: chain.frontier } };
}

/** Asks once more for what failed. */
export function retry<R>(chain: Chain<R>): Chain<R> {
  return chain.failure?.of === "continue" && chain.frontier !== null ? proceed(chain) : begin(chain);
}

/** Takes the answer to what was asked; at is the present in Unix ms. */
export function answered<R extends { id: string }>(chain: Chain<R>, generation: number, found: Found<R>, at: number): Chain<R> {
  if (chain.asking === null || generation !== chain.generation) return chain;
  const fresh = chain.asking.kind === "begin";
  const before = fresh ? newChain<R>(chain.generation, chain.traversal + 1) : chain;
  const rows = added(before.rows, found.rows);
  const grown = rows.length - before.rows.length;
  const next: Chain<R> = {
    ...before,
    asking: null,
    rows,
    frontier: found.cursor,
    windows: [...before.windows, grown],
    examined: before.examined + found.examined,
    limit: found.limit,
    reached: found.reached,
    stop: found.stop,
    asOf: at,
    failure: null,
    dropped: null,
  };
  return { ...next, told: tell(next, grown, found.rows.length) };
}

/**
 * Takes a failure. Rows and frontier stay, so that the same window can be
 * asked for again; only where the server wants a restart they go.
 */
export function failed<R>(chain: Chain<R>, generation: number, error: ApiError): Chain<R> {
  if (chain.asking === null || generation !== chain.generation) return chain;
  const failure = { error, of: chain.asking.kind };
  if (error.restartRequired) return { ...newChain<R>(chain.generation, chain.traversal + 1), failure, dropped: "cursor" };
  return { ...chain, asking: null, failure, told: "" };
}

/** Drops rows and cursors of a store that is no longer the configured one. */
export function storeChanged<R>(chain: Chain<R>): Chain<R> {
  return { ...newChain<R>(chain.generation + 1, chain.traversal + 1), dropped: "store" };
}

/** Appends rows that are not there yet. */
function added<R extends { id: string }>(rows: readonly R[], more: readonly R[]): readonly R[] {
  const seen = new Set(rows.map((r) => r.id));
  return [...rows, ...more.filter((r) => !seen.has(r.id) && seen.add(r.id))];
}

/** No match so far, and there is more to examine. */
export const nothingHere = "No matches in this window. Continue search.";
/** No match, and nothing left to examine. */
export const nothingFound = "No matches found in this traversal.";

function tell(chain: Chain<unknown>, grown: number, returned: number): string {
  if (chain.stop !== "exhausted") return returned === 0 ? nothingHere : rowsAdded(grown);
  if (chain.rows.length === 0) return nothingFound;
  return `${rowsAdded(grown)}. Nothing is left to examine.`;
}

function rowsAdded(n: number): string {
  return `${n === 0 ? "No" : grouped(String(n))} ${n === 1 ? "row" : "rows"} added`;
}
