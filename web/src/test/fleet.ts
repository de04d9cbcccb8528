import type { FleetBody, FleetRun, Pod } from "../features/fleet/api/types";
import { aRun } from "./studio";

/** A live pod; what a test cares about is given. */
export function aPod(over: Partial<Pod> = {}): Pod {
  return {
    name: "fixer", pod_id: "p1", session_id: "s1", title: "fix the flaky login test", state: "running", tool: "Bash", model: "claude-sonnet-5",
    project: "shop", cwd: "/src/shop", started_at: 1_000, since: 1_100, context_tokens: 84_000, context_limit: 200_000, input_tokens: 24_000,
    output_tokens: 1_200, cost_usd: 0.42, cost_partial: false, clients: 0, attention: null, problem: null, ...over,
  };
}

export function aFleetRun(over: Partial<FleetRun> = {}): FleetRun {
  return { ...aRun({ status: "running", ended_at: null, ...over }), attention: over.attention ?? null };
}

export function aFleet(pods: Pod[] = [], runs: FleetRun[] = [], over: Partial<FleetBody> = {}): FleetBody {
  return { as_of: 1_200, pods, runs, truncated: false, failed_truncated: false, ...over };
}
