import { createContext, useContext, useSyncExternalStore } from "react";
import type { DisplayState } from "./state";

/** What a live pod is at. */
export interface Living {
  state: DisplayState;
  word: string;
  /** What it works on now; null while it does not work, or does not answer. */
  work: Work | null;
}

/** What a pod that works is at, and in Unix seconds since when it works. */
export interface Work {
  kind: "run" | "compaction";
  /** The tool call that runs; null while the model is asked. */
  tool: string | null;
  since: number | null;
}

/** Where it can be asked what the pod that holds a session is at. */
export interface LivingSource {
  subscribe: (tell: () => void) => () => void;
  /** The same object while nothing changes; undefined where no live pod is known. */
  of: (session: string) => Living | undefined;
}

const nobody: LivingSource = { subscribe: () => () => undefined, of: () => undefined };

/**
 * Live pods for whoever shows a session. A stored row only knows that its
 * session is held: that its pod rests, or waits, is known to the pod.
 */
export const LivingContext = createContext<LivingSource>(nobody);

/** What the live pod of a session is at; undefined where the row has to say it. */
export function useLiving(session: string): Living | undefined {
  const source = useContext(LivingContext);
  return useSyncExternalStore(source.subscribe, () => source.of(session));
}

/** Whether two say the same. */
export function sameLiving(a: Living, b: Living): boolean {
  return a.state === b.state && a.word === b.word && a.work?.kind === b.work?.kind && a.work?.tool === b.work?.tool && a.work?.since === b.work?.since;
}
