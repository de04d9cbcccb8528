import type { components } from "../../../generated/studio";
import { fetchJson } from "../../../lib/http/fetch";
import { writeToken } from "../../../lib/http/token";

/** Trades a one-time code for the token; a code is good once and for 60 s. */
export async function exchange(code: string): Promise<void> {
  const body: components["schemas"]["TokenRequest"] = { code };
  const answer = await fetchJson<components["schemas"]["TokenResponse"]>("/api/token", { method: "POST", body, open: true });
  writeToken(answer.token);
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
