import { describe, expect, it } from "vitest";
import { ApiError } from "../../../lib/problem/problem";
import { answered, begin, failed, newChain, proceed, retry, storeChanged, type Chain, type Found } from "./chain";

interface Row {
  id: string;
}
const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id }));
const ids = (chain: Chain<Row>) => chain.rows.map((r) => r.id).join(" ");

function found(list: Row[], cursor: string | null, over: Partial<Found<Row>> = {}): Found<Row> {
  return { rows: list, cursor, examined: 10_000, limit: 10_000, stop: cursor === null ? "exhausted" : list.length > 0 ? "row_limit" : "candidate_limit", reached: 7, ...over };
}

const started = begin(newChain<Row>(0));
const take = (chain: Chain<Row>, f: Found<Row>) => answered(chain, chain.generation, f, 5);
const first = take(started, found(rows("a", "b"), "c1"));
const away = new ApiError(0, "Studio does not answer.");
const restart = new ApiError(409, "Restart the listing from the beginning.", "listing_cursor_restart_required", true);

describe("105 a failure keeps the frontier and retries the same", () => {
  it("of a continuation", () => {
    const asking = proceed(first);
    const broken = failed(asking, asking.generation, away);
    expect([ids(broken), broken.frontier, broken.asking, broken.failure?.error]).toEqual(["a b", "c1", null, away]);
    expect(retry(broken).asking).toEqual({ kind: "continue", cursor: "c1" });
    const mended = take(retry(broken), found(rows("c"), null));
    expect([ids(mended), mended.failure, mended.frontier]).toEqual(["a b c", null, null]);
  });

  it("of the beginning, which is begun again", () => {
    const broken = failed(started, started.generation, away);
    expect(retry(broken).asking).toEqual({ kind: "begin", cursor: null });
  });

  it("of a refresh: what was there stays and can go on once it worked", () => {
    const asking = begin(first);
    const broken = failed(asking, asking.generation, away);
    expect([ids(broken), broken.frontier]).toEqual(["a b", "c1"]);
    expect(retry(broken).asking?.kind).toBe("begin");
  });

  it("but a cursor that the server wants no more takes rows and frontier with it", () => {
    const asking = proceed(first);
    const ended = failed(asking, asking.generation, restart);
    expect([ids(ended), ended.frontier, ended.dropped, ended.windows, ended.stop]).toEqual(["", null, "cursor", [], null]);
    expect(proceed(ended)).toBe(ended);
    expect(retry(ended).asking).toEqual({ kind: "begin", cursor: null });
  });
});

describe("106 a change of generation discards", () => {
  it("answers and failures that come late", () => {
    const asking = proceed(first);
    const refreshed = begin(asking);
    expect(answered(refreshed, asking.generation, found(rows("x"), "c2"), 5)).toBe(refreshed);
    expect(failed(refreshed, asking.generation, away)).toBe(refreshed);
    const done = take(refreshed, found(rows("n"), "c9"));
    expect(answered(done, done.generation, found(rows("x"), "c2"), 5)).toBe(done);
  });

  it("rows and cursors of another store", () => {
    const asking = proceed(first);
    const dropped = storeChanged(asking);
    expect([ids(dropped), dropped.frontier, dropped.asking, dropped.dropped]).toEqual(["", null, null, "store"]);
    expect(answered(dropped, asking.generation, found(rows("x"), "c2"), 5)).toBe(dropped);
    expect(take(retry(dropped), found(rows("n"), null)).dropped).toBeNull();
  });
});

describe("107 single flight", () => {
  it("asks for one window until it is there", () => {
    const asking = proceed(first);
    expect(proceed(asking)).toBe(asking);
    expect(begin(begin(first))).toEqual(begin(first));
    expect(proceed(begin(first)).asking?.kind).toBe("begin");
  });

  it("asks for nothing without a frontier", () => {
    const end = take(started, found(rows("a"), null));
    expect(proceed(end)).toBe(end);
  });
});

describe("108 a refresh replaces rows and frontier together", () => {
  it("and not before its first window is there", () => {
    const later = take(proceed(first), found(rows("c"), "c2"));
    const asking = begin(later);
    expect([ids(asking), asking.frontier, asking.windows]).toEqual(["a b c", "c2", [2, 1]]);
    const fresh = take(asking, found(rows("n", "a"), "d1", { examined: 40 }));
    expect([ids(fresh), fresh.frontier, fresh.windows, fresh.examined]).toEqual(["n a", "d1", [2], 40]);
    expect(fresh.traversal).toBe(later.traversal + 1);
  });
});

describe("109 ids come once, in the order of the server", () => {
  it("within and across windows", () => {
    const chain = take(proceed(take(proceed(first), found(rows("z", "b", "y"), "c2"))), found(rows("a", "x", "x"), null));
    expect(ids(chain)).toBe("a b z y x");
    expect(chain.windows).toEqual([2, 2, 1]);
  });
});

describe("110 what a window brought is told", () => {
  it.each<[Found<Row>, string]>([
    [found(rows("c"), "c2"), "1 row added"],
    [found(rows("c", "d"), "c2"), "2 rows added"],
    [found(rows(...Array.from({ length: 1_200 }, (_, i) => `r${i}`)), "c2"), "1,200 rows added"],
    [found([], "c2"), "No matches in this window. Continue search."],
    [found(rows("a"), "c2"), "No rows added"],
    [found(rows("c"), null), "1 row added. Nothing is left to examine."],
    [found([], null), "No rows added. Nothing is left to examine."],
  ])("%#", (window, told) => expect(take(proceed(first), window).told).toBe(told));

  it("and a traversal without a match claims no more than that", () => {
    const empty = take(started, found([], "c1"));
    expect([empty.told, empty.examined]).toEqual(["No matches in this window. Continue search.", 10_000]);
    const end = take(proceed(empty), found([], null));
    expect([end.told, end.examined, end.windows]).toEqual(["No matches found in this traversal.", 20_000, [0, 0]]);
  });
});
