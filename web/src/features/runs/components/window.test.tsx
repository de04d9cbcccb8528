import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef, useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { aPage, aRefusal, aRun, aRunsWindow, fakeStudio, renderPage, runs, type Reply, type Request } from "../../../test/studio";
import { writeToken } from "../../../lib/http/token";
import type { RunFilter } from "../state/filter";
import { ListPane } from "./ListPane";
import type { ListHandle } from "./RunList";

let setFilter: (filter: RunFilter) => void;
let filterNow: RunFilter;

function Pane({ first }: { first: RunFilter }) {
  const [filter, set] = useState<RunFilter>(first);
  setFilter = set;
  filterNow = filter;
  return <ListPane filter={filter} onFilter={set} selected={null} onOpen={vi.fn()} hrefOf={(id) => `?s=${id}`} rowHeight={32} list={createRef<ListHandle>()} />;
}

type Window = Reply | Promise<Reply> | "away";

/** A Studio whose windows a test gives; what was asked of them is in windows. */
function studio(answer: (r: Request) => Window, context: () => string | null = () => "0011223344556677") {
  const windows: Request[] = [];
  const { asked } = fakeStudio((r) => {
    if (r.path === "/api/admin/readiness") return { body: { status: "healthy", store_present: true, store_context: context() } };
    if (r.query.get("listing_version") !== "2") return { body: aPage(runs(3)) };
    windows.push(r);
    return answer(r);
  });
  return { asked, windows, cursors: () => windows.filter((r) => !r.query.has("exact_total")).map((r) => r.query.get("cursor")) };
}

/** Windows of so many rows each, forever. */
const ofRows = (n: number) => (r: Request) => {
  const from = Number(r.query.get("cursor")?.slice(1) ?? 0);
  return { body: aRunsWindow(runs(n, from), `c${from + n}`) };
};

const windowed = (first: RunFilter = {}) => renderPage(<Pane first={{ list: "window", ...first }} />);
const next = () => screen.getByRole("button", { name: /^(Load more|Continue search|End of the search|Try again|Start again)$/ });
const shown = () => screen.queryAllByRole("listitem").length;
const names = () => [...document.querySelectorAll(".run-row")].map((row) => row.getAttribute("data-id"));
const loaded = (n: number) => screen.findByText(`${n} loaded`);
const said = () => screen.getAllByRole("status").map((s) => s.textContent).join("");

/** A promise with its resolve. */
function later(): { reply: Promise<Reply>; send: (reply: Reply) => void } {
  let send!: (reply: Reply) => void;
  const reply = new Promise<Reply>((resolve) => (send = resolve));
  return { reply, send };
}

describe("102 windows are opt-in", () => {
  it("v1 is what a page begins with; windows are asked for once somebody chooses them", async () => {
    const { asked, windows } = studio(ofRows(2));
    renderPage(<Pane first={{}} />);
    await screen.findByText("3 sessions");
    const listing = screen.getByRole("group", { name: "Listing" });
    expect(within(listing).getByRole("button", { name: "v1" }).getAttribute("aria-pressed")).toBe("true");
    expect(asked.every((r) => r.path === "/api/runs/" && !r.query.has("listing_version"))).toBe(true);
    const choice = within(listing).getByRole("button", { name: "window" });
    await userEvent.click(choice);
    await loaded(2);
    expect([filterNow, document.activeElement, windows.length]).toEqual([{ list: "window" }, choice, 1]);
    await userEvent.click(within(listing).getByRole("button", { name: "v1" }));
    await screen.findByText("3 sessions");
    expect(filterNow).toEqual({});
  });
});

describe("103 one activation is one window", () => {
  it("although the control stays in sight, and time passes", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const observe = vi.fn();
    vi.stubGlobal("IntersectionObserver", class { observe = observe; disconnect() {} });
    const { cursors, asked } = studio(ofRows(2));
    windowed();
    await loaded(2);
    fireEvent.click(next());
    await loaded(4);
    await act(() => vi.advanceTimersByTimeAsync(120_000));
    expect(cursors()).toEqual([null, "c2"]);
    expect(observe).not.toHaveBeenCalled();
    // The store is asked who it is; nobody asks for rows.
    expect(new Set(asked.map((r) => r.path))).toEqual(new Set(["/api/runs/", "/api/admin/readiness"]));
  });
});

