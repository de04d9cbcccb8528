import { describe, expect, it } from "vitest";
import { age, clock, compact, cost, count, duration, grouped, moment, took } from "./format";

describe("cost", () => {
  it.each([
    [null, "—"],
    [undefined, "—"],
    [NaN, "—"],
    [0, "$0.00"],
    [0.001, "$0.0010"],
    [0.0099, "$0.0099"],
    [0.01, "$0.01"],
    [3.1, "$3.10"],
    [1234.5, "$1,234.50"],
    [1234567, "$1,234,567.00"],
    [-0.5, "-$0.50"],
  ])("%s reads %s: unknown is a dash and never 0", (usd, text) => expect(cost(usd)).toBe(text));
});

describe("age", () => {
  it.each([
    [0, "0s"],
    [59.9, "59s"],
    [61, "1m 1s"],
    [3_599, "59m 59s"],
    [7_500, "2h 5m"],
    [86_399, "23h 59m"],
    [90_000, "1d 1h"],
    [400 * 86_400, "400d 0h"],
  ])("%s seconds are %s", (seconds, text) => expect(age(1e9 + seconds, 1e9)).toBe(text));

  it.each([null, undefined, NaN, Infinity])("%s is a dash", (then) => expect(age(1e9, then)).toBe("—"));
  it("the future is a dash", () => expect(age(100, 101)).toBe("—"));
  it("a length that is none is a dash", () => expect(duration(-1)).toBe("—"));
});

describe("took", () => {
  it.each([
    [0.03, "30 ms"],
    [0.1, "0.1 s"],
    [4.24, "4.2 s"],
    [42.9, "42 s"],
    [135, "2m 15s"],
    [-1, "—"],
    [NaN, "—"],
  ])("%s seconds read %s", (seconds, text) => expect(took(seconds)).toBe(text));
});

describe("compact", () => {
  it.each([
    [null, "—"],
    [undefined, "—"],
    [0, "0"],
    [999, "999"],
    [1_000, "1k"],
    [1_999, "1.9k"],
    [84_000, "84k"],
    [999_999, "999.9k"],
    [1_250_000, "1.2M"],
  ])("%s reads %s: cut, never rounded up", (n, text) => expect(compact(n)).toBe(text));
});

describe("count", () => {
  it("knows one from many", () => expect([count(1, "session"), count(0, "session"), count(20_000, "session")]).toEqual(["1 session", "0 sessions", "20,000 sessions"]));
  it("takes another plural", () => expect(count(2, "entry", "entries")).toBe("2 entries"));
  it("sets thousands apart before the point only", () => expect(grouped("1234567.12345")).toBe("1,234,567.12345"));
});

describe("moment", () => {
  it("is in the viewer's zone, with seconds", () => expect(moment(1_767_277_320)).toBe("1 Jan 2026, 14:22:00"));
  it.each([null, undefined, NaN, 1e300])("%s is a dash", (t) => expect(moment(t)).toBe("—"));
  it("has a short form", () => expect(clock(1_767_277_320)).toBe("14:22:00"));
});
