import { useCallback, useSyncExternalStore } from "react";
import { readPlace, writePlace, type Place } from "../features/runs/state/url";

const changed = "podium:place";

function subscribe(tell: () => void): () => void {
  window.addEventListener("popstate", tell);
  window.addEventListener(changed, tell);
  return () => {
    window.removeEventListener("popstate", tell);
    window.removeEventListener(changed, tell);
  };
}

/** The address as state: what it says, and how to go elsewhere. */
export function usePlace(): [Place, (to: Place, how?: "push" | "replace") => void] {
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  const go = useCallback((to: Place, how: "push" | "replace" = "push") => {
    const url = window.location.pathname + writePlace(to);
    if (how === "push") window.history.pushState(null, "", url);
    else window.history.replaceState(null, "", url);
    window.dispatchEvent(new Event(changed));
  }, []);
  return [readPlace(search), go];
}
