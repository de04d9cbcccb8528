/**
 * The bearer token of this tab: in sessionStorage, never in a URL, never in
 * localStorage. And whether Studio has asked for one.
 */
const key = "podium.token";
const listeners = new Set<() => void>();

// Stands in where sessionStorage is switched off.
let held: string | null = null;
let asked: Asked = { state: "no" };

/** Whether the person has to be asked for the token, and why. */
export type Asked =
  | { state: "no" }
  /** Studio wants a token; refused tells that it had one and did not take it. */
  | { state: "yes"; refused: boolean }
  /** The person put it off; nothing asks again before they want to. */
  | { state: "later"; refused: boolean };

export function readToken(): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return held;
  }
}

export function writeToken(token: string): void {
  try {
    sessionStorage.setItem(key, token);
  } catch {
    held = token;
  }
  setAsked({ state: "no" });
}

/**
 * Notes a 401. The token that it was answered to is forgotten, unless a newer
 * one is there by now; then nothing needs to be asked.
 */
export function noteRefusal(used: string | null): void {
  const current = readToken();
  if (current !== used) return;
  if (current !== null) {
    held = null;
    try {
      sessionStorage.removeItem(key);
    } catch {
      // held was all there is.
    }
  }
  const refused = used !== null || (asked.state !== "no" && asked.refused);
  if (asked.state === "later" && used === null) return;
  setAsked({ state: "yes", refused });
}

/** Asks for the token, also when it was put off. */
export function askForToken(): void {
  setAsked({ state: "yes", refused: asked.state !== "no" && asked.refused });
}

/** Puts the question off. */
export function putOff(): void {
  if (asked.state === "yes") setAsked({ state: "later", refused: asked.refused });
}

export function readAsked(): Asked {
  return asked;
}

/** Calls tell on each change; the return value ends that. */
export function onAsked(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function setAsked(next: Asked): void {
  if (next.state === asked.state && next.state !== "no" && asked.state !== "no" && next.refused === asked.refused) return;
  asked = next;
  listeners.forEach((tell) => tell());
}
