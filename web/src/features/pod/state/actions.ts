import type { components } from "../../../generated/studio";
import type { Method } from "../api/pod";

/** What the page needs to know of a pod; it may be in a state that the server has no word for. */
export type LivePod = Pick<components["schemas"]["FleetPod"], "name" | "tool" | "context_tokens" | "context_limit" | "problem"> & { state: string };

/** Why a method has no use in a state; a method that is not named has one. */
type Refusals = Partial<Record<Method, string>>;

const notPaused = "It is not paused.";
const nothingRuns = "Nothing runs.";
const runs = "It runs: a note reaches it before its next request to the model.";
const silent = "It does not answer.";
const gone = "Its process is gone.";

const refusals: Record<string, Refusals> = {
  idle: { pause: nothingRuns, resume: notPaused, cancel: nothingRuns },
  running: { run: runs, resume: notPaused, compact: "It runs." },
  paused: { pause: "It is paused." },
  compacting: { pause: "It compacts.", resume: notPaused, compact: "It compacts." },
  unresponsive: { pause: silent, resume: silent, cancel: silent, compact: silent },
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
