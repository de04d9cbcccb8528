import { describe, expect, it } from "vitest";
import { anEntry, aWindow } from "../../../test/studio";
import type { Entry, EntryWindow } from "../api/types";
import { atTail, end, informed, mostCharacters, mostHeld, opened, trimmed, withNewer, withOlder, type LogWindow } from "./logWindow";

/** Entries from one place to in front of another. */
const list = (from: number, to: number, text = "x"): Entry[] =>
  Array.from({ length: to - from }, (_, i) => anEntry("text", { text }, { id: `e${from + i}`, ordinal: from + i }));
const body = (from: number, to: number, total: number): EntryWindow =>
  aWindow([], { entries: list(from, to).map((e) => ({ ...e, kind: "text" as const, pod_id: null, seq: null })), total });
const window = (from: number, to: number, total: number): LogWindow => ({ entries: list(from, to), from, total, usage: null, pod: null });
const places = (w: LogWindow | null) => w?.entries.map((e) => e.ordinal);

describe("a stretch of a log", () => {
  it("begins with a window, and knows how much there is besides", () => {
    const w = opened(body(40, 60, 100));
    expect([w.from, end(w), w.total, atTail(w)]).toEqual([40, 60, 100, false]);
    expect(atTail(opened(body(80, 100, 100)))).toBe(true);
  });

  it("of nothing is at its end", () => expect([opened(body(0, 0, 0)).from, atTail(opened(body(0, 0, 0)))]).toEqual([0, true]));

  it("knows more entries than were counted, when some came meanwhile", () => expect(opened(body(90, 103, 100)).total).toBe(103));

  it("grows in front and behind", () => {
    expect(places(withOlder(window(10, 12, 20), body(7, 10, 20)))).toEqual([7, 8, 9, 10, 11]);
    expect(places(withNewer(window(10, 12, 20), body(12, 14, 20)))).toEqual([10, 11, 12, 13]);
  });

  it("takes what overlaps once", () => {
    expect(places(withOlder(window(10, 12, 20), body(8, 11, 20)))).toEqual([8, 9, 10, 11]);
    expect(places(withNewer(window(10, 12, 20), body(11, 13, 20)))).toEqual([10, 11, 12]);
  });

  it("takes nothing that would leave a gap", () => {
    expect(withOlder(window(10, 12, 20), body(3, 7, 20))).toBeNull();
    expect(withOlder(window(10, 12, 20), body(5, 5, 20))).toBeNull();
    expect(withNewer(window(10, 12, 20), body(14, 16, 20))).toBeNull();
  });

  it("at its beginning has nothing in front", () => expect(places(withOlder(window(0, 2, 20), body(0, 0, 20)))).toEqual([0, 1]));

  it("stays the same thing when a look brings nothing new", () => {
    const w = opened(body(0, 2, 2));
    expect(informed(w, body(1, 2, 2))).toBe(w);
    expect(informed(w, body(2, 3, 3)).total).toBe(3);
  });
});

describe("what is held", () => {
  it.each([
    [0, 0, mostHeld],
    [mostHeld + 999, 1_000, mostHeld + 1_000],
    [1_500, 501, mostHeld + 501],
  ])("around place %i is from %i to %i of 3,000", (reading, from, to) => {
    const w = trimmed(window(0, 3_000, 50_000), reading);
    expect([w.from, end(w)]).toEqual([from, to]);
    expect(w.entries[0]?.ordinal).toBe(from);
  });

  it("is bounded by its characters too, and never nothing", () => {
    const megabyte = "x".repeat(1_000_000);
    const w = trimmed({ ...window(0, 0, 50), entries: list(0, 50, megabyte) }, 25);
    expect(w.entries.length).toBeLessThanOrEqual(mostCharacters / 1_000_000);
    expect(w.entries.length).toBeGreaterThan(20);
    const huge = trimmed({ ...window(0, 0, 2), entries: list(0, 2, "x".repeat(mostCharacters)) }, 1);
    expect(places(huge)).toEqual([1]);
  });

  it("within the bounds stays as it is", () => {
    const w = window(0, 300, 300);
    expect(trimmed(w, 5)).toBe(w);
  });
});
