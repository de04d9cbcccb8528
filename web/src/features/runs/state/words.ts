import { clock, day, grouped } from "../../../lib/format/format";
import type { RunSort } from "../api/types";
import type { Chain } from "./chain";
import { windowRows } from "./history";

/** What the button of a chain says and does. */
export interface Next {
  word: "Load more" | "Continue search" | "End of the search" | "Try again" | "Start again";
  does: "proceed" | "retry" | "nothing";
  /** What will happen then. */
  note: string;
}

/** The one step that a chain can take from where it is. */
export function next({ dropped, failure, stop, frontier, limit }: Chain<unknown>, sort: RunSort): Next {
  if (dropped !== null) return { word: "Start again", does: "retry", note: "Start again begins a new search." };
  if (failure !== null) {
    return { word: "Try again", does: "retry", note: failure.of === "continue" && frontier !== null ? "Try again asks for the same window." : "Try again begins a new search." };
  }
  if (stop === null) return { word: "Load more", does: "nothing", note: sort === "cost" ? "Looking at the costliest sessions." : "Looking at the newest sessions." };
  if (frontier === null) return { word: "End of the search", does: "nothing", note: "Nothing is left to examine. Refresh begins a new search." };
  const most = grouped(String(limit));
  if (stop === "row_limit") return { word: "Load more", does: "proceed", note: `Load more brings up to ${windowRows} rows of the next ${most}.` };
  return { word: "Continue search", does: "proceed", note: `Continue search examines the next ${most} sessions.` };
}

/** How far a search came: how much it examined, back to when, and as of when. */
export function reach({ examined, reached, asOf }: Chain<unknown>): string {
  if (asOf === null) return "nothing examined yet";
  const parts = [`examined ${grouped(String(examined))}`];
  if (reached !== null) parts.push(`back to ${day(reached)}`);
  parts.push(`as of ${clock(asOf / 1000).slice(0, 5)}`);
  return parts.join(" · ");
}
