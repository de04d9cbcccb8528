import { describe, expect, expectTypeOf, it } from "vitest";
import { aPage, aRefusal, aRunsWindow, fakeStudio, runs } from "../../../test/studio";
import { ApiError } from "../../../lib/problem/problem";
import { writeToken } from "../../../lib/http/token";
import { listRuns, listSessions } from "./runs";
import type { RunPage, SessionPage } from "./types";
import { listRunsV2, listSessionsV2 } from "./windows";
import type { Answer, RunsWindow, SessionsWindow } from "./windowTypes";

const asked = (studio: ReturnType<typeof fakeStudio>) => studio.asked.map((r) => `${r.path}?${r.query}`);

describe("101 clients have distinct v2 helpers", () => {
  it("whose types keep unknown totals and numbers apart", () => {
    expectTypeOf(listRuns).returns.resolves.toEqualTypeOf<RunPage>();
    expectTypeOf(listSessions).returns.resolves.toEqualTypeOf<SessionPage>();
    expectTypeOf(listRunsV2).returns.resolves.toEqualTypeOf<Answer<RunsWindow>>();
    expectTypeOf(listSessionsV2).returns.resolves.toEqualTypeOf<Answer<SessionsWindow>>();
    expectTypeOf<RunPage["total"]>().toEqualTypeOf<number>();
    expectTypeOf<SessionPage["total"]>().toEqualTypeOf<number>();
    expectTypeOf<RunsWindow["total"]["value"]>().toEqualTypeOf<number | null>();
    expectTypeOf<RunsWindow>().not.toHaveProperty("total_pages");
    expectTypeOf<SessionsWindow>().not.toHaveProperty("truncated");
  });

  it("that select the version deliberately; v1 asks as it always did", async () => {
    const studio = fakeStudio(() => ({ body: aPage([]) }));
    await listRuns({ search: "a b", sort: "cost" }, 2, 20);
    await listSessions(40, 20);
    await listRunsV2({ search: "a b", sort: "cost", status: ["failed", "error"], tag: ["t"] }, { rows: 20 });
    await listRunsV2({}, { cursor: "lc1.a.b.c", rows: 5, exactTotal: true });
    await listSessionsV2("cost", { cursor: "lc1.a.b.c", rows: 5 });
    await listSessionsV2("recent", { cursor: null, rows: 500 });
    expect(asked(studio)).toEqual([
      "/api/runs/?page=2&per_page=20&search=a+b&sort=cost",
      "/api/sessions/?offset=40&limit=20&sort=recent",
      "/api/runs/?listing_version=2&per_page=20&search=a+b&status=failed&status=error&tag=t&sort=cost",
      "/api/runs/?listing_version=2&per_page=5&cursor=lc1.a.b.c&exact_total=true",
      "/api/sessions/?listing_version=2&limit=5&cursor=lc1.a.b.c&sort=cost",
      "/api/sessions/?listing_version=2&limit=500",
    ]);
  });

  it.each([
    ["listRuns", (s: AbortSignal) => listRuns({}, 1, 1, s)],
    ["listSessions", (s: AbortSignal) => listSessions(0, 1, "recent", s)],
    ["listRunsV2", (s: AbortSignal) => listRunsV2({}, { rows: 1 }, s)],
    ["listSessionsV2", (s: AbortSignal) => listSessionsV2("recent", { rows: 1 }, s)],
  ])("whose signal reaches the request: %s", async (_, call) => {
    fakeStudio(() => new Promise(() => undefined));
    const stop = new AbortController();
    const answer = call(stop.signal);
    stop.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });

  it("that share the bearer and the one error", async () => {
    writeToken("secret");
    const studio = fakeStudio((r) =>
      r.query.has("cursor")
        ? aRefusal(409, "listing_cursor_restart_required", "Restart the listing from the beginning.", true)
        : { ...aRefusal(503, "listing_not_ready", "Listing v2 is unavailable for this store."), headers: { "Podium-Listing-Lacks": "identity" } },
    );
    const refused = async (answer: Promise<unknown>) => {
      const e: unknown = await answer.catch((e: unknown) => e);
      if (!(e instanceof ApiError)) throw e;
      return [e.status, e.code, e.restartRequired, e.lacks];
    };
    expect(await refused(listRunsV2({}, { rows: 1, cursor: "c" }))).toEqual([409, "listing_cursor_restart_required", true, undefined]);
    expect(await refused(listSessionsV2("recent", { rows: 1 }))).toEqual([503, "listing_not_ready", false, "identity"]);
    expect(studio.asked.map((r) => r.headers.get("Authorization"))).toEqual(["Bearer secret", "Bearer secret"]);
  });

  it("that say how far back a window came, where that is known", async () => {
    const body = aRunsWindow(runs(1), "c");
    let headers: Record<string, string> = { "Podium-Listing-Reached": "1770000000.25" };
    fakeStudio(() => ({ body, headers }));
    expect(await listRunsV2({}, { rows: 1 })).toEqual({ window: body, reached: 1_770_000_000.25 });
    for (headers of [{}, { "Podium-Listing-Reached": "soon" }]) expect((await listRunsV2({}, { rows: 1 })).reached).toBeNull();
  });
});
