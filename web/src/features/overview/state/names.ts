import { shownName } from "../../../lib/format/names";
import type { UsageBy, UsageSum } from "../api/types";

/** A project or model as it can be shown, and what stands where a session has none. */
export function nameOf({ key }: UsageSum, by: UsageBy): string {
  return key === null ? `no ${by}` : shownName(key, `(a ${by} with an invisible name)`);
}
