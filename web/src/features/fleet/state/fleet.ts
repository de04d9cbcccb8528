import type { FleetBody, FleetChange, FleetRun, Frame, Pod } from "../api/types";

/** How well the fleet is known. */
export type Health =
  /** Nothing came yet. */
  | "loading"
  /** What is shown is so. */
  | "live"
  /** Nothing came for too long; what is shown was so. */
  | "stale"
  /** The last try failed; what is shown, if anything, was so. */
  | "error";

/** Everything that lives, as far as this page knows. */
export interface Fleet {
  health: Health;
  /** What failed; null unless health is error. */
  problem: string | null;
  pods: ReadonlyMap<string, Pod>;
  runs: ReadonlyMap<string, FleetRun>;
  truncated: boolean;
  failedTruncated: boolean;
  /** When Studio last said something, in ms of the viewer's clock. */
  heard: number | null;
  /** A stream is open: it beats, and may be silent in between. */
  held: boolean;
  /** Successes in a row since it was stale or failed. */
  again: number;
}

/** What happens to a fleet; times are ms of the viewer's clock. */
export type FleetEvent =
  | { type: "frame"; frame: Frame; at: number }
  | { type: "polled"; body: FleetBody; at: number }
  | { type: "failed"; message: string }
  /** The stream is over. */
  | { type: "dropped" }
  /** Time passed while somebody looks. */
  | { type: "tick"; at: number }
  /** Somebody looks again: what passed meanwhile is nobody's fault. */
  | { type: "woke"; at: number }
  /** Nothing may be known any more. */
  | { type: "forgotten" };

/** Silence beyond what is usual after which the fleet is stale, in ms. */
export const patience = 5_000;

/** The pause between two beats of the stream, in ms. */
export const beat = 5_000;

/** Successes in a row that end a stale or failed fleet. */
const convincing = 2;

export const noFleet: Fleet = {
  health: "loading", problem: null, pods: new Map(), runs: new Map(), truncated: false, failedTruncated: false, heard: null, held: false, again: 0,
};

/** The fleet after an event. */
export function reduceFleet(fleet: Fleet, event: FleetEvent): Fleet {
  switch (event.type) {
    case "frame":
      return succeeded({ ...withFrame(fleet, event.frame), held: true }, event.at);
    case "polled":
      return succeeded(replaced(fleet, event.body), event.at);
    case "failed":
      return { ...fleet, health: "error", problem: event.message, held: false, again: 0 };
    case "dropped":
      return fleet.held ? { ...fleet, held: false } : fleet;
    case "tick": {
      if (fleet.health !== "live" || fleet.heard === null) return fleet;
      const usual = fleet.held ? beat : 0;
      return event.at - fleet.heard > usual + patience ? { ...fleet, health: "stale", again: 0 } : fleet;
    }
    case "woke":
      return fleet.health === "live" ? { ...fleet, heard: Math.max(event.at, fleet.heard ?? 0) } : fleet;
    case "forgotten":
      return noFleet;
  }
}

function succeeded(fleet: Fleet, at: number): Fleet {
  const again = fleet.again + 1;
  // What was never known has nothing to recover from.
  const recovered = fleet.health === "loading" || fleet.health === "live" || fleet.heard === null || again >= convincing;
  return recovered ? { ...fleet, health: "live", problem: null, heard: at, again: 0 } : { ...fleet, heard: at, again };
}

function withFrame(fleet: Fleet, frame: Frame): Fleet {
  switch (frame.type) {
    case "heartbeat":
      return fleet;
    case "reset":
      return replaced(fleet, frame);
    case "change":
      return changed(fleet, frame);
  }
}

function replaced(fleet: Fleet, body: FleetBody): Fleet {
  return {
    ...fleet,
    pods: new Map(body.pods.map((p) => [p.name, p])),
    runs: new Map(body.runs.map((r) => [r.id, r])),
    truncated: body.truncated,
    failedTruncated: body.failed_truncated,
  };
}

function changed(fleet: Fleet, change: FleetChange): Fleet {
  return {
    ...fleet,
    pods: patched(fleet.pods, change.pods, (p) => p.name, change.gone_pods),
    runs: patched(fleet.runs, change.runs, (r) => r.id, change.gone_runs),
    truncated: change.truncated,
    failedTruncated: change.failed_truncated,
  };
}

/** Gone first: a name that is gone and new is another one by that name. */
function patched<T>(old: ReadonlyMap<string, T>, rows: T[], key: (row: T) => string, gone: string[]): ReadonlyMap<string, T> {
  if (rows.length === 0 && gone.length === 0) return old;
  const next = new Map(old);
  for (const name of gone) next.delete(name);
  for (const row of rows) next.set(key(row), row);
  return next;
}

/** The live pod that holds a session. */
export function podOf(fleet: Fleet, session: string): Pod | undefined {
  for (const pod of fleet.pods.values()) if (pod.session_id === session) return pod;
  return undefined;
}