describe("104 the label follows the stop reason", () => {
  it.each([
    [aRunsWindow(runs(2), "c"), "Load more", "false"],
    [aRunsWindow(runs(2), "c", { stop_reason: "candidate_limit" }), "Continue search", "false"],
    [aRunsWindow([], "c"), "Continue search", "false"],
    [aRunsWindow(runs(2), null), "End of the search", "true"],
  ])("%#", async (body, label, disabled) => {
    const { windows } = studio(() => ({ body }));
    windowed();
    await screen.findByText(/^examined 10,000 · /);
    expect([next().textContent, next().getAttribute("aria-disabled")]).toEqual([label, disabled]);
    if (disabled === "false") return;
    fireEvent.click(next());
    expect(screen.getByText("Nothing is left to examine. Refresh begins a new search.")).toBeTruthy();
    expect(windows).toHaveLength(1);
  });

  it("and the meter says how far the search came and what the button does", async () => {
    studio((r) => ({
      body: r.query.has("cursor") ? aRunsWindow([], "c2") : aRunsWindow(runs(2), "c1", { examined_candidates: 40 }),
      headers: { "Podium-Listing-Reached": "1777801200" },
    }));
    windowed();
    await screen.findByText(/^examined 40 · back to 3 May 2026 · as of \d\d:\d\d$/);
    expect(screen.getByText("Load more brings up to 100 rows of the next 10,000.")).toBeTruthy();
    expect(screen.getByText("1 window")).toBeTruthy();
    fireEvent.click(next());
    await screen.findByText(/^examined 10,040 · back to 3 May 2026/);
    expect(screen.getByText("Continue search examines the next 10,000 sessions.")).toBeTruthy();
    expect(next().getAttribute("aria-describedby")).toBe(screen.getByText(/^Continue search examines/).id);
  });
});

