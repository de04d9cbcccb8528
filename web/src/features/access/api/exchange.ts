import type { components } from "../../../generated/studio";
import { fetchJson } from "../../../lib/http/fetch";
import { writeToken } from "../../../lib/http/token";
import { ApiError } from "../../../lib/problem/problem";

/** Trades a one-time code for the token; a code is good once and for 60 s. */
export async function exchange(code: string): Promise<void> {
  const body: components["schemas"]["TokenRequest"] = { code };
  const answer = await fetchJson<components["schemas"]["TokenResponse"]>("/api/token", { method: "POST", body, open: true });
  writeToken(answer.token);
}

/**
 * Trades the code of a link, if it has one; true when Studio refused it, for it
 * was used or is late. A Studio that does not answer is said by the page's parts.
 */
export async function redeem(code: string | null): Promise<boolean> {
  if (code === null) return false;
  try {
    await exchange(code);
    return false;
  } catch (e) {
    return e instanceof ApiError && e.status === 401;
  }
}

/**
 * Takes a one-time code (#code=…) out of the address, so that it stays
 * neither in sight nor in the history.
 */
export function takeCode(location: Location, history: History): string | null {
  const params = new URLSearchParams(location.hash.slice(1));
  const code = params.get("code");
  if (code === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return code === "" ? null : code;
}
