import type { Method } from "../api/pod";

/** What the page needs to know of a live pod. */
export interface LivePod {
  name: string;
  state: string;
  session_id: string | null;
  tool: string | null;
  context_tokens: number | null;
  context_limit: number | null;
}

/** Why a method has no use in a state; a method that is not named has one. */
type Refusals = Partial<Record<Method, string>>;

const notPaused = "It is not paused.";
const nothingRuns = "Nothing runs.";
const runs = "It runs: a note reaches it before its next request to the model.";
const onItsWay = "It is not ready yet.";
const gone = "Its process is gone.";

const refusals: Record<string, Refusals> = {
  idle: { pause: nothingRuns, resume: notPaused, cancel: nothingRuns },
  running: { run: runs, resume: notPaused, compact: "It runs." },
  paused: { pause: "It is paused." },
  compacting: { pause: "It compacts.", resume: notPaused, compact: "It compacts." },
  starting: { run: onItsWay, notify: onItsWay, pause: onItsWay, resume: onItsWay, cancel: onItsWay, compact: onItsWay },
  restarting: { run: onItsWay, notify: onItsWay, pause: onItsWay, resume: onItsWay, cancel: onItsWay, compact: onItsWay },
  dead: { run: gone, notify: gone, pause: gone, resume: gone, cancel: gone, compact: gone },
};

/**
 * Why a method has no use now; null when it has. What a pod in a state that is
 * not known would say is for the pod to say.
 */
export function refusal(state: string, method: Method): string | null {
  return refusals[state]?.[method] ?? null;
}

/** What Enter does with a text: an input, or a note while a run goes on. */
export function usualOf(state: string): "run" | "notify" {
  return refusal(state, "run") !== null && refusal(state, "notify") === null ? "notify" : "run";
}