describe("105 a failure keeps the frontier", () => {
  it("says what failed and asks for the same window again", async () => {
    let answer: Window = "away";
    const { cursors } = studio((r) => (r.query.has("cursor") ? answer : { body: aRunsWindow(runs(2), "c2") }));
    windowed();
    await loaded(2);
    next().focus();
    fireEvent.click(next());
    expect((await screen.findByRole("alert")).textContent).toBe("Studio does not answer. Is it running? podium studio");
    expect([shown(), next().textContent, document.activeElement]).toEqual([2, "Try again", next()]);
    answer = { body: aRunsWindow(runs(1, 2), null) };
    fireEvent.click(next());
    await loaded(3);
    expect(cursors()).toEqual([null, "c2", "c2"]);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it.each([
    [aRefusal(400, "listing_cursor_invalid", "Invalid listing cursor.", true), /did not issue its cursor/],
    [aRefusal(409, "listing_cursor_restart_required", "Restart the listing from the beginning.", true), /more than 24 hours ago, or the store is another now/],
  ])("a refused cursor ends the search with words, and offers to start again: %#", async (refusal, words) => {
    let refuse = true;
    const { cursors } = studio((r) => (r.query.has("cursor") && refuse ? refusal : { body: aRunsWindow(runs(2), "c2") }));
    windowed();
    await loaded(2);
    next().focus();
    fireEvent.click(next());
    expect((await screen.findByRole("alert")).textContent).toMatch(words);
    expect([shown(), next().textContent, document.activeElement]).toEqual([0, "Start again", next()]);
    refuse = false;
    fireEvent.click(next());
    await loaded(2);
    expect(cursors()).toEqual([null, "c2", null]);
    expect(document.activeElement).toBe(next());
  });
});

describe("106 a change of the query aborts and discards", () => {
  it("rows, cursors and what comes late", async () => {
    const late = later();
    const { cursors, windows } = studio((r) => (r.query.has("cursor") && !r.query.has("sort") ? late.reply : { body: aRunsWindow(runs(2, r.query.has("sort") ? 50 : 0), "c2") }));
    windowed();
    await loaded(2);
    fireEvent.click(next());
    const abandoned = windows.at(-1);
    act(() => setFilter({ list: "window", sort: "cost" }));
    expect(shown()).toBe(0);
    await waitFor(() => expect(names()).toEqual(["r50", "r51"]));
    expect(abandoned?.signal?.aborted).toBe(true);
    late.send({ body: aRunsWindow(runs(2, 2), "late") });
    await act(() => late.reply);
    expect(names()).toEqual(["r50", "r51"]);
    fireEvent.click(next());
    await waitFor(() => expect(cursors()).toEqual([null, "c2", null, "c2"]));
  });

  it("another store drops rows and cursors, and says so", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let context = "0011223344556677";
    const { cursors } = studio(ofRows(2), () => context);
    windowed();
    await loaded(2);
    await act(() => vi.advanceTimersByTimeAsync(31_000));
    expect(shown()).toBe(2);
    context = "8899aabbccddeeff";
    await act(() => vi.advanceTimersByTimeAsync(31_000));
    expect((await screen.findByRole("alert")).textContent).toMatch(/^Another store answers now/);
    expect([shown(), next().textContent]).toEqual([0, "Start again"]);
    fireEvent.click(next());
    await loaded(2);
    await act(() => vi.advanceTimersByTimeAsync(31_000));
    expect([shown(), cursors()]).toEqual([2, [null, null]]);
  });
});

describe("107 single flight", () => {
  it("a double activation asks once", async () => {
    const late = later();
    const { cursors } = studio((r) => (r.query.has("cursor") ? late.reply : { body: aRunsWindow(runs(2), "c2") }));
    windowed();
    await loaded(2);
    // Both within one turn: nothing has rendered between them.
    act(() => {
      next().click();
      next().click();
    });
    expect(next().getAttribute("aria-disabled")).toBe("true");
    fireEvent.click(next());
    late.send({ body: aRunsWindow(runs(2, 2), "c4") });
    await loaded(4);
    expect(cursors()).toEqual([null, "c2"]);
    expect(next().getAttribute("aria-disabled")).toBe("false");
  });
});

describe("108 a refresh starts a new chain", () => {
  it("whose first window takes the place of rows and frontier at once", async () => {
    const late = later();
    let begun = 0;
    const { cursors } = studio((r) => (r.query.has("cursor") ? ofRows(2)(r) : begun++ > 0 ? late.reply : { body: aRunsWindow(runs(2), "c2") }));
    windowed();
    await loaded(2);
    fireEvent.click(next());
    await loaded(4);
    const refresh = screen.getByRole("button", { name: "Refresh" });
    refresh.focus();
    fireEvent.click(refresh);
    expect([shown(), next().getAttribute("aria-disabled")]).toEqual([4, "true"]);
    late.send({ body: aRunsWindow(runs(3, 70), "c90") });
    await waitFor(() => expect(names()).toEqual(["r70", "r71", "r72"]));
    expect(document.activeElement).toBe(refresh);
    fireEvent.click(next());
    await loaded(5);
    expect(cursors()).toEqual([null, "c2", null, "c90"]);
  });

  it("and no poll touches it", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { windows, asked } = studio(ofRows(2));
    const { queries } = windowed();
    await loaded(2);
    fireEvent.click(next());
    await loaded(4);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    await act(() => queries.refetchQueries());
    expect(windows).toHaveLength(2);
    expect(asked.filter((r) => r.path === "/api/runs/")).toHaveLength(2);
    expect(shown()).toBe(4);
  });
});

