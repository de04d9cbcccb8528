import type { Run } from "../api/types";

/**
 * When something last happened in a session, in Unix seconds: its end, or its
 * newest change while it runs. The listing says 0 where it does not know.
 */
export function lastActivity(run: Pick<Run, "ended_at" | "updated_at" | "started_at">): number | null {
  return run.ended_at ?? (run.updated_at || run.started_at);
}
