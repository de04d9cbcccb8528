import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { displayState, stateWord, type DisplayState, type Stated } from "./state";
import { StateShape } from "./StateShape";

function row(status: string, over: Partial<Stated> = {}): Stated {
  return { status, effective_health: null, status_reason_code: null, status_reason_summary: null, ...over };
}

describe("a stored status", () => {
  it.each<[string, DisplayState, string]>([
    ["running", "running", "running"],
    ["executing", "running", "running"],
    ["completed", "completed", "completed"],
    ["completed_empty", "completed", "completed"],
    ["done", "completed", "completed"],
    ["running_complete", "completed", "completed"],
    ["failed", "failed", "failed"],
    ["error", "failed", "failed"],
    ["timed_out", "failed", "timed out"],
    ["timeout", "failed", "timed out"],
    ["cancelled", "cancelled", "cancelled"],
    ["canceled", "cancelled", "cancelled"],
    ["aborted", "cancelled", "aborted"],
    ["needs_review", "waiting", "needs review"],
    ["gated", "waiting", "gated"],
    ["waiting", "queued", "queued"],
    ["prepared", "queued", "queued"],
  ])("%s is shown as %s and said as %s", (status, state, word) => {
    expect([displayState(row(status)), stateWord(row(status))]).toEqual([state, word]);
  });

  it("that nobody knows is said as it is and never taken for running", () => {
    expect([displayState(row("sleeping")), stateWord(row("sleeping"))]).toEqual(["idle", "sleeping"]);
  });
});

describe("health", () => {
  it.each(["stale", "orphaned", "zombie", "unresponsive"])("%s is said instead of running", (effective_health) => {
    const run = row("running", { effective_health });
    expect([displayState(run), stateWord(run)]).toEqual(["unresponsive", effective_health]);
  });
  it("idle is a state of its own", () => {
    const run = row("running", { effective_health: "idle" });
    expect([displayState(run), stateWord(run)]).toEqual(["idle", "idle"]);
  });
  it("healthy changes nothing", () => expect(stateWord(row("running", { effective_health: "healthy" }))).toBe("running"));
  it("says nothing of a session that is over", () => expect(displayState(row("failed", { effective_health: "stale" }))).toBe("failed"));
});

describe("a reaped row", () => {
  it("is orphaned", () => {
    const run = row("failed", { status_reason_summary: "phantom_reaped" });
    expect([displayState(run), stateWord(run)]).toEqual(["unresponsive", "orphaned"]);
  });
  it("is not, when only its locks were stale", () => {
    expect(stateWord(row("failed", { status_reason_summary: "phantom_reaped", status_reason_code: "session.zombie.stale_locks" }))).toBe("failed");
  });
});

describe("shapes", () => {
  const all: DisplayState[] = ["waiting", "running", "compacting", "paused", "idle", "unresponsive", "failed", "completed", "cancelled", "queued"];
  it("differ from state to state, and readers hear the word instead", () => {
    const drawn = all.map((state) => {
      const svg = render(<StateShape state={state} />).container.querySelector("svg");
      expect(svg?.getAttribute("aria-hidden")).toBe("true");
      return svg?.innerHTML;
    });
    expect(new Set(drawn).size).toBe(all.length);
  });
  it("move only where something goes on", () => {
    const moving = all.filter((state) => render(<StateShape state={state} />).container.querySelector("svg.turns") !== null);
    expect(moving).toEqual(["running", "compacting"]);
  });
});
