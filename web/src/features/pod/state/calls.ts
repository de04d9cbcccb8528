import { useCallback, useRef, useState } from "react";
import { ApiError } from "../../../lib/problem/problem";
import { callPod, newRequestId, type Method } from "../api/pod";

/** What became of the newest call. */
export type Call =
  | { state: "none" }
  | { state: "out"; method: Method }
  /** The pod took it, at a time in Unix ms. */
  | { state: "taken"; method: Method; at: number }
  | { state: "failed"; method: Method; problem: ApiError };

/** Calls of one pod, one at a time. */
export interface Calls {
  call: Call;
  /** True when the pod took it; false when it did not, or another call is out. */
  send: (method: Method, text?: string) => Promise<boolean>;
  /** Forgets a call that was taken. */
  settle: () => void;
  /** Forgets the newest call, unless it is out. */
  clear: () => void;
}

export function useCalls(pod: string): Calls {
  const [call, setCall] = useState<Call>({ state: "none" });
  const out = useRef(false);
  // The text that was sent and not answered.
  const open = useRef<{ method: Method; text: string; id: string } | null>(null);
  const send = useCallback(
    async (method: Method, text = "") => {
      if (out.current) return false;
      out.current = true;
      setCall({ state: "out", method });
      // What may have arrived is sent again under its id.
      const said = method === "run" || method === "notify";
      const again = open.current;
      const id = !said ? undefined : again !== null && again.method === method && again.text === text ? again.id : newRequestId();
      open.current = id === undefined ? again : { method, text, id };
      try {
        await callPod(pod, method, text, id);
        if (said) open.current = null;
        setCall({ state: "taken", method, at: Date.now() });
        return true;
      } catch (e) {
        setCall({ state: "failed", method, problem: e instanceof ApiError ? e : new ApiError(0, String(e)) });
        return false;
      } finally {
        out.current = false;
      }
    },
    [pod],
  );
  const settle = useCallback(() => setCall((c) => (c.state === "taken" ? { state: "none" } : c)), []);
  const clear = useCallback(() => setCall((c) => (c.state === "out" ? c : { state: "none" })), []);
  return { call, send, settle, clear };
}