describe("109 ids come once, in the order of the server", () => {
  it.each([["recent"], ["cost"]] as const)("by %s", async (sort) => {
    // In the order of neither time nor cost: the page sorts nothing.
    const pages = [
      [aRun({ id: "b", updated_at: 5, ended_at: 9, total_cost_usd: 1 }), aRun({ id: "a", updated_at: 9, ended_at: 5, total_cost_usd: 3 })],
      [aRun({ id: "a", updated_at: 9, total_cost_usd: 3 }), aRun({ id: "z", updated_at: 7, total_cost_usd: null }), aRun({ id: "c", updated_at: 1, total_cost_usd: 2 })],
    ];
    studio((r) => ({ body: r.query.has("cursor") ? aRunsWindow(pages[1] ?? [], null) : aRunsWindow(pages[0] ?? [], "c") }));
    windowed(sort === "cost" ? { sort } : {});
    await loaded(2);
    fireEvent.click(next());
    await loaded(4);
    expect(names()).toEqual(["b", "a", "z", "c"]);
  });
});

describe("110 empty windows, exhaustion and totals", () => {
  it("say no more than is known", async () => {
    const { windows } = studio((r) => ({ body: aRunsWindow([], r.query.has("cursor") ? null : "c", {}, r.query.has("exact_total") ? 0 : null) }));
    windowed({ search: "zzz" });
    expect(await screen.findAllByText("No matches in this window. Continue search.")).toHaveLength(2);
    expect(document.querySelector(".count")?.textContent).toBe("");
    expect(document.body.textContent).not.toMatch(/\b0\b|none|no session/i);
    fireEvent.click(next());
    expect(await screen.findAllByText("No matches found in this traversal.")).toHaveLength(2);
    expect(document.body.textContent).not.toMatch(/\b0 |No session matched/);
    expect(screen.getByText("reads the whole store once")).toBeTruthy();
    expect(windows.some((r) => r.query.has("exact_total"))).toBe(false);
    fireEvent.click(screen.getByRole("button", { name: "Count all matches" }));
    expect(await screen.findAllByText(/^exactly 0: no session matched at \d\d:\d\d:\d\d$/)).toHaveLength(2);
    expect(screen.getByText(/^No session matched at \d\d:\d\d:\d\d: all were counted\.$/)).toBeTruthy();
  });

  it("count on request, apart from the chain, until it is cancelled", async () => {
    const late = later();
    let slow = true;
    const { windows, cursors } = studio((r) => (r.query.has("exact_total") ? (slow ? late.reply : { body: aRunsWindow(runs(1), "x", {}, 12_345) }) : ofRows(2)(r)));
    windowed({ tag: ["t"] });
    await loaded(2);
    const button = screen.getByRole("button", { name: "Count all matches" });
    button.focus();
    fireEvent.click(button);
    expect(button.textContent).toBe("Cancel the count");
    expect(screen.getByText("reading the whole store")).toBeTruthy();
    // The chain goes on meanwhile.
    fireEvent.click(next());
    await loaded(4);
    fireEvent.click(button);
    expect([button.textContent, document.activeElement]).toEqual(["Count all matches", button]);
    late.send({ body: aRunsWindow([], null, {}, 99) });
    await act(() => late.reply);
    expect(screen.queryByText(/99/)).toBeNull();
    slow = false;
    fireEvent.click(button);
    expect(await screen.findAllByText(/^exactly 12,345 sessions matched at/)).toHaveLength(2);
    expect(windows.filter((r) => r.query.has("exact_total")).map((r) => r.query.toString())).toEqual(Array(2).fill("listing_version=2&per_page=1&exact_total=true&tag=t"));
    fireEvent.click(next());
    await loaded(6);
    expect(cursors()).toEqual([null, "c2", "c4"]);
    act(() => setFilter({ list: "window" }));
    expect(screen.queryByText(/12,345/)).toBeNull();
  });

  it("a count that fails leaves the rows and is not 0", async () => {
    studio((r) => (r.query.has("exact_total") ? { status: 503, body: { detail: "The read took longer than 5 seconds and was stopped; narrow the request." } } : ofRows(2)(r)));
    windowed();
    await loaded(2);
    fireEvent.click(screen.getByRole("button", { name: "Count all matches" }));
    expect(await screen.findAllByText("The count failed: The read took longer than 5 seconds and was stopped; narrow the request.")).toHaveLength(2);
    expect(shown()).toBe(2);
  });

  it("a store without sessions says how to get one", async () => {
    studio(() => ({ body: aRunsWindow([], null, { examined_candidates: 0 }) }));
    windowed();
    expect((await screen.findByText(/No matches found in this traversal\. Start one/)).parentElement?.textContent).toContain("podium run -p");
  });
});

