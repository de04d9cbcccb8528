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
  expect(rests).toEqual({ state: "idle", word: "idle" });
  frame([aPod({ name: "one", session_id: "a", state: "idle", clients: 2 })]);
  expect(living.of("a")).toBe(rests);

  frame([aPod({ name: "one", session_id: "a", state: "paused", attention: { kind: "paused", since: 5 } })]);
  expect(living.of("a")).toEqual({ state: "waiting", word: "waits" });
  for (const state of ["dead", "unresponsive"] as const) {
    frame([aPod({ name: "one", session_id: "a", state, attention: { kind: "paused", since: 5 } })]);
    expect(living.of("a")).toEqual({ state: "unresponsive", word: state });
  }
  frame([]);
  expect(living.of("a")).toBeUndefined();
});
