import { act, renderHook, waitFor } from "@testing-library/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { aPage, aRun, fakeStudio, runs, type Reply } from "../../../test/studio";
import { lastActivity } from "./activity";
import { dedupe, pollFloor, sameRows, useRuns, type Runs } from "./useRuns";
import type { RunFilter } from "./filter";

/** A listing of n sessions as the server pages it, newest first. */
function listing(rows: () => ReturnType<typeof runs>) {
  return (q: URLSearchParams): Reply => {
    const page = Number(q.get("page"));
    const per = Number(q.get("per_page"));
    const all = rows();
    return { body: aPage(all.slice((page - 1) * per, page * per), { page, total: all.length, has_next: page * per < all.length }) };
  };
}

function use(first: RunFilter = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
  return renderHook(({ filter }) => useRuns(filter), { wrapper, initialProps: { filter: first } });
}

const ids = (r: Runs) => r.runs.map((run) => run.id);

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});

describe("useRuns", () => {
  it("reads one page, then as many as are asked for, each row once", async () => {
    const all = runs(450);
    const page = listing(() => all);
    const studio = fakeStudio((r) => page(r.query));
    const { result } = use();
    expect(result.current.loading).toBe(true);
    await waitFor(() => expect(result.current.runs).toHaveLength(200));
    expect([result.current.total, result.current.hasMore]).toEqual([450, true]);
    act(() => {
      result.current.loadMore();
      result.current.loadMore();
    });
    await waitFor(() => expect(result.current.runs).toHaveLength(400));
    act(() => result.current.loadMore());
    await waitFor(() => expect(result.current.hasMore).toBe(false));
    expect(ids(result.current)).toEqual(all.map((r) => r.id));
    expect(studio.asked.map((r) => r.query.get("page"))).toEqual(["1", "2", "3"]);
  });

  it("looks at the newest page again, and at others only when rows came in", async () => {
    let all = runs(450);
    const page = listing(() => all);
    const studio = fakeStudio((r) => page(r.query));
    const { result } = use();
    await waitFor(() => expect(result.current.runs).toHaveLength(200));
    act(() => result.current.loadMore());
    await waitFor(() => expect(result.current.runs).toHaveLength(400));

    all = all.map((r, i) => (i === 3 ? { ...r, status: "failed" } : r));
    await act(() => vi.advanceTimersByTimeAsync(pollFloor + 500));
    await waitFor(() => expect(result.current.runs[3]?.status).toBe("failed"));
    expect(studio.asked.map((r) => r.query.get("page"))).toEqual(["1", "2", "1"]);

    all = [aRun({ id: "new" }), ...all];
    await act(() => vi.advanceTimersByTimeAsync(pollFloor + 500));
    await waitFor(() => expect(studio.asked.map((r) => r.query.get("page")).slice(3)).toEqual(["1", "1", "2"]));
    await waitFor(() => expect(ids(result.current)).toEqual(all.slice(0, 400).map((r) => r.id)));
  });

  it("loses no row that was pushed out of the newest page while the others are read again", async () => {
    let all = runs(450);
    let slow = false;
    const page = listing(() => all);
    fakeStudio((r) => (slow && r.query.get("page") === "2" ? new Promise(() => undefined) : page(r.query)));
    const { result } = use();
    await waitFor(() => expect(result.current.runs).toHaveLength(200));
    act(() => result.current.loadMore());
    await waitFor(() => expect(result.current.runs).toHaveLength(400));
    all = [...runs(30, 1_000), ...all];
    slow = true;
    await act(() => vi.advanceTimersByTimeAsync(pollFloor + 500));
    await waitFor(() => expect(result.current.runs).toHaveLength(430));
    expect(ids(result.current)).toEqual(all.slice(0, 430).map((r) => r.id));
  });

  it("reads many pages again at a tenth of its time at most", async () => {
    let all = runs(450);
    const page = listing(() => all);
    const studio = fakeStudio(async (r) => {
      await new Promise((done) => setTimeout(done, 2_000));
      return page(r.query);
    });
    const { result } = use();
    const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    await pass(2_500);
    act(() => result.current.loadMore());
    await pass(2_500);
    expect(result.current.runs).toHaveLength(400);
    const again = () => studio.asked.filter((r) => r.query.get("page") === "2").length - 1;
    for (let i = 0; i < 20; i++) {
      all = [aRun({ id: `new${i}` }), ...all];
      await pass(10_000);
    }
    // Two pages take four seconds; in two hundred there is time for five readings.
    expect(again()).toBeGreaterThan(0);
    expect(again()).toBeLessThanOrEqual(5);
  });

  it("learns that a second page has come to be", async () => {
    let all = runs(200);
    const page = listing(() => all);
    fakeStudio((r) => page(r.query));
    const { result } = use();
    await waitFor(() => expect(result.current.runs).toHaveLength(200));
    expect(result.current.hasMore).toBe(false);
    all = [aRun({ id: "new" }), ...all];
    await act(() => vi.advanceTimersByTimeAsync(pollFloor + 500));
    await waitFor(() => expect(result.current.hasMore).toBe(true));
  });

  it("keeps the rows when the daemon goes away, says so, and recovers by itself", async () => {
    let away = false;
    const page = listing(() => runs(3));
    fakeStudio((r) => (away ? "away" : page(r.query)));
    const { result } = use();
    await waitFor(() => expect(result.current.runs).toHaveLength(3));
    away = true;
    await act(() => vi.advanceTimersByTimeAsync(pollFloor + 500));
    await waitFor(() => expect(result.current.error?.message).toBe("Studio does not answer."));
    expect(result.current.runs).toHaveLength(3);
    away = false;
    await act(() => vi.advanceTimersByTimeAsync(pollFloor + 500));
    await waitFor(() => expect(result.current.error).toBeNull());
  });

  it("waits for a daemon that is not there yet", async () => {
    let away = true;
    const page = listing(() => runs(2));
    fakeStudio((r) => (away ? "away" : page(r.query)));
    const { result } = use();
    await waitFor(() => expect(result.current.error).not.toBeNull());
    expect([result.current.loading, result.current.total]).toEqual([false, null]);
    away = false;
    await act(() => vi.advanceTimersByTimeAsync(pollFloor + 500));
    await waitFor(() => expect(result.current.runs).toHaveLength(2));
  });

  it("does not ask again what was refused", async () => {
    const studio = fakeStudio(() => ({ status: 422, body: { detail: "sort must be one of: recent, cost" } }));
    const { result } = use();
    await waitFor(() => expect(result.current.error?.message).toBe("sort must be one of: recent, cost"));
    await act(() => vi.advanceTimersByTimeAsync(10 * pollFloor));
    expect(studio.asked).toHaveLength(1);
    act(() => result.current.retry());
    await waitFor(() => expect(studio.asked).toHaveLength(2));
  });

  it("shows the old rows, marked, until a new filter has its answer", async () => {
    let release: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    fakeStudio(async (r) => {
      if (r.query.get("search") === null) return { body: aPage(runs(2)) };
      await slow;
      return { body: aPage(runs(1, 7)) };
    });
    const { result, rerender } = use();
    await waitFor(() => expect(result.current.runs).toHaveLength(2));
    rerender({ filter: { search: "x" } });
    await waitFor(() => expect(result.current.outdated).toBe(true));
    expect(result.current.runs).toHaveLength(2);
    release();
    await waitFor(() => expect(ids(result.current)).toEqual(["r7"]));
    expect(result.current.outdated).toBe(false);
  });

  it("keeps the rows when more did not come, and tries the same page again", async () => {
    let fail = true;
    const page = listing(() => runs(300));
    const studio = fakeStudio((r) => (r.query.get("page") === "2" && fail ? { status: 503, body: { detail: "busy" } } : page(r.query)));
    const { result } = use();
    await waitFor(() => expect(result.current.hasMore).toBe(true));
    act(() => result.current.loadMore());
    await waitFor(() => expect(result.current.moreFailed).toBe(true));
    expect([result.current.runs.length, result.current.hasMore]).toEqual([200, true]);
    fail = false;
    act(() => result.current.loadMore());
    await waitFor(() => expect(result.current.runs).toHaveLength(300));
    expect(studio.asked.filter((r) => r.query.get("page") === "2")).toHaveLength(2);
  });
});

describe("rows", () => {
  it("count once, where they came first", () => {
    expect(dedupe([aPage(runs(3)), aPage(runs(3, 2))]).map((r) => r.id)).toEqual(["r0", "r1", "r2", "r3", "r4"]);
  });
  it("are the same in any order, and not with another total", () => {
    const [a, b] = runs(2);
    if (!a || !b) throw new Error("no rows");
    expect(sameRows(aPage([a, b]), aPage([b, a]))).toBe(true);
    expect(sameRows(aPage([a, b]), aPage([a]))).toBe(false);
    expect(sameRows(aPage([a]), aPage([b]))).toBe(false);
    expect(sameRows(aPage([a]), aPage([a], { total: 9 }))).toBe(false);
    expect(sameRows(aPage([a]), undefined)).toBe(false);
  });
});

describe("lastActivity", () => {
  it.each([
    [{ ended_at: 5, updated_at: 9, started_at: 1 }, 5],
    [{ ended_at: null, updated_at: 9, started_at: 1 }, 9],
    [{ ended_at: null, updated_at: 0, started_at: 1 }, 1],
    [{ ended_at: null, updated_at: 0, started_at: null }, null],
  ])("of %j is %s", (run, at) => expect(lastActivity(run)).toBe(at));
});
