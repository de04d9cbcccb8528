import { useEffect, useState, useSyncExternalStore, type ComponentType, type ReactNode } from "react";
import { fetchJson } from "../http/fetch";
import { ApiError } from "../problem/problem";

/** A part of the page whose script comes apart from the rest. */
export interface Later<P extends object> {
  /** The part. Until its script is there something else stands in its place, and a way on where it does not come. */
  Part: ComponentType<P>;
  /** Fetches the script before it is needed; one that did not come is asked for again when it is. */
  prepare: () => Promise<void>;
}

/**
 * Makes a part of the page that comes later. One that is there is drawn at
 * once; React.lazy would draw what stands in for it first.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, standIn: ReactNode): Later<P> {
  let state: { part: ComponentType<P> | null; failed: boolean } = { part: null, failed: false };
  let coming: Promise<boolean> | null = null;
  const listeners = new Set<() => void>();
  const become = (next: typeof state) => {
    state = next;
    listeners.forEach((tell) => tell());
  };
  const subscribe = (tell: () => void) => {
    listeners.add(tell);
    return () => void listeners.delete(tell);
  };
  const bring = (): Promise<boolean> =>
    (coming ??= load()
      .then((part) => become({ part, failed: false }))
      .then(() => true, () => false)
      .finally(() => (coming = null)));
  // Only where it is missed it is a failure.
  const need = async (): Promise<boolean> => {
    if (state.part !== null || (await bring())) return true;
    become({ part: null, failed: true });
    return false;
  };
  function Part(props: P) {
    const { part: There, failed } = useSyncExternalStore(subscribe, () => state);
    useEffect(() => void need(), []);
    if (There !== null) return <There {...props} />;
    return failed ? <Missing again={need} /> : standIn;
  }
  return { Part, prepare: async () => void (state.part === null && (await bring())) };
}

/** Loads the page anew; apart, so that a test can take its place. */
export const reload = { page: (): void => window.location.reload() };

/** Said where a script does not come: mostly because Studio has another build by now. */
function Missing({ again }: { again: () => Promise<boolean> }) {
  const [away, setAway] = useState(false);
  const load = async () => {
    setAway(false);
    if (await again()) return;
    // A page is not given up for a daemon that does not answer.
    fetchJson("/health").then(reload.page, (e: unknown) => (e instanceof ApiError && e.unreachable ? setAway(true) : reload.page()));
  };
  return (
    <div className="missing" role="alert">
      <h2>This part of the page did not come</h2>
      {away ? (
        <p>
          Studio does not answer. <code>podium studio</code> starts it.
        </p>
      ) : (
        <p>Studio may have become another version since this page was opened.</p>
      )}
      <button type="button" onClick={() => void load()}>
        Load the page again
      </button>
    </div>
  );
}
