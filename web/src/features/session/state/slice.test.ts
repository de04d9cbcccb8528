import { describe, expect, it } from "vitest";
import { between, mounted, sameRanges, slotAt, topsOf } from "./slice";

const slots = ["a", "b", "c", "d"].map((key) => ({ key, estimate: 10 }));

describe("a column", () => {
  it("counts with what was measured, and with estimates for the rest", () => {
    expect(topsOf(slots, new Map([["b", 25]]), 100)).toEqual([100, 110, 135, 145, 155]);
    expect(topsOf([], new Map(), 7)).toEqual([7]);
  });

  it.each([
    [0, 0],
    [109, 0],
    [110, 1],
    [134.9, 1],
    [135, 2],
    [9_999, 3],
  ])("has at height %i slot %i", (y, at) => expect(slotAt([100, 110, 135, 145, 155], y)).toBe(at));

  it("shows what lies between two heights, no more than so many, and at least one", () => {
    const tops = [0, 10, 20, 30, 40];
    expect(between(tops, 12, 25, 10)).toEqual({ from: 1, to: 3 });
    expect(between(tops, -50, 500, 10)).toEqual({ from: 0, to: 4 });
    expect(between(tops, 0, 500, 2)).toEqual({ from: 0, to: 2 });
    expect(between(tops, 900, 950, 10)).toEqual({ from: 3, to: 4 });
    expect(between([0], 0, 100, 10)).toEqual({ from: 0, to: 0 });
  });
});

describe("what is in the document", () => {
  it("is in order, and ranges that touch are one", () => {
    expect(mounted({ from: 10, to: 20 }, [{ from: 2, to: 3 }, { from: 20, to: 22 }, { from: 12, to: 13 }])).toEqual([{ from: 2, to: 3 }, { from: 10, to: 22 }]);
  });
  it("leaves out what is empty, and changes nothing that it was given", () => {
    const sight = { from: 0, to: 5 };
    expect(mounted(sight, [{ from: 5, to: 9 }, { from: 3, to: 3 }])).toEqual([{ from: 0, to: 9 }]);
    expect(sight).toEqual({ from: 0, to: 5 });
    expect(mounted({ from: 0, to: 0 }, [])).toEqual([]);
  });
  it("is the same when all its ranges are", () => {
    expect(sameRanges([{ from: 0, to: 2 }], [{ from: 0, to: 2 }])).toBe(true);
    expect(sameRanges([{ from: 0, to: 2 }], [{ from: 0, to: 3 }])).toBe(false);
    expect(sameRanges([], [{ from: 0, to: 3 }])).toBe(false);
  });
});