describe("111 the local filter of states", () => {
  it("says that it is one of loaded rows, asks for nothing, and leaves the way on", async () => {
    const page = [aRun({ id: "a", status: "completed" }), aRun({ id: "b", status: "running" })];
    const { windows } = studio((r) => ({ body: r.query.has("cursor") ? aRunsWindow([aRun({ id: "c", status: "failed" })], null) : aRunsWindow(page, "c") }));
    windowed();
    await loaded(2);
    const local = screen.getByRole("group", { name: "in loaded rows" });
    fireEvent.click(within(local).getByRole("button", { name: "Failed" }));
    expect(screen.getByText("None of the 2 loaded rows are failed.")).toBeTruthy();
    expect(screen.getByText("Rows that are not loaded may be.")).toBeTruthy();
    expect(document.body.textContent).not.toContain("No matches");
    expect([next().textContent, next().getAttribute("aria-disabled"), filterNow, windows.length]).toEqual(["Load more", "false", { list: "window" }, 1]);
    fireEvent.click(next());
    await waitFor(() => expect(names()).toEqual(["c"]));
    fireEvent.click(within(local).getByRole("button", { name: "Completed" }));
    expect(names()).toEqual(["a"]);
    fireEvent.click(within(local).getByRole("button", { name: "All" }));
    expect(names()).toEqual(["a", "b", "c"]);
    expect(windows).toHaveLength(2);
  });
});

describe("112 keyboard, focus and announcements", () => {
  it("the focus stays on the control; rows and empty windows are told once each", async () => {
    const pages = [aRunsWindow(runs(3), "c1"), aRunsWindow([], "c2"), aRunsWindow([], "c3"), aRunsWindow(runs(12, 3), null)];
    studio((r) => ({ body: pages[Number(r.query.get("cursor")?.slice(1) ?? 0)] }));
    windowed();
    await loaded(3);
    expect(said()).toBe("3 rows added");
    next().focus();
    const button = next();
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(said()).toBe("No matches in this window. Continue search."));
    const before = screen.getByRole("status").firstElementChild;
    await userEvent.keyboard(" ");
    await screen.findByText("3 windows");
    // The same words again are a new element, which is read again.
    expect([said(), screen.getByRole("status").firstElementChild === before]).toEqual(["No matches in this window. Continue search.", false]);
    await userEvent.keyboard("{Enter}");
    await loaded(15);
    expect(said()).toBe("12 rows added. Nothing is left to examine.");
    expect(document.activeElement).toBe(button);
    expect(button.getAttribute("aria-disabled")).toBe("true");
    expect(button.hasAttribute("disabled")).toBe(false);
  });
});

describe("113 no page numbers", () => {
  it("are made of an exact total", async () => {
    studio((r) => (r.query.has("exact_total") ? { body: aRunsWindow(runs(1), "x", {}, 1_000) } : ofRows(2)(r)));
    windowed();
    await loaded(2);
    fireEvent.click(screen.getByRole("button", { name: "Count all matches" }));
    await screen.findAllByText(/^exactly 1,000 sessions matched/);
    expect(document.body.textContent).not.toMatch(/page|\d of \d|1\/\d/i);
    expect(screen.getAllByRole("listitem").map((i) => i.getAttribute("aria-setsize"))).toEqual(["-1", "-1"]);
  });
});

