import { describe, expect, it } from "vitest";
import type { UsageSum } from "../api/types";
import { bar, dayBars, largest, plot } from "./scale";

const day = (over: Partial<UsageSum> = {}): UsageSum => ({ key: "2026-05-03", sessions: 0, priced_usd: 0, priced_n: 0, unpriced_n: 0, ...over });

describe("a bar", () => {
  it.each([
    [0, 10, 0],
    [10, 10, 28],
    [5, 10, 14],
    [1, 100_000, 2],
    [11, 10, 28],
    [-3, 10, 0],
    [Number.NaN, 10, 0],
    [3, 0, 0],
  ])("%d of %d is %d pixels long", (value, most, pixels) => expect(bar(value, most, 28)).toBe(pixels));
});

describe("days", () => {
  it("have each row to its own scale", () => {
    const bars = dayBars([day({ sessions: 4, priced_usd: 0.1, priced_n: 1 }), day({ sessions: 2, priced_usd: 50, priced_n: 9 })]);
    expect(bars.map((b) => b.sessions)).toEqual([plot.sessions, plot.sessions / 2]);
    expect(bars.map((b) => b.spend)).toEqual([2, plot.spend]);
  });
  it("tell nothing reported from free: no bar, and a line", () => {
    expect(dayBars([day(), day({ unpriced_n: 5 }), day({ priced_n: 1 })]).map((b) => b.spend)).toEqual([null, null, 1]);
  });
  it("are hatched by the share of requests without a price, whatever they spent", () => {
    const all = dayBars([day({ priced_usd: 100, priced_n: 50, unpriced_n: 50 }), day({ unpriced_n: 1 }), day({ priced_n: 1 }), day(), day({ priced_n: 9_999, unpriced_n: 1 })]);
    const whole = plot.unpriced - 2;
    expect(all.map((b) => b.unpriced)).toEqual([whole / 2, whole, 0, 0, 4]);
  });
  it("name the largest, also when none has a price", () => {
    const rich = day({ priced_usd: 3, priced_n: 1, unpriced_n: 1 });
    expect(largest([day({ sessions: 7 }), rich])).toEqual({ sessions: 7, spend: rich });
    expect(largest([day({ unpriced_n: 1 }), day({ unpriced_n: 2 })]).spend.unpriced_n).toBe(3);
    expect(largest([]).sessions).toBe(0);
  });
});
