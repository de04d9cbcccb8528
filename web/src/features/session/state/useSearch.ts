import { useEffect, useReducer, useRef } from "react";
import { searchLog } from "../api/session";
import { goesOn, noSearch, search, type Search } from "./search";

export interface SearchControl extends Search {
  /** Looks for another text, or for the next match of the same. */
  find: (text: string) => void;
  forward: () => void;
  back: () => void;
  /** Looks at the next 10,000 entries. */
  goOn: () => void;
  end: () => void;
}

/** A search inside a session: one window of entries for each activation. */
export function useSearch(id: string): SearchControl {
  const [state, send] = useReducer(search, noSearch);
  const flight = useRef<AbortController | null>(null);
  useEffect(() => () => flight.current?.abort(), []);

  const look = (text: string, after: string | null) => {
    flight.current?.abort();
    const mine = (flight.current = new AbortController());
    searchLog(id, text, after, mine.signal).then(
      (window) => {
        if (!mine.signal.aborted) send({ do: "found", window });
      },
      (e: unknown) => {
        if (!mine.signal.aborted) send({ do: "failed", error: e instanceof Error ? e : new Error(String(e)) });
      },
    );
  };
  const goOn = () => {
    if (state.loading || (state.next === null && state.error === null)) return;
    send({ do: "goOn" });
    look(state.text, state.next);
  };
  const forward = () => (goesOn(state) ? goOn() : send({ do: "move", by: 1 }));
  return {
    ...state,
    find: (text) => {
      if (text === state.text && state.error === null) return forward();
      send({ do: "begin", text });
      look(text, null);
    },
    forward,
    back: () => send({ do: "move", by: -1 }),
    goOn,
    end: () => {
      flight.current?.abort();
      send({ do: "end" });
    },
  };
}
