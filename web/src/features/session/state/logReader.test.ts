import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../lib/problem/problem";
import { anEntry, windowOf } from "../../../test/studio";
import type { WindowAt } from "../api/session";
import type { Entry, EntryWindow } from "../api/types";
import { LogReader } from "./logReader";
import { end } from "./logWindow";

const many = (n: number): Entry[] => Array.from({ length: n }, (_, i) => anEntry("text", { text: `${i}` }, { id: `e${i}` }));

/** A reader of a log; change lets a window come otherwise, or not at all. */
function readerOf(log: Entry[], change: (at: WindowAt, limit: number) => EntryWindow | Error | Promise<never> | null = () => null) {
  const asked: string[] = [];
  const reader = new LogReader(async (at, limit) => {
    const q = new URLSearchParams({ ...Object.fromEntries(Object.entries(at).map(([k, v]) => [k, String(v)])), limit: String(limit) });
    asked.push(String(q));
    const other = await change(at, limit);
    if (other instanceof Error) throw other;
    const w = other ?? windowOf(log, q);
    if ("body" in w) throw new ApiError(404, "not there");
    return w as EntryWindow;
  });
  const span = () => {
    const w = reader.snapshot().window;
    return w === null ? null : [w.from, end(w), w.total];
  };
  return { reader, asked, span, state: () => reader.snapshot() };
}

describe("a reader", () => {
  it("begins at the end, and goes on in both directions from there", async () => {
    const { reader, span, asked } = readerOf(many(1_000));
    await reader.go({ kind: "end" });
    expect(span()).toEqual([800, 1_000, 1_000]);
    await reader.older();
    expect(span()).toEqual([600, 1_000, 1_000]);
    await reader.newer();
    expect(span()).toEqual([600, 1_000, 1_000]);
    expect(asked).toEqual(["limit=200", "before=e800&limit=200", "after=e999&limit=200"]);
  });

  it("jumps to an entry or a place, and forgets what was held", async () => {
    const { reader, span, state } = readerOf(many(1_000));
    await reader.go({ kind: "end" });
    await reader.go({ kind: "entry", id: "e300" });
    expect(span()).toEqual([200, 400, 1_000]);
    await reader.go({ kind: "place", place: 0 });
    expect(span()).toEqual([0, 200, 1_000]);
    await reader.go({ kind: "place", place: 700.4 });
    expect(span()).toEqual([600, 800, 1_000]);
    expect(state().opening).toBe(4);
  });

  it("asks for one window at a time in each direction", async () => {
    const { reader, asked } = readerOf(many(1_000));
    await reader.go({ kind: "place", place: 500 });
    await Promise.all([reader.older(), reader.older(), reader.newer(), reader.newer()]);
    expect(asked.slice(1)).toEqual(["before=e400&limit=200", "after=e599&limit=200"]);
  });

  it("asks for nothing in front of the first entry", async () => {
    const { reader, asked } = readerOf(many(50));
    await reader.go({ kind: "end" });
    await reader.older();
    expect(asked).toHaveLength(1);
  });

  it("asks for less when large entries cut a window short of what is held", async () => {
    const log = many(1_000);
    const { reader, span, asked } = readerOf(log, (at, limit) => {
      if (at.before === undefined || limit < 10) return null;
      const w = windowOf(log, new URLSearchParams({ before: at.before, limit: String(limit) })) as EntryWindow;
      return { ...w, entries: w.entries.slice(0, 10) };
    });
    await reader.go({ kind: "end" });
    await reader.older();
    expect(asked.slice(1)).toEqual(["before=e800&limit=200", "before=e800&limit=25", "before=e800&limit=4"]);
    expect(span()).toEqual([796, 1_000, 1_000]);
  });

  it("shows the end when the entry of a link is not there, and says so", async () => {
    const { reader, span, state } = readerOf(many(300));
    await reader.go({ kind: "entry", id: "nowhere" });
    expect([span(), state().missing, state().target]).toEqual([[100, 300, 300], "nowhere", { kind: "end" }]);
  });

  it("keeps what it holds when a jump or a window fails, and tries again", async () => {
    let fail = false;
    const { reader, span, state } = readerOf(many(1_000), () => (fail ? new ApiError(503, "locked") : null));
    await reader.go({ kind: "end" });
    fail = true;
    await reader.older();
    await reader.newer();
    await reader.go({ kind: "place", place: 10 });
    expect([span(), state().olderFailed, state().newerFailed, state().failed?.message, state().going]).toEqual([[800, 1_000, 1_000], true, true, "locked", null]);
    fail = false;
    reader.retry();
    await vi.waitFor(() => expect(span()).toEqual([0, 200, 1_000]));
    expect([state().failed, state().olderFailed, state().newerFailed]).toEqual([null, false, false]);
  });

  it("lets a later jump win over an earlier one", async () => {
    let answer = () => {};
    const waits = new Promise<void>((resolve) => (answer = resolve));
    const log = many(1_000);
    const { reader, span } = readerOf(log, (at) => (at.from === 0 ? waits.then(() => Promise.reject(new Error("late"))) : null));
    const first = reader.go({ kind: "place", place: 0 });
    await reader.go({ kind: "end" });
    answer();
    await first;
    expect([span(), reader.snapshot().failed]).toEqual([[800, 1_000, 1_000], null]);
  });

  it("reads what came since at the end, and only counts it elsewhere", async () => {
    const log = many(1_000);
    const { reader, span, asked } = readerOf(log);
    await reader.go({ kind: "end" });
    log.push(...many(1_003).slice(1_000));
    await reader.poll();
    expect(span()).toEqual([800, 1_003, 1_003]);
    await reader.go({ kind: "place", place: 0 });
    log.push(anEntry("text", { text: "later" }));
    await reader.poll();
    expect([span(), asked.at(-1)]).toEqual([[0, 200, 1_004], "limit=1"]);
  });

  it("of a log that had nothing reads its first entries", async () => {
    const log: Entry[] = [];
    const { reader, span } = readerOf(log);
    await reader.go({ kind: "end" });
    expect(span()).toEqual([0, 0, 0]);
    log.push(...many(2));
    await reader.poll();
    expect(span()).toEqual([0, 2, 2]);
  });

  it("holds a bounded part around what is read, however far it goes", async () => {
    const { reader, span } = readerOf(many(10_000));
    await reader.go({ kind: "end" });
    for (let i = 0; i < 30; i++) {
      reader.look(reader.snapshot().window?.from ?? 0);
      await reader.older();
    }
    expect(span()).toEqual([3_800, 5_800, 10_000]);
    reader.look(5_700);
    await reader.newer();
    expect(span()).toEqual([4_000, 6_000, 10_000]);
  });
});
