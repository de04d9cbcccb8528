import { describe, expect, it } from "vitest";
import { aFleet, aFleetRun, aPod } from "../../../test/fleet";
import { beat, noFleet, patience, podOf, reduceFleet, type Fleet, type FleetEvent } from "./fleet";

function after(...events: FleetEvent[]): Fleet {
  return events.reduce(reduceFleet, noFleet);
}

const reset = (at: number, body = aFleet()): FleetEvent => ({ type: "frame", frame: { type: "reset", ...body }, at });
const heartbeat = (at: number): FleetEvent => ({ type: "frame", frame: { type: "heartbeat" }, at });
const polled = (at: number, body = aFleet()): FleetEvent => ({ type: "polled", body, at });
const tick = (at: number): FleetEvent => ({ type: "tick", at });
const failed: FleetEvent = { type: "failed", message: "Studio does not answer." };

describe("frames", () => {
  it("set everything, then change what they name", () => {
    let fleet = after(reset(1, aFleet([aPod(), aPod({ name: "docs" })], [aFleetRun({ id: "r1" }), aFleetRun({ id: "r2" })], { truncated: true })));
    expect([[...fleet.pods.keys()], [...fleet.runs.keys()], fleet.truncated]).toEqual([["fixer", "docs"], ["r1", "r2"], true]);
    fleet = reduceFleet(fleet, {
      type: "frame",
      at: 2,
      frame: {
        type: "change", as_of: 2, truncated: false, failed_truncated: true, pods: [aPod({ state: "idle" }), aPod({ name: "new" })], runs: [aFleetRun({ id: "r2", name: "other" })],
        gone_pods: ["docs", "never-there"], gone_runs: ["r1"],
      },
    });
    expect([[...fleet.pods.keys()], fleet.pods.get("fixer")?.state, [...fleet.runs.keys()], fleet.runs.get("r2")?.name, fleet.truncated, fleet.failedTruncated]).toEqual([
      ["fixer", "new"], "idle", ["r2"], "other", false, true,
    ]);
    fleet = reduceFleet(fleet, reset(3, aFleet([aPod({ name: "docs" })])));
    expect([[...fleet.pods.keys()], fleet.runs.size]).toEqual([["docs"], 0]);
  });

  it("take a pod that is gone and back in one change as the new one", () => {
    const fleet = after(reset(1, aFleet([aPod({ pod_id: "old" })])), {
      type: "frame",
      at: 2,
      frame: { type: "change", as_of: 2, truncated: false, failed_truncated: true, pods: [aPod({ pod_id: "new" })], runs: [], gone_pods: ["fixer"], gone_runs: [] },
    });
    expect(fleet.pods.get("fixer")?.pod_id).toBe("new");
  });

  it("leave what they do not name as it is, also as an object", () => {
    const before = after(reset(1, aFleet([aPod()])));
    expect(reduceFleet(before, heartbeat(2)).pods).toBe(before.pods);
  });
});

describe("health", () => {
  const health = (...events: FleetEvent[]) => after(...events).health;

  it("goes from loading to live, stale, and live again", () => {
    const quiet = 1_000 + patience + 1;
    expect(health()).toBe("loading");
    expect(health(polled(1_000))).toBe("live");
    expect(health(polled(1_000), tick(1_000 + patience))).toBe("live");
    expect(health(polled(1_000), tick(quiet))).toBe("stale");
    expect(health(polled(1_000), tick(quiet), polled(quiet))).toBe("stale");
    expect(health(polled(1_000), tick(quiet), polled(quiet), polled(quiet + 1))).toBe("live");
  });

  it("is not stale before anything came", () => expect(health(tick(1e9))).toBe("loading"));

  it("waits for a beat while a stream is held", () => {
    expect(health(reset(0), tick(beat + patience))).toBe("live");
    expect(health(reset(0), tick(beat + patience + 1))).toBe("stale");
    expect(health(reset(0), { type: "dropped" }, tick(patience + 1))).toBe("stale");
    expect(health(reset(0), heartbeat(beat), tick(beat + patience + beat))).toBe("live");
  });

  it("fails with words, which staleness does not overwrite", () => {
    const fleet = after(polled(0), failed, tick(1e9));
    expect([fleet.health, fleet.problem]).toEqual(["error", "Studio does not answer."]);
  });

  it("keeps what was there when it fails", () => expect(after(polled(0, aFleet([aPod()])), failed).pods.size).toBe(1));

  it("counts from the start again when a failure comes between two successes", () => {
    expect(health(polled(0), failed, polled(1), failed, polled(2))).toBe("error");
    const back = after(polled(0), failed, polled(1), failed, polled(2), polled(3));
    expect([back.health, back.problem]).toEqual(["live", null]);
  });

  it("is live with the first success when nothing was known before", () => expect(health(failed, failed, polled(1))).toBe("live"));

  it("is not stale for the time in which nobody looked", () => {
    expect(health(polled(0), { type: "woke", at: 60_000 }, tick(60_000 + patience))).toBe("live");
    expect(health(polled(0), { type: "woke", at: 60_000 }, tick(60_001 + patience))).toBe("stale");
    expect(health(polled(0), failed, { type: "woke", at: 60_000 })).toBe("error");
  });

  it("is forgotten with everything else", () => expect(after(polled(0, aFleet([aPod()])), { type: "forgotten" })).toEqual(noFleet));
});

describe("any order of events", () => {
  it("never shows a stale or failed fleet as live by one success, and never a pod that is gone", () => {
    let seed = 5;
    const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
    for (let round = 0; round < 300; round++) {
      let fleet = noFleet;
      let at = 0;
      const truth = new Map<string, string>();
      let inRow = 0;
      for (let i = 0; i < 40; i++) {
        at += random(9_000);
        const before = fleet;
        const kind = random(5);
        if (kind === 0) {
          truth.clear();
          for (let p = random(4); p > 0; p--) truth.set(`p${random(5)}`, String(random(100)));
          fleet = reduceFleet(fleet, reset(at, aFleet([...truth].map(([name, pod_id]) => aPod({ name, pod_id })))));
        } else if (kind === 1) {
          const name = `p${random(5)}`;
          const gone = random(2) === 0;
          if (gone) truth.delete(name);
          else truth.set(name, String(random(100)));
          fleet = reduceFleet(fleet, {
            type: "frame",
            at,
            frame: { type: "change", as_of: at, truncated: false, failed_truncated: false, runs: [], gone_runs: [], pods: gone ? [] : [aPod({ name, pod_id: truth.get(name) ?? "" })], gone_pods: gone ? [name] : [] },
          });
        } else if (kind === 2) fleet = reduceFleet(fleet, tick(at));
        else if (kind === 3) fleet = reduceFleet(fleet, failed);
        else fleet = reduceFleet(fleet, { type: "dropped" });
        const success = kind < 2;
        if (fleet.health !== "live") inRow = before.health === "live" ? 0 : success ? inRow + 1 : kind === 3 ? 0 : inRow;
        if (before.heard !== null && before.health !== "live" && fleet.health === "live") expect([success, inRow]).toEqual([true, 1]);
        expect(new Map([...fleet.pods].map(([k, p]) => [k, p.pod_id]))).toEqual(truth);
      }
    }
  });
});

describe("the pod of a session", () => {
  it("is the one that holds it now", () => {
    const fleet = after(reset(1, aFleet([aPod({ name: "a", session_id: "x" }), aPod({ name: "b", session_id: null })])));
    expect([podOf(fleet, "x")?.name, podOf(fleet, "y")]).toEqual(["a", undefined]);
  });
});
