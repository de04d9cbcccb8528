const key = "podium.token";
const listeners = new Set<() => void>();

/** The bearer token of this tab, or null. Never in a URL, never in localStorage. */
export function readToken(): string | null {
  return sessionStorage.getItem(key);
}

export function writeToken(token: string): void {
  sessionStorage.setItem(key, token);
  listeners.forEach((tell) => tell());
}

/** Forgets a token that was refused, unless a newer one is there by now. */
export function dropToken(refused: string): void {
  if (readToken() !== refused) return;
  sessionStorage.removeItem(key);
  listeners.forEach((tell) => tell());
}

/** Calls tell on each change; the return value ends that. */
export function onToken(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** Takes a one-time code out of the address (#code=…) so that it is not kept in the history. */
export function takeCode(location: Location, history: History): string | null {
  const code = new URLSearchParams(location.hash.replace(/^#/, "")).get("code");
  if (code === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return code;
}
