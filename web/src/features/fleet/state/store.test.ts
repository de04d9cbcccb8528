import { expect, it, vi } from "vitest";
import { aFleet, aPod } from "../../../test/fleet";
import { createFleet, livingIn } from "./store";

it("says of a session what its pod is at, with the same object while that does not change", () => {
  const store = createFleet();
  const living = livingIn(store);
  const told = vi.fn();
  living.subscribe(told);
  expect(living.of("a")).toBeUndefined();

  const frame = (pods: ReturnType<typeof aPod>[]) => store.take({ type: "frame", frame: { type: "reset", ...aFleet(pods) }, at: 1_000 });
  frame([aPod({ name: "one", session_id: "a", state: "idle", clients: 1 })]);
  expect(told).toHaveBeenCalled();
  const rests = living.of("a");
  expect(rests).toEqual({ state: "idle", word: "idle", work: null });
  frame([aPod({ name: "one", session_id: "a", state: "idle", clients: 2 })]);
  expect(living.of("a")).toBe(rests);

  frame([aPod({ name: "one", session_id: "a", state: "paused", attention: { kind: "paused", since: 5 } })]);
  expect(living.of("a")).toEqual({ state: "waiting", word: "waits", work: null });
  for (const state of ["dead", "unresponsive"] as const) {
    frame([aPod({ name: "one", session_id: "a", state, attention: { kind: "paused", since: 5 } })]);
    expect(living.of("a")).toEqual({ state: "unresponsive", word: state, work: null });
  }

  const work = { kind: "run", tool: null, since: 7 } as const;
  frame([aPod({ name: "one", session_id: "a", state: "running", tool: null, since: 7 })]);
  expect(living.of("a")).toEqual({ state: "running", word: "running", work });
  // One that waits for its person may work all the same.
  frame([aPod({ name: "one", session_id: "a", state: "running", tool: "Bash", since: 7, attention: { kind: "compaction_off", since: 5 } })]);
  expect(living.of("a")).toEqual({ state: "waiting", word: "waits", work: { ...work, tool: "Bash" } });
  frame([aPod({ name: "one", session_id: "a", state: "compacting", tool: null, since: 9 })]);
  expect(living.of("a")?.work).toEqual({ kind: "compaction", tool: null, since: 9 });
  frame([]);
  expect(living.of("a")).toBeUndefined();
});
