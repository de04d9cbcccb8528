import { describe, expect, it } from "vitest";
import { aFleetRun, aPod } from "../../../test/fleet";
import type { FleetRun, Pod } from "../api/types";
import { isEmpty, lineKey, linesOf, sections, steady, viewOf, type FleetView } from "./view";

function view(pods: Pod[], runs: FleetRun[] = []): FleetView {
  return viewOf({ pods: new Map(pods.map((p) => [p.name, p])), runs: new Map(runs.map((r) => [r.id, r])) });
}

const names = (v: FleetView) => Object.fromEntries(sections.map((s) => [s, v.members[s].map((m) => m.name)]));
const none = new Set<string>();

describe("the sections", () => {
  it("hold what waits, runs, is lost, idle, failed and orphaned, each in its order", () => {
    const v = view(
      [
        aPod({ name: "paused", state: "paused", session_id: "a", attention: { kind: "paused", since: 50 } }),
        aPod({ name: "sick", state: "idle", session_id: "b", attention: { kind: "failed", since: 10 } }),
        aPod({ name: "works", session_id: "c", since: 30 }),
        aPod({ name: "compacts", state: "compacting", session_id: "d", since: 20 }),
        aPod({ name: "silent", state: "unresponsive", session_id: "e" }),
        aPod({ name: "killed", state: "dead", session_id: "f" }),
        aPod({ name: "rests", state: "idle", session_id: "g", since: 5 }),
        aPod({ name: "rested", state: "idle", session_id: null, since: 6 }),
      ],
      [
        aFleetRun({ id: "r1", name: "gate", status: "gated", attention: { kind: "gated", since: 20 } }),
        aFleetRun({ id: "r2", name: "other", started_at: 25 }),
        aFleetRun({ id: "r3", name: "broke", status: "failed", ended_at: 100 }),
        aFleetRun({ id: "r4", name: "late", status: "timed_out", ended_at: 200 }),
        aFleetRun({ id: "r5", name: "stale", effective_health: "stale" }),
        aFleetRun({ id: "r6", name: "next", status: "queued", started_at: null, updated_at: 90 }),
      ],
    );
    expect(names(v)).toEqual({
      waiting: ["sick", "gate", "paused"],
      running: ["compacts", "other", "works", "next"],
      lost: ["killed", "silent"],
      idle: ["rested", "rests"],
      failed: ["late", "broke"],
      orphaned: ["stale"],
    });
  });

  it("show a session that a pod holds once, as the pod", () => {
    const v = view([aPod({ session_id: "s1" })], [aFleetRun({ id: "s1" }), aFleetRun({ id: "s2", name: "alone" })]);
    expect(v.members.running.map((m) => [m.name, m.pod])).toEqual([["alone", null], ["fixer", "fixer"]]);
  });

  it("say state by word and shape, and what is done or waited for", () => {
    const v = view([
      aPod({ name: "a", session_id: "1" }),
      aPod({ name: "b", session_id: "2", tool: null }),
      aPod({ name: "c", session_id: "3", state: "idle", attention: { kind: "limit", since: 1 } }),
      aPod({ name: "d", session_id: "4", state: "idle", attention: { kind: "something_new", since: 2 } }),
      aPod({ name: "e", session_id: "5", state: "dreaming" as Pod["state"] }),
    ]);
    const all = sections.flatMap((s) => v.members[s]).map((m) => [m.name, m.state, m.word, m.doing]);
    expect(all).toEqual([
      ["c", "waiting", "waits", "at its limit"],
      ["d", "waiting", "waits", "something new"],
      ["a", "running", "running", "Bash"],
      ["b", "running", "running", ""],
      ["e", "idle", "dreaming", ""],
    ]);
  });

  it("count tokens together, and know unknown from none", () => {
    const v = view([aPod({ session_id: null })], [aFleetRun({ id: "x", input_tokens: null, output_tokens: null }), aFleetRun({ id: "y", input_tokens: 5, output_tokens: null })]);
    expect(v.members.running.map((m) => m.tokens).sort()).toEqual([25_200, 5, null].sort());
  });

  it("are empty without pods and runs", () => expect([isEmpty(view([])), isEmpty(view([aPod()]))]).toEqual([true, false]));
});

describe("orchestrations", () => {
  const of = (id: string, invocation_id: string | null, over: Partial<FleetRun> = {}) => aFleetRun({ id, name: id, invocation_id, ...over });

  it("are no groups when nothing was started together", () => expect(view([aPod()], [of("x", null)]).groups).toEqual([]));

  it("hold their sessions, the rest as one group; who waits first, then the longest", () => {
    const v = view(
      [],
      [
        of("young", "i-young", { started_at: 300 }),
        of("old", "i-old", { started_at: 100, show_topic: "the docs" }),
        of("waits", "i-waits", { started_at: 400 }),
        of("gate", "i-waits", { status: "gated", attention: { kind: "gated", since: 500 } }),
        of("alone", null, { started_at: 200 }),
      ],
    );
    expect(v.groups.map((g) => [g.id, g.name, g.members.map((m) => m.name), g.waiting])).toEqual([
      ["i-waits", "orchestration i-waits", ["waits"], 1],
      ["i-old", "the docs", ["old"], 0],
      [null, "started directly", ["alone"], 0],
      ["i-young", "orchestration i-young", ["young"], 0],
    ]);
    expect(linesOf(v, none).map(lineKey)).toEqual([
      "run gate", "group i-waits", "run waits", "group i-old", "run old", "group ", "run alone", "group i-young", "run young",
    ]);
    expect(linesOf(v, new Set(["waiting", "group i-old"])).map(lineKey)).toEqual([
      "group i-waits", "run waits", "group i-old", "group ", "run alone", "group i-young", "run young",
    ]);
    expect(linesOf(v, new Set(["running"])).map(lineKey)).toEqual(["run gate"]);
  });
});

describe("under a pointer", () => {
  it("rows keep their place in a section; new ones come behind, gone ones leave, and who begins to wait moves", () => {
    const before = linesOf(view([aPod({ name: "a", since: 1, session_id: "1" }), aPod({ name: "b", since: 2, session_id: "2" }), aPod({ name: "c", since: 3, session_id: "3" })]), none);
    const now = linesOf(
      view([
        aPod({ name: "n", since: 0, session_id: "0" }), aPod({ name: "a", since: 9, session_id: "1" }), aPod({ name: "b", since: 2, session_id: "2" }),
        aPod({ name: "c", state: "paused", session_id: "3", attention: { kind: "paused", since: 4 } }),
      ]),
      none,
    );
    expect(now.map(lineKey)).toEqual(["pod c", "pod n", "pod b", "pod a"]);
    expect(steady(before, now).map(lineKey)).toEqual(["pod c", "pod a", "pod b", "pod n"]);
    expect(steady([], now)).toEqual(now);
  });

  it("nothing is lost and nothing is twice, whatever was there before", () => {
    let seed = 3;
    const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
    const some = () =>
      linesOf(
        view(
          [],
          Array.from({ length: random(8) }, () => random(10)).map((i) =>
            aFleetRun({ id: `r${i}`, started_at: random(50), invocation_id: i % 3 === 0 ? `g${i % 2}` : null, attention: random(5) === 0 ? { kind: "gated", since: random(9) } : null }),
          ),
        ),
        none,
      );
    for (let round = 0; round < 200; round++) {
      const now = some();
      const kept = steady(some(), now);
      expect(kept.map(lineKey).sort()).toEqual(now.map(lineKey).sort());
    }
  });
});
