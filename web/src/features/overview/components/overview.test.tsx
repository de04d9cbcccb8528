import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeStudio, renderPage, type Request } from "../../../test/studio";
import type { Usage, UsageSum } from "../api/types";
import { kept, lookAgain } from "../state/useUsage";
import { Overview } from "./Overview";

const zone = "Europe/Berlin";
const at = Date.UTC(2026, 4, 3, 14, 2) / 1000;

beforeEach(() => {
  const options = new Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions").mockReturnValue({ ...options, timeZone: zone });
});
afterEach(() => vi.restoreAllMocks());

const sum = (key: string | null, over: Partial<UsageSum> = {}): UsageSum => ({ key, sessions: 0, priced_usd: 0, priced_n: 0, unpriced_n: 0, ...over });

const groups: Record<string, UsageSum[]> = {
  day: [sum("2026-05-01", { sessions: 3, priced_usd: 2, priced_n: 4 }), sum("2026-05-02"), sum("2026-05-03", { sessions: 1, priced_usd: 1, priced_n: 4, unpriced_n: 2 })],
  project: [sum("shop", { sessions: 3, priced_usd: 3, priced_n: 8 }), sum(null, { sessions: 1, unpriced_n: 2 })],
  model: [sum("claude-sonnet-5", { sessions: 3, priced_usd: 3, priced_n: 8 }), sum("heron-coder-9b", { sessions: 1, unpriced_n: 2 })],
};

function aUsage(by: string, over: Partial<Usage> = {}): Usage {
  return { by: by as Usage["by"], days: 30, tz: zone, since: at - 30 * 86_400, until: at, basis: "usage", as_of: at, capped: false, groups: groups[by] ?? [], ...over };
}

const answer = (r: Request, over: Partial<Usage> = {}) => ({ body: aUsage(r.query.get("by") ?? "", over) });

function Strip({ onProject }: { onProject?: (project: string | null | undefined) => void }) {
  const [project, setProject] = useState<string | null | undefined>(undefined);
  return (
    <Overview
      project={project}
      onProject={(to) => {
        setProject(to);
        onProject?.(to);
      }}
    />
  );
}

const words = "4 sessions · ≥ $3.00, 20 % unpriced";

