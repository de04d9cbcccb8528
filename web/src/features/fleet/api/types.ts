import type { components } from "../../../generated/studio";

/** Why somebody is waited for, and since when (Unix seconds). */
export interface Attention {
  kind: string;
  since: number;
}

/** A live pod. Times are Unix seconds, cost is US dollars, null is unknown. */
export interface Pod {
  name: string;
  pod_id: string;
  session_id: string | null;
  title: string | null;
  /** starting, idle, running, paused, compacting, restarting, unresponsive. */
  state: string;
  /** The tool that runs now. */
  tool: string | null;
  model: string | null;
  project: string | null;
  cwd: string;
  started_at: number;
  /** When it came into its state. */
  since: number | null;
  context_tokens: number | null;
  context_limit: number | null;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  /** Only a part of what it used has a price. */
  cost_partial: boolean;
  clients: number;
  attention: Attention | null;
}

/** A session that runs, is queued, waits, or failed within the last 24 hours. */
export type FleetRun = components["schemas"]["RunRow"] & { attention: Attention | null };

/** GET /api/pods: everything that lives. */
export interface FleetBody {
  as_of: number;
  pods: Pod[];
  runs: FleetRun[];
  /** More sessions run than the answer may hold. */
  truncated: boolean;
}

/** What changed since the frame before. */
export interface FleetChange {
  as_of: number;
  /** New and changed ones, whole. */
  pods: Pod[];
  runs: FleetRun[];
  /** Names of pods, and ids of runs, that are no longer in the fleet. */
  gone_pods: string[];
  gone_runs: string[];
  truncated: boolean;
}

/** What the fleet's stream says. */
export type Frame = ({ type: "reset" } & FleetBody) | ({ type: "change" } & FleetChange) | { type: "heartbeat" };
