import type { SearchMatch, SearchWindow } from "../api/types";

/** A search inside a session, as far as it came. */
export interface Search {
  /** What is looked for; empty when nothing is. */
  text: string;
  matches: SearchMatch[];
  /** The match that is shown; -1 before there is one. */
  at: number;
  /** Entries that were looked at, from the first on. */
  examined: number;
  /** Where the search goes on; null where the log ends. */
  next: string | null;
  loading: boolean;
  error: Error | null;
}

export const noSearch: Search = { text: "", matches: [], at: -1, examined: 0, next: null, loading: false, error: null };

export type SearchAction =
  | { do: "begin"; text: string }
  | { do: "goOn" }
  | { do: "found"; window: SearchWindow }
  | { do: "failed"; error: Error }
  | { do: "move"; by: 1 | -1 }
  | { do: "end" };

export function search(s: Search, a: SearchAction): Search {
  switch (a.do) {
    case "begin":
      return { ...noSearch, text: a.text, loading: true };
    case "goOn":
      return { ...s, loading: true, error: null };
    case "found": {
      const known = new Set(s.matches.map((m) => m.entry_id));
      const more = a.window.matches.filter((m) => !known.has(m.entry_id));
      return {
        ...s, loading: false, error: null, matches: [...s.matches, ...more], examined: s.examined + a.window.pagination.examined_candidates,
        next: a.window.pagination.next_cursor,
        // The first of what was found is shown.
        at: more.length > 0 ? s.matches.length : s.at,
      };
    }
    case "failed":
      return { ...s, loading: false, error: a.error };
    case "move":
      return { ...s, at: Math.min(s.matches.length - 1, Math.max(0, s.at + a.by)) };
    case "end":
      return noSearch;
  }
}

/** Whether the next match is not known yet and may be further on. */
export function goesOn(s: Search): boolean {
  return s.next !== null && s.at === s.matches.length - 1;
}
