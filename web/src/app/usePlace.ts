import { useCallback, useMemo, useSyncExternalStore } from "react";
import { readPlace, writePlace, type Place } from "./place";

const changed = "podium:place";

function subscribe(tell: () => void): () => void {
  window.addEventListener("popstate", tell);
  window.addEventListener(changed, tell);
  return () => {
    window.removeEventListener("popstate", tell);
    window.removeEventListener(changed, tell);
  };
}

/** How a new address enters the history. */
export type How = "push" | "replace";

/** The address as state: what it says, and how to go elsewhere. */
export function usePlace(): [Place, (to: Place, how: How) => void] {
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  const place = useMemo(() => readPlace(search), [search]);
  const go = useCallback((to: Place, how: How) => {
    const query = writePlace(to);
    // Going where one is leaves no trace.
    if (query === writePlace(readPlace(window.location.search))) return;
    const url = window.location.pathname + query;
    if (how === "push") window.history.pushState(null, "", url);
    else window.history.replaceState(null, "", url);
    window.dispatchEvent(new Event(changed));
  }, []);
  return [place, go];
}
