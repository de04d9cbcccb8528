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

/** The stored words that mean each state; a stored word means one thing only. */
const stored: Record<Exclude<DisplayState, "idle" | "unresponsive" | "compacting" | "paused">, readonly string[]> = {
  waiting: ["needs_review", "blocked", "gated"],
  running: ["running", "executing", "in_progress", "director-managed"],
  failed: ["failed", "error", "failure", "timed_out", "timeout"],
  completed: ["completed", "completed_empty", "done", "success", "finished", "running_complete", "director-managed-complete"],
  cancelled: ["cancelled", "canceled", "aborted", "aborted_after_finish"],
  queued: ["queued", "pending", "prepared", "planned", "received", "waiting", "scheduled"],
};

const states = new Map<string, DisplayState>(
  Object.entries(stored).flatMap(([state, words]) => words.map((w) => [w, state as DisplayState] as const)),
);

/** Stored words whose own meaning is said instead of the state's. */
const said: Record<string, string> = {
  timed_out: "timed out",
  timeout: "timed out",
  aborted: "aborted",
  aborted_after_finish: "aborted",
  needs_review: "needs review",
  blocked: "blocked",
  gated: "gated",
};

const lost = new Set(["stale", "orphaned", "zombie", "unresponsive"]);

/** The members of a row that its state follows from. */
export interface Stated {
  status: string;
  effective_health: string | null;
  status_reason_code: string | null;
  status_reason_summary: string | null;
}

/** A row that was closed because nobody held it any more. */
function reaped(run: Stated): boolean {
  return run.status_reason_summary === "phantom_reaped" && run.status_reason_code !== "session.zombie.stale_locks";
}

/** The state of a row from its stored status and, while it runs, its health. */
export function displayState(run: Stated): DisplayState {
  if (reaped(run)) return "unresponsive";
  const state = states.get(run.status);
  if (state === undefined) return "idle";
  if (state !== "running" || run.effective_health === null) return state;
  if (lost.has(run.effective_health)) return "unresponsive";
  return run.effective_health === "idle" ? "idle" : "running";
}

/**
 * The word beside the shape: the stored one or the health where they say more
 * than the state does; a status that nobody knows is shown as it is.
 */
export function stateWord(run: Stated): string {
  if (reaped(run)) return "orphaned";
  const state = displayState(run);
  if (state === "unresponsive") return run.effective_health ?? state;
  if (state === "idle") return states.has(run.status) ? "idle" : run.status;
  return said[run.status] ?? state;
}
