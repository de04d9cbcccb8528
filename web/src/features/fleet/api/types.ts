import type { components } from "../../../generated/studio";

type Schemas = components["schemas"];

/** A live pod. Times are Unix seconds, cost is US dollars, null is unknown. */
export type Pod = Schemas["FleetPod"];

/** A session that runs, is queued, waits, or failed within the last 24 hours. */
export type FleetRun = Schemas["FleetRun"];

/** GET /api/pods: everything that lives. */
export type FleetBody = Pick<Schemas["FleetBody"], "as_of" | "pods" | "runs" | "truncated" | "failed_truncated">;

/** What changed since the frame before: new and changed ones whole, others by name or id. */
export interface FleetChange extends FleetBody {
  gone_pods: string[];
  gone_runs: string[];
}

/** What the fleet's stream says. */
export type Frame = ({ type: "reset" } & FleetBody) | ({ type: "change" } & FleetChange) | { type: "heartbeat" };
