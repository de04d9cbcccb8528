import { describe, expect, it } from "vitest";
import type { UsageSum } from "../api/types";
import { inWords, isEmpty, percent, spend, top, total, unpricedShare } from "./sums";

const sum = (over: Partial<UsageSum> = {}): UsageSum => ({ key: null, sessions: 0, priced_usd: 0, priced_n: 0, unpriced_n: 0, ...over });
const usage = (groups: UsageSum[], capped = false) => ({ groups, capped, basis: "usage" as const });

describe("spend", () => {
  it.each([
    ["nothing was asked for", sum(), "none"],
    ["free requests", sum({ priced_n: 3 }), "$0.00"],
    ["priced ones", sum({ priced_n: 3, priced_usd: 1234.5 }), "$1,234.50"],
    ["some without a price", sum({ priced_n: 3, priced_usd: 2, unpriced_n: 1 }), "≥ $2.00"],
    ["none with a price", sum({ unpriced_n: 1 }), "—"],
  ])("of %s", (_, s, words) => expect(spend(s, false)).toBe(words));
  it("is a lower bound when not all sessions were read", () => expect(spend(sum({ priced_n: 1, priced_usd: 2 }), true)).toBe("≥ $2.00"));
});

describe("the share without a price", () => {
  it("is of requests, and unknown without any", () => {
    expect(unpricedShare(sum())).toBeNull();
    expect(unpricedShare(sum({ priced_n: 4 }))).toBe(0);
    expect(unpricedShare(sum({ priced_n: 3, unpriced_n: 1 }))).toBe(0.25);
    expect(unpricedShare(sum({ unpriced_n: 2 }))).toBe(1);
  });
  it.each([[0, "0 %"], [0.0001, "< 1 %"], [0.005, "1 %"], [0.118, "12 %"], [0.994, "99 %"], [0.9999, "> 99 %"], [1, "100 %"]])("%d is %s", (share, words) => {
    expect(percent(share)).toBe(words);
  });
});

describe("the line", () => {
  it.each([
    [[sum({ sessions: 1204, priced_usd: 84.1, priced_n: 88, unpriced_n: 12 })], false, "1,204 sessions · ≥ $84.10, 12 % unpriced"],
    [[sum({ sessions: 1, priced_usd: 2, priced_n: 1 }), sum({ priced_usd: 0.5, priced_n: 1 })], false, "1 session · $2.50"],
    [[sum({ sessions: 2, priced_n: 1 })], false, "2 sessions · $0.00"],
    [[sum({ sessions: 2 })], false, "2 sessions · no requests"],
    [[sum({ sessions: 2, unpriced_n: 7 })], false, "2 sessions · spend unknown, all unpriced"],
    [[sum({ sessions: 50_000, priced_usd: 7, priced_n: 50_000 })], true, "≥ 50,000 sessions · ≥ $7.00"],
    [[], false, "0 sessions · nothing spent"],
  ])("%j, capped %s", (groups, capped, words) => expect(inWords(usage(groups, capped))).toBe(words));
});

describe("groups", () => {
  const many = Array.from({ length: 7 }, (_, i) => sum({ key: `p${i}`, sessions: 1, priced_usd: i, priced_n: 1, unpriced_n: i }));
  it("are all counted, also those that share a row", () => {
    const { shown, others, rest } = top(many, 4);
    expect([shown.length, others]).toEqual([4, 3]);
    expect(total([...shown, rest])).toEqual(total(many));
    expect(top(many, 7)).toMatchObject({ others: 0, shown: many });
  });
  it("are empty only without sessions and requests", () => {
    expect(isEmpty([sum(), sum()])).toBe(true);
    expect(isEmpty([sum({ unpriced_n: 1 })])).toBe(false);
    expect(isEmpty([sum({ sessions: 1 })])).toBe(false);
  });
});
