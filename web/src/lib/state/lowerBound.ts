import { useSyncExternalStore } from "react";

const known = new Set<string>();
const listeners = new Set<() => void>();

/**
 * Notes that a session's cost leaves requests out, for whoever shows its cost
 * by its row: a row does not say so, its pod and its log do.
 */
export function noteLowerBound(session: string): void {
  if (known.has(session)) return;
  known.add(session);
  listeners.forEach((tell) => tell());
}

/** Whether a session's cost is known to be a lower bound. */
export function useLowerBound(session: string): boolean {
  return useSyncExternalStore(subscribe, () => known.has(session));
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => void listeners.delete(tell);
}

/** Knows of nothing again. */
export function forgetLowerBounds(): void {
  known.clear();
}
