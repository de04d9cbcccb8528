import type { Entry, EntryWindow, Usage } from "../api/types";
import { asRecord } from "./values";

/** What is held of a log: a stretch of it without gaps, and what is known of the rest. */
export interface LogWindow {
  /** Oldest first; each one's ordinal is one more than that of the one before. */
  entries: Entry[];
  /** Place of the first of them; where nothing is held, where they would be. */
  from: number;
  /** Entries of the whole log. */
  total: number;
  usage: Usage | null;
  /** The pod that holds the session. */
  pod: string | null;
}

/** Most entries that are held, and about how many characters of theirs. */
export const mostHeld = 2_000;
export const mostCharacters = 24_000_000;

/** Place behind the last entry that is held. */
export function end(w: LogWindow): number {
  return w.from + w.entries.length;
}

/** Whether what is held reaches the end of the log. */
export function atTail(w: LogWindow): boolean {
  return end(w) >= w.total;
}

/** A window that starts anew. */
export function opened(body: EntryWindow): LogWindow {
  const entries: Entry[] = body.entries;
  return { entries, from: entries[0]?.ordinal ?? 0, ...known(body) };
}

/** With what comes in front; null if that does not meet what is held. */
export function withOlder(w: LogWindow, body: EntryWindow): LogWindow | null {
  const older: Entry[] = body.entries.filter((e) => e.ordinal < w.from);
  if (older.length === 0) return w.from === 0 ? { ...w, ...known(body) } : null;
  if (older.at(-1)?.ordinal !== w.from - 1) return null;
  return { entries: [...older, ...w.entries], from: older[0]?.ordinal ?? 0, ...known(body) };
}

/** With what comes behind; null if that does not meet what is held. */
export function withNewer(w: LogWindow, body: EntryWindow): LogWindow | null {
  const newer: Entry[] = body.entries.filter((e) => e.ordinal >= end(w));
  if (newer.length === 0) return { ...w, ...known(body) };
  if (newer[0]?.ordinal !== end(w)) return null;
  return { entries: [...w.entries, ...newer], from: w.from, ...known(body) };
}

/** With what a window that adds nothing says about the whole. */
export function informed(w: LogWindow, body: EntryWindow): LogWindow {
  const next = known(body);
  const same = next.total === w.total && next.pod === w.pod && JSON.stringify(next.usage) === JSON.stringify(w.usage);
  return same ? w : { ...w, ...next };
}

/**
 * Holds no more than the bounds allow: what is farthest from the place that is
 * read goes first.
 */
export function trimmed(w: LogWindow, reading: number): LogWindow {
  const { entries } = w;
  const weights = entries.map(characters);
  let sum = weights.reduce((a, b) => a + b, 0);
  let lo = 0;
  let hi = entries.length;
  while (hi - lo > 1 && (hi - lo > mostHeld || sum > mostCharacters)) {
    if (reading - (w.from + lo) >= w.from + hi - 1 - reading) sum -= weights[lo++] ?? 0;
    else sum -= weights[--hi] ?? 0;
  }
  return hi - lo === entries.length ? w : { ...w, entries: entries.slice(lo, hi), from: w.from + lo };
}

/** About how many characters an entry holds: its texts, and a little for the rest. */
function characters(e: Entry): number {
  let n = 200;
  for (const v of Object.values(asRecord(e.payload) ?? {})) {
    if (typeof v === "string") n += v.length;
    else for (const inner of Object.values(asRecord(v) ?? {})) n += typeof inner === "string" ? inner.length : 40;
  }
  return n;
}

function known(body: EntryWindow): Pick<LogWindow, "total" | "usage" | "pod"> {
  // A log may grow between the count and the entries.
  const last = body.entries.at(-1)?.ordinal ?? -1;
  return { total: Math.max(body.total, last + 1), usage: body.usage, pod: body.pod };
}
