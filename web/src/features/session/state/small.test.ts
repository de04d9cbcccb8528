import { afterEach, describe, expect, it, vi } from "vitest";
import { putOff, writeToken } from "../../../lib/http/token";
import { ApiError } from "../../../lib/problem/problem";
import { aDetail } from "../../../test/studio";
import { inPath } from "../api/session";
import type { SearchWindow, Usage } from "../api/types";
import { artifactsOf } from "./artifacts";
import { authorised } from "./authorised";
import { commandsFor } from "./commands";
import { Deletions, grace } from "./deletions";
import { changesOf } from "./diff";
import { goesOn, noSearch, search, type Search } from "./search";
import { spendOf } from "./spend";

describe("a search inside", () => {
  const window = (ids: string[], examined: number, next: string | null): SearchWindow => ({
    session_id: "s", total: { kind: "unknown", value: null },
    matches: ids.map((entry_id) => ({ entry_id, ordinal: 0, kind: "text", created_at: 0, snippet: "" })),
    pagination: {
      next_cursor: next, examined_candidates: examined, has_more_candidates: next !== null, returned: ids.length, candidate_limit: 10_000, offset_basis: "candidates",
      search_mode: "bounded_contains", stop_reason: next === null ? "exhausted" : "candidate_limit",
    },
  });
  const after = (...windows: SearchWindow[]): Search =>
    windows.reduce((s, w) => search(s, { do: "found", window: w }), search(noSearch, { do: "begin", text: "x" }));

  it("shows the first match, and counts what was looked at", () => {
    const s = after(window(["a", "b"], 10_000, "z"));
    expect([s.at, s.examined, s.loading, s.next]).toEqual([0, 10_000, false, "z"]);
  });
  it("without a match in one window goes on behind it", () => {
    const s = after(window([], 10_000, "m"), window(["a"], 7, null));
    expect([s.matches.length, s.at, s.examined, s.next]).toEqual([1, 0, 10_007, null]);
  });
  it("shows the first of what a later window brought, and keeps its place when that is nothing", () => {
    expect(after(window(["a", "b"], 1, "m"), window(["c"], 1, "n")).at).toBe(2);
    expect(after(window(["a", "b"], 1, "m"), window([], 1, null)).at).toBe(0);
  });
  it("counts a match once", () => expect(after(window(["a"], 1, "m"), window(["a", "b"], 1, null)).matches.map((m) => m.entry_id)).toEqual(["a", "b"]));
  it("moves between its first and its last match", () => {
    let s = after(window(["a", "b"], 1, "m"));
    expect(goesOn(s)).toBe(false);
    s = search(s, { do: "move", by: 1 });
    expect([s.at, goesOn(s)]).toEqual([1, true]);
    s = search(s, { do: "move", by: 1 });
    expect(s.at).toBe(1);
    expect(search(search(s, { do: "move", by: -1 }), { do: "move", by: -1 }).at).toBe(0);
  });
  it("keeps what it found when it fails, and forgets all at its end", () => {
    const s = search(after(window(["a"], 5, "m")), { do: "failed", error: new Error("locked") });
    expect([s.matches.length, s.error?.message, s.loading]).toEqual([1, "locked", false]);
    expect(search(s, { do: "end" })).toEqual(noSearch);
  });
});

describe("what a session used", () => {
  const usage = (over: Partial<Usage>): Usage => ({
    input_tokens: 100_000, cache_read_tokens: 60_000, cache_write_tokens: 1, output_tokens: 900, reasoning_tokens: 5, cost_usd: 0.5, priced: 2, unpriced: 0, ...over,
  });
  const run = aDetail({ input_tokens: 7, output_tokens: 3, total_cost_usd: 0.42 });

  it("counts tokens without what the cache had", () => {
    expect(spendOf(run, usage({}))).toMatchObject({ tokens: "40k in, 60k cached, 900 out", cost: "$0.50", costTitle: "cost" });
    expect(spendOf(run, usage({})).tokensTitle).toBe("tokens: 40,000 in, 60,000 from the cache, 1 into the cache, 900 out, 5 of them reasoning");
  });
  it("with a request that has no price costs at least so much", () => {
    expect(spendOf(run, usage({ unpriced: 1 }))).toMatchObject({ cost: "≥ $0.50", costTitle: expect.stringContaining("at least") as unknown });
    expect(spendOf(aDetail({ total_cost_usd: null }), usage({ cost_usd: null, unpriced: 3 })).cost).toBe("—");
  });
  it("goes by the row where its log counted nothing", () => {
    expect(spendOf(run, null)).toMatchObject({ tokens: "7 in, 3 out", cost: "$0.42" });
    expect(spendOf(run, null).tokensTitle).toContain("cached parts included");
    expect(spendOf(aDetail({ input_tokens: null, output_tokens: null, total_cost_usd: null }), null)).toMatchObject({ tokens: null, cost: "—" });
  });
});

