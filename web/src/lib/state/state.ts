/** What a person sees of a run: one word, one shape, one colour. */
export type DisplayState =
  | "waiting"
  | "running"
  | "compacting"
  | "paused"
  | "idle"
  | "unresponsive"
  | "failed"
  | "completed"
  | "cancelled"
  | "queued";

const words: Record<string, DisplayState> = {
  failed: "failed",
  error: "failed",
  failure: "failed",
  cancelled: "cancelled",
  canceled: "cancelled",
  aborted: "cancelled",
  timed_out: "failed",
  timeout: "failed",
  completed: "completed",
  completed_empty: "completed",
  done: "completed",
  success: "completed",
  finished: "completed",
  running_complete: "completed",
  needs_review: "waiting",
  blocked: "waiting",
  gated: "waiting",
  queued: "queued",
  pending: "queued",
  planned: "queued",
  received: "queued",
  waiting: "queued",
  scheduled: "queued",
};

const lost = new Set(["stale", "orphaned", "zombie", "unresponsive"]);

/** The state of a row from its stored status and, while it runs, its health. */
export function displayState(run: { status: string; effective_health: string | null }): DisplayState {
  const state = words[run.status] ?? "running";
  if (state !== "running") return state;
  if (run.effective_health !== null && lost.has(run.effective_health)) return "unresponsive";
  return run.effective_health === "idle" ? "idle" : "running";
}

/** The word beside the shape: health where it says more than the state does. */
export function stateWord(run: { status: string; effective_health: string | null }): string {
  const state = displayState(run);
  if (state === "unresponsive") return run.effective_health ?? "unresponsive";
  if (run.status === "timed_out" || run.status === "timeout") return "timed out";
  if (run.status === "aborted") return "aborted";
  return state;
}