describe("the overview", () => {
  it("asks for 30 days of the viewer's zone, and says them in a line and a plot", async () => {
    const studio = fakeStudio(answer);
    renderPage(<Strip />);
    await screen.findByText(words);
    expect(studio.asked.map((r) => `${r.path}?${r.query.toString()}`)).toEqual(["/api/usage?days=30&tz=Europe%2FBerlin&by=day"]);
    const plot = screen.getByRole("img");
    expect(plot.getAttribute("aria-label")).toContain(words);
    expect([...plot.querySelectorAll("title")].map((t) => t.textContent)).toEqual([
      "Fri 1 May 2026: 3 sessions, $2.00", "Sat 2 May 2026: 0 sessions, no requests", "Sun 3 May 2026: 1 session, ≥ $1.00, 33 % unpriced",
    ]);
    expect([plot.querySelectorAll(".plot-sessions").length, plot.querySelectorAll(".plot-spend").length, plot.querySelectorAll(".plot-unpriced").length]).toEqual([2, 2, 1]);
  });

  it("has the same as a table, the newest day first and a sum", async () => {
    fakeStudio(answer);
    renderPage(<Strip />);
    await userEvent.click(await screen.findByRole("button", { name: "as a table" }));
    const table = await screen.findByRole("table", { name: "Sessions and spend by day" });
    expect(within(table).getAllByRole("row").map((r) => [...r.children].map((c) => c.textContent))).toEqual([
      ["day", "sessions", "spend", "unpriced requests"],
      ["Sun 3 May 2026", "1", "≥ $1.00", "2 of 6"],
      ["Sat 2 May 2026", "0", "none", ""],
      ["Fri 1 May 2026", "3", "$2.00", "0 of 4"],
      ["all", "4", "≥ $3.00", "2 of 10"],
    ]);
    expect(screen.getByRole("region", { name: "Sums by day" }).tabIndex).toBe(0);
  });

  it("lists a project's sessions and all again, also those without one", async () => {
    fakeStudio(answer);
    const onProject = vi.fn();
    renderPage(<Strip onProject={onProject} />);
    await userEvent.click(await screen.findByRole("button", { name: "projects" }));
    const list = await screen.findByRole("list", { name: "Spend by project" });
    expect(within(list).getAllByRole("listitem").map((li) => li.textContent)).toEqual(["shop$3.00", "no project100 % unpriced—"]);
    const shop = within(list).getByRole("button", { name: "shop" });
    await userEvent.click(shop);
    expect([onProject.mock.lastCall, shop.getAttribute("aria-pressed")]).toEqual([["shop"], "true"]);
    await userEvent.click(shop);
    expect([onProject.mock.lastCall, shop.getAttribute("aria-pressed")]).toEqual([[undefined], "false"]);
    await userEvent.click(within(list).getByRole("button", { name: "no project" }));
    expect(onProject.mock.lastCall).toEqual([null]);
  });

  it("reads models when somebody looks at them, and remembers what was looked at", async () => {
    const studio = fakeStudio(answer);
    const first = renderPage(<Strip />);
    await userEvent.click(await screen.findByRole("button", { name: "models" }));
    await screen.findByText("heron-coder-9b");
    expect(screen.queryByRole("button", { name: "heron-coder-9b" })).toBeNull();
    expect(studio.asked.map((r) => r.query.get("by"))).toEqual(["day", "model"]);
    first.unmount();
    renderPage(<Strip />);
    await screen.findByText("heron-coder-9b");
    expect(screen.getByRole("button", { name: "models" }).getAttribute("aria-pressed")).toBe("true");
  });

  it("folds into its line, and stays so", async () => {
    fakeStudio(answer);
    const first = renderPage(<Strip />);
    await screen.findByRole("img");
    await userEvent.click(screen.getByRole("button", { name: "30 days", expanded: true }));
    expect([screen.queryByRole("img"), screen.getByText(words) !== null]).toEqual([null, true]);
    first.unmount();
    const second = renderPage(<Strip />);
    await screen.findByText(words);
    expect(screen.queryByRole("img")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "30 days", expanded: false }));
    second.unmount();
    vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
    renderPage(<Strip />);
    await screen.findByRole("img");
  });

  it("is folded on a small screen unless it was unfolded", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
    fakeStudio(answer);
    renderPage(<Strip />);
    await screen.findByText(words);
    expect(screen.getByRole("button", { name: "30 days" }).getAttribute("aria-expanded")).toBe("false");
  });

  it("folds the tail of many projects into one row, and leaves nothing out of the sum", async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => sum(`p${i}`, { sessions: 1, priced_usd: 1, priced_n: 1 }));
    fakeStudio((r) => answer(r, r.query.get("by") === "project" ? { groups: many } : {}));
    renderPage(<Strip />);
    await userEvent.click(await screen.findByRole("button", { name: "projects" }));
    const list = await screen.findByRole("list");
    expect(within(list).getAllByRole("listitem")).toHaveLength(21);
    expect(within(list).getAllByRole("listitem").at(-1)?.textContent).toBe("980 others$980.00");
    await userEvent.click(screen.getByRole("button", { name: "as a table" }));
    expect(screen.getByRole<HTMLTableElement>("table").rows.length).toBe(403);
  });

  it("shows of a long name what can be read", async () => {
    fakeStudio((r) => answer(r, r.query.get("by") === "project" ? { groups: [sum("x".repeat(100_000), { sessions: 1 })] } : {}));
    renderPage(<Strip />);
    await userEvent.click(await screen.findByRole("button", { name: "projects" }));
    expect((await screen.findByRole("listitem")).textContent?.length).toBeLessThan(400);
  });
});

describe("sums of an adopted store", () => {
  it("say that they go by last activity, of when they are, and that sessions count whole", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, now: at * 1000 });
    fakeStudio((r) => answer(r, { basis: "last_activity", capped: true }));
    renderPage(<Strip />);
    await screen.findByText("≥ 4 sessions · ≥ $3.00, 20 % unpriced");
    expect(screen.getByText("by last activity, as of 14:02")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "as a table" }));
    expect((await screen.findByRole("table")).textContent).toContain("unpriced sessions");
  });
});

