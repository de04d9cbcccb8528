import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeToken } from "../../../lib/http/token";
import { aFleet, aPod } from "../../../test/fleet";
import { eventStream, fakeStudio, type Reply } from "../../../test/studio";
import type { FleetEvent } from "./fleet";
import { followFleet, pollEvery } from "./follow";

type Answer = Reply | "away" | Promise<Reply>;

let stream: () => Answer;
let pods: () => Answer;
let asked: { path: string; headers: Headers }[];
let events: FleetEvent[];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  writeToken("secret");
  stream = () => ({ status: 503, body: { detail: "no" } });
  pods = () => ({ body: aFleet([aPod()]) });
  ({ asked } = fakeStudio((r) => (r.path === "/api/pods" ? pods() : stream())));
  events = [];
});

afterEach(() => stop());

function follow(): void {
  stop = followFleet((e) => {
    if (e.type !== "tick") events.push(e);
  });
}

const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const times = (path: string) => asked.filter((r) => r.path === path).length;
const kinds = () => events.map((e) => (e.type === "frame" ? e.frame.type : e.type));

function hide(hidden: boolean): void {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  document.dispatchEvent(new Event("visibilitychange"));
}

describe("the fleet is followed", () => {
  it("over the stream, with the bearer, and nothing is polled", async () => {
    const source = eventStream();
    stream = () => ({ events: source.stream });
    follow();
    source.send({ type: "reset", ...aFleet() }, "7.1");
    await passed(10);
    source.send({ type: "heartbeat" });
    await passed(10_000);
    expect(kinds()).toEqual(["reset", "heartbeat"]);
    expect([times("/api/fleet/stream"), times("/api/pods"), asked[0]?.headers.get("Authorization")]).toEqual([1, 0, "Bearer secret"]);
  });

  it("behind the last frame that was taken, when the stream breaks", async () => {
    const sources = [eventStream(), eventStream()];
    let n = 0;
    stream = () => ({ events: (sources[n++] ?? eventStream()).stream });
    follow();
    sources[0]?.send({ type: "reset", ...aFleet() }, "7.1");
    await passed(6_000);
    sources[0]?.send({ type: "weather" }, "7.2");
    sources[0]?.send({ type: "heartbeat" });
    await passed(10);
    sources[0]?.fail();
    await passed(1_000);
    expect(asked.map((r) => r.headers.get("Last-Event-ID"))).toEqual([null, "7.2"]);
    expect([times("/api/pods"), kinds().includes("failed")]).toEqual([0, false]);
  });

  it("by polls while no stream can be held, and the stream is tried again, less and less often", async () => {
    follow();
    await passed(60_000);
    const polls = times("/api/pods");
    expect(polls).toBeGreaterThanOrEqual(60_000 / pollEvery);
    expect(polls).toBeLessThanOrEqual(60_000 / pollEvery + 1);
    expect(times("/api/fleet/stream")).toBeGreaterThan(5);
    expect(times("/api/fleet/stream")).toBeLessThan(12);
    expect(new Set(kinds())).toEqual(new Set(["polled", "dropped"]));
    const source = eventStream();
    stream = () => ({ events: source.stream });
    source.send({ type: "reset", ...aFleet() }, "8.0");
    for (let i = 0; i < 4; i++) {
      await passed(5_000);
      source.send({ type: "heartbeat" });
    }
    const then = times("/api/pods");
    for (let i = 0; i < 4; i++) {
      await passed(5_000);
      source.send({ type: "heartbeat" });
    }
    expect(times("/api/pods")).toBe(then);
  });

  it("by polls alone when there is no stream to be had", async () => {
    stream = () => ({ status: 404, body: { detail: "Not Found" } });
    follow();
    await passed(30_000);
    expect([times("/api/fleet/stream"), kinds().includes("failed")]).toEqual([1, false]);
  });

  it("one poll at a time: five that are due while one is out are dropped", async () => {
    let answer: (reply: Reply) => void = () => undefined;
    pods = () => new Promise((resolve) => (answer = resolve));
    follow();
    await passed(5 * pollEvery);
    expect(times("/api/pods")).toBe(1);
    answer({ body: aFleet() });
    await passed(pollEvery);
    expect(times("/api/pods")).toBe(2);
  });

  it("soon again when the daemon is back", async () => {
    stream = () => "away";
    pods = () => "away";
    follow();
    await passed(40_000);
    expect(kinds()).toContain("failed");
    const source = eventStream();
    source.send({ type: "reset", ...aFleet() }, "9.0");
    stream = () => ({ events: source.stream });
    pods = () => ({ body: aFleet() });
    await passed(pollEvery);
    expect(kinds().slice(-2)).toEqual(["polled", "reset"]);
  });

  it("anew when a frame is not understood", async () => {
    const bad = eventStream();
    bad.send({ type: "reset", ...aFleet() }, "7.1");
    bad.send({ type: "change" }, "7.2");
    const good = eventStream();
    let n = 0;
    stream = () => ({ events: (n++ === 0 ? bad : good).stream });
    follow();
    await passed(1_000);
    expect(asked.filter((r) => r.path === "/api/fleet/stream").map((r) => r.headers.get("Last-Event-ID"))).toEqual([null, null]);
  });

  it("not at all while the page is hidden, and on from where it was when it is looked at again", async () => {
    const sources = [eventStream(), eventStream()];
    let n = 0;
    stream = () => ({ events: (sources[n++] ?? eventStream()).stream });
    follow();
    sources[0]?.send({ type: "reset", ...aFleet() }, "7.1");
    await passed(100);
    hide(true);
    await passed(600_000);
    expect([asked.length, sources[0]?.closed()]).toEqual([1, true]);
    hide(false);
    await passed(100);
    expect(asked.map((r) => r.headers.get("Last-Event-ID"))).toEqual([null, "7.1"]);
    expect(kinds().slice(-2)).toEqual(["dropped", "woke"]);
  });

  it("no more after a refused token, and after the end", async () => {
    stream = () => ({ status: 401, body: { detail: "no" } });
    follow();
    await passed(60_000);
    expect(asked.length).toBe(1);
    stop();
    stream = () => "away";
    follow();
    stop();
    await passed(60_000);
    expect(asked.length).toBeLessThanOrEqual(2);
  });
});
