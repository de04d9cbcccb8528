import { askForToken, onAsked, readAsked, readToken } from "../../../lib/http/token";
import { ApiError } from "../../../lib/problem/problem";

/**
 * Does what needs the token: without one the person is asked for it first, and
 * again if it is refused. Fails with a 401 when they put the question off.
 */
export async function authorised<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    if (readToken() === null) await tokenGiven();
    try {
      return await send();
    } catch (e) {
      // The refused token is forgotten by now, and the question is on the page.
      if (!(e instanceof ApiError && e.status === 401)) throw e;
    }
  }
}

function tokenGiven(): Promise<void> {
  askForToken();
  return new Promise((resolve, reject) => {
    const stop = onAsked(() => {
      const { state } = readAsked();
      if (state === "yes") return;
      stop();
      if (state === "no") resolve();
      else reject(new ApiError(401, "Studio wants its token for this."));
    });
  });
}