describe("commands", () => {
  it.each([
    [{ id: "i", pod: "walker", own: true }, ["podium attach walker", "podium history i"]],
    [{ id: "i", pod: null, own: true }, ["podium run --session i", "podium history i"]],
    [{ id: "i d", pod: null, own: false }, ["podium history 'i d'"]],
    [{ id: "i", pod: "it's; rm -rf", own: true }, ["podium attach 'it'\\''s; rm -rf'", "podium history i"]],
    [{ id: "-x", pod: null, own: false }, ["podium history '-x'"]],
  ])("for %j are %j", (session, texts) => expect(commandsFor(session).map((c) => c.text)).toEqual(texts));
});

describe("a text in a path", () => {
  it("may hold half a character, and anything else", () => {
    expect(inPath("a\ud800b/\udc00?")).toBe("a%EF%BF%BDb%2F%EF%BF%BD%3F");
    expect(decodeURIComponent(inPath("\u{1F469}/ü"))).toBe("\u{1F469}/ü");
  });
});

describe("changes of a call", () => {
  it.each([
    ["Edit", { file_path: "x", old_string: "a", new_string: "b" }, [{ before: "a", after: "b" }], ["file_path"]],
    ["MultiEdit", { file_path: "x", edits: [{ old_string: "a", new_string: "b" }, { old_string: "c", new_string: "" }] }, [{ before: "a", after: "b" }, { before: "c", after: "" }], ["file_path"]],
    ["MultiEdit", { edits: ["odd"] }, [], ["edits"]],
    ["Write", { file_path: "x", content: "new" }, [{ before: "", after: "new" }], ["file_path"]],
    ["Post", { content: "new" }, [], ["content"]],
    ["Edit", { old_string: 4, new_string: "b" }, [], ["old_string", "new_string"]],
  ])("%s %j", (tool, args, changes, rest) => {
    const found = changesOf(tool, args);
    expect([found.changes, Object.keys(found.rest)]).toEqual([changes, rest]);
  });
});

describe("artifacts", () => {
  it("are what was made, what is missing, and what was to be made, each once", () => {
    expect(
      artifactsOf({
        artifact_verification_json: { produced: [{ id: "a", path: "a.md", size: 5 }], missing_required: [{ path: "b.md" }], missing_optional: "odd" },
        artifact_contract_json: { expected: [{ path: "a.md" }, { path: "c.md" }, 4] },
      }),
    ).toEqual([
      { path: "a.md", size: 5, state: "there" },
      { path: "b.md", size: null, state: "missing" },
      { path: "c.md", size: null, state: "unknown" },
    ]);
    expect(artifactsOf({ artifact_verification_json: null, artifact_contract_json: "odd" })).toEqual([]);
  });
});

describe("a deletion", () => {
  afterEach(() => vi.useRealTimers());
  const states = (d: Deletions) => d.snapshot().map((one) => `${one.id} ${one.state}`);

  it("is sent when its time is over, and not a moment before", async () => {
    vi.useFakeTimers();
    const send = vi.fn(() => Promise.resolve());
    const d = new Deletions(send);
    d.start("a", "A");
    await vi.advanceTimersByTimeAsync(grace - 1);
    expect([send.mock.calls.length, states(d)]).toEqual([0, ["a waiting"]]);
    await vi.advanceTimersByTimeAsync(1);
    expect([send.mock.calls, states(d)]).toEqual([[["a"]], ["a deleted"]]);
    d.drop("a");
    expect(states(d)).toEqual([]);
  });

  it("that was taken back is never sent", async () => {
    vi.useFakeTimers();
    const send = vi.fn(() => Promise.resolve());
    const d = new Deletions(send);
    d.start("a", "A");
    d.start("b", "B");
    d.drop("a");
    await vi.advanceTimersByTimeAsync(grace * 2);
    expect(send.mock.calls).toEqual([["b"]]);
  });

  it("that is asked for again waits anew, once", async () => {
    vi.useFakeTimers();
    const send = vi.fn(() => Promise.resolve());
    const d = new Deletions(send);
    d.start("a", "A");
    await vi.advanceTimersByTimeAsync(grace / 2);
    d.start("a", "A");
    await vi.advanceTimersByTimeAsync(grace - 1);
    expect(send).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(grace);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it("that is refused says why", async () => {
    vi.useFakeTimers();
    const d = new Deletions(() => Promise.reject(new ApiError(409, "A live pod holds the session.")));
    d.start("a", "A");
    await vi.advanceTimersByTimeAsync(grace);
    expect(d.snapshot()).toMatchObject([{ state: "failed", problem: "A live pod holds the session." }]);
  });
});

describe("what needs the token", () => {
  it("waits until the person gave it", async () => {
    const send = vi.fn(() => Promise.resolve("done"));
    const answer = authorised(send);
    await Promise.resolve();
    expect(send).not.toHaveBeenCalled();
    writeToken("secret");
    expect(await answer).toBe("done");
  });
  it("fails when they put it off", async () => {
    const answer = authorised(() => Promise.resolve("done"));
    putOff();
    await expect(answer).rejects.toMatchObject({ status: 401 });
    // Later is not never.
    writeToken("secret");
    expect(await authorised(() => Promise.resolve("done"))).toBe("done");
  });
  it("hands on every other refusal", async () => {
    writeToken("secret");
    await expect(authorised(() => Promise.reject(new ApiError(409, "held")))).rejects.toMatchObject({ status: 409 });
  });
});
