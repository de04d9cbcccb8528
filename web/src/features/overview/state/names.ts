import type { UsageBy } from "../api/types";

/** A name may be of any length; no reader needs more of it than this. */
const longest = 200;

/** A foreign name, shortened to what can be read. */
export function clip(name: string): string {
  return name.length <= longest ? name : `${name.slice(0, longest)}…`;
}

/** What stands where a session has no project or model. */
export function nameless(by: UsageBy): string {
  return by === "model" ? "no model" : "no project";
}