describe("without an answer", () => {
  it("there are bones of the same height", () => {
    fakeStudio(() => new Promise(() => undefined));
    renderPage(<Strip />);
    expect(screen.getByRole("status", { name: "Loading the overview" }).className).toContain("overview-body");
  });

  it("an empty store says so", async () => {
    fakeStudio((r) => answer(r, { groups: r.query.get("by") === "day" ? [sum("2026-05-03")] : [] }));
    renderPage(<Strip />);
    await screen.findByText("0 sessions · nothing spent");
    expect(screen.getByText(/Nothing in the last 30 days/)).toBeTruthy();
  });

  it.each([
    ["500", { status: 500, text: "Internal Server Error", type: "text/plain" }, /Request failed: 500/, true],
    ["503", { status: 503, body: { detail: "Too many large reads wait." } }, /Too many large reads wait/, true],
    ["422", { status: 422, body: { detail: "days must be a number" } }, /days must be a number/, true],
    ["501", { status: 501, body: { detail: "Usage needs a local store.", route: "/api/usage", backend: "postgres" } }, /Usage needs a local store/, false],
    ["401", { status: 401, body: { detail: "Unauthorized" } }, /Studio wants its token/, false],
    ["HTML", { text: "<!doctype html><h1>Hello</h1>", type: "text/html" }, /not Studio's/, true],
    ["half of JSON", { text: '{"by":"day","groups":[{"key":' }, /ended early/, true],
    ["another program's JSON", { body: { hello: "world" } }, /not Studio's/, true],
    ["null", { body: null }, /not Studio's/, true],
    ["nothing", "away", /does not answer/, true],
  ] as const)("but %s, it says what is wrong and offers what helps", async (_, reply, message, again) => {
    fakeStudio(() => reply);
    renderPage(<Strip />);
    await screen.findByText("could not be read");
    expect(screen.getByText(message)).toBeTruthy();
    expect(screen.queryAllByRole("button", { name: "Look again" })).toHaveLength(again ? 1 : 0);
    // The list of the pane has the alert.
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("a daemon is asked again until it is there", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let away = true;
    fakeStudio((r) => (away ? "away" : answer(r)));
    renderPage(<Strip />);
    await screen.findByText("could not be read");
    away = false;
    await act(() => vi.advanceTimersByTimeAsync(lookAgain));
    await screen.findByText(words);
  });

  it("a zone that Studio does not know is replaced by UTC, and that is said", async () => {
    const studio = fakeStudio((r) => (r.query.get("tz") === "UTC" ? answer(r, { tz: "UTC" }) : { status: 422, body: { detail: "tz must be a zone" } }));
    renderPage(<Strip />);
    await screen.findByText(words);
    expect(screen.getByText("days of UTC")).toBeTruthy();
    expect(studio.asked.map((r) => r.query.get("tz"))).toEqual([zone, "UTC"]);
  });
});

describe("time", () => {
  it("is looked at again every minute, not sooner, and never in a hidden tab", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const studio = fakeStudio(answer);
    renderPage(<Strip />);
    await screen.findByText(words);
    await act(() => vi.advanceTimersByTimeAsync(kept - 5_000));
    expect(studio.asked).toHaveLength(1);
    await act(() => vi.advanceTimersByTimeAsync(6_000));
    expect(studio.asked).toHaveLength(2);
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    document.dispatchEvent(new Event("visibilitychange"));
    await act(() => vi.advanceTimersByTimeAsync(5 * kept));
    expect(studio.asked).toHaveLength(2);
  });

  it("keeps what was there when a look fails, and says since when", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, now: at * 1000 });
    let away = false;
    fakeStudio((r) => (away ? "away" : answer(r)));
    renderPage(<Strip />);
    await screen.findByText(words);
    away = true;
    await act(() => vi.advanceTimersByTimeAsync(kept + 1_000));
    await screen.findByText(/not refreshed since 14:02/);
    expect([screen.getByText(words) !== null, screen.getByRole("img") !== null]).toEqual([true, true]);
    away = false;
    fireEvent.click(screen.getByRole("button", { name: "Look again" }));
    await waitFor(() => expect(screen.queryByText(/not refreshed/)).toBeNull());
  });
});