describe("a refusal", () => {
  it.each([
    ["structure", /An index that it needs is missing\..*podium store migrate/],
    ["identity", /no identity.*podium store rotate-identity/],
    ["keyring", /no usable key[^]*podium keyring rotate/],
    [null, /podium store status/],
  ])("of a store that is not ready says why and what mends it: %s", async (lacks, words) => {
    const { windows } = studio(() => ({ ...aRefusal(503, "listing_not_ready", "Listing v2 is unavailable for this store."), headers: lacks === null ? {} : { "Podium-Listing-Lacks": lacks } }));
    windowed();
    expect((await screen.findByRole("alert")).textContent).toMatch(words);
    expect([next().textContent, windows.length]).toEqual(["Try again", 1]);
  });

  it("is never retried by itself, and never answered with v1", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { asked } = studio(() => aRefusal(409, "listing_store_order_invalid", "Stored ordering values are unsupported."));
    windowed();
    await screen.findByText("The store holds a session that cannot be put in order.");
    await act(() => vi.advanceTimersByTimeAsync(120_000));
    expect(asked.filter((r) => r.path === "/api/runs/")).toHaveLength(1);
    fireEvent.click(screen.getByRole("button", { name: "Show numbered pages" }));
    await screen.findByText("3 sessions");
    expect(filterNow).toEqual({});
  });

  it("of a server's store says what Studio says", async () => {
    const detail = "/api/runs/ cannot answer: the configured store is postgresql-backed, and this route can only read from a local SQLite file.";
    studio(() => ({ status: 501, body: { detail, route: "/api/runs/", backend: "postgresql" } }));
    windowed();
    expect((await screen.findByRole("alert")).textContent).toBe(detail);
  });

  it("of the filters offers to clear them, and keeps order and listing", async () => {
    studio((r) => (r.query.has("search") ? aRefusal(422, "listing_request_invalid", "Invalid listing request.") : ofRows(2)(r)));
    windowed({ search: "x", sort: "cost" });
    fireEvent.click(await screen.findByRole("button", { name: "Clear the filters" }));
    await loaded(2);
    expect(filterNow).toEqual({ sort: "cost", list: "window" });
  });

  it("for want of the token goes on once it is there", async () => {
    studio((r) => (r.headers.has("Authorization") ? ofRows(2)(r) : { status: 401, body: { detail: "Unauthorized" } }));
    windowed();
    await screen.findByText("Studio wants its token.");
    act(() => writeToken("secret"));
    await loaded(2);
  });

  it("that is no JSON says so", async () => {
    studio(() => ({ text: "<html>", type: "text/html" }));
    windowed();
    expect((await screen.findByRole("alert")).textContent).toMatch(/The answer is not Studio's/);
  });
});

describe("memory", () => {
  it("gives windows, frontier and place back to a list that went away", async () => {
    const { cursors } = studio(ofRows(60));
    windowed();
    await loaded(60);
    fireEvent.click(next());
    await loaded(120);
    const list = screen.getByRole("list", { name: "Sessions" });
    act(() => {
      list.scrollTop = 1_600;
      list.dispatchEvent(new Event("scroll"));
    });
    act(() => document.querySelector<HTMLElement>('[data-id="r55"]')?.focus());
    act(() => setFilter({}));
    await screen.findByText("3 sessions");
    act(() => setFilter({ list: "window" }));
    await loaded(120);
    expect(screen.getByRole("list", { name: "Sessions" }).scrollTop).toBe(1_600);
    expect(document.querySelector('[data-id="r55"]')?.getAttribute("tabindex")).toBe("0");
    fireEvent.click(next());
    await loaded(180);
    expect(cursors()).toEqual([null, "c60", "c120"]);
  });

  it("is lost with a reload, which is said until somebody goes on", async () => {
    vi.spyOn(performance, "getEntriesByType").mockReturnValue([{ type: "reload" } as PerformanceNavigationTiming]);
    studio(ofRows(2));
    windowed();
    await loaded(2);
    expect(screen.getByText("Started a new search.")).toBeTruthy();
    fireEvent.click(next());
    await loaded(4);
    expect(screen.queryByText("Started a new search.")).toBeNull();
  });
});
