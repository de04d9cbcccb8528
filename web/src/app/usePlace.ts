import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { addressOf, readPlace, type Place } from "./place";

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

const here = () => window.location.pathname + window.location.search;

/** The address as state: what it says, and how to go elsewhere. */
export function usePlace(): [Place, (to: Place, how: How) => void] {
  const address = useSyncExternalStore(subscribe, here);
  const place = useMemo(() => {
    const url = new URL(address, window.location.origin);
    return readPlace(url.search, url.pathname);
  }, [address]);
  // One place has one address.
  useEffect(() => {
    if (addressOf(place) !== here()) window.history.replaceState(window.history.state, "", addressOf(place));
  }, [place]);
  const go = useCallback((to: Place, how: How) => {
    const url = addressOf(to);
    // Going where one is leaves no trace.
    if (url === here()) return;
    if (how === "push") window.history.pushState(null, "", url);
    else window.history.replaceState(null, "", url);
    window.dispatchEvent(new Event(changed));
  }, []);
  return [place, go];
}
