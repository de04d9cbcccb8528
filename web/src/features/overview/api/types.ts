import type { components } from "../../../generated/studio";

/** GET /api/usage: sums of sessions and spend. Times are Unix seconds, spend is US dollars. */
export type Usage = components["schemas"]["UsageBody"];

/** One day, project or model. */
export type UsageSum = components["schemas"]["UsageSum"];

export type UsageBy = Usage["by"];
