import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef, useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { LivingContext } from "../../../lib/state/living";
import { noteLowerBound } from "../../../lib/state/lowerBound";
import { aPage, aRun, fakeStudio, renderPage, runs } from "../../../test/studio";
import type { RunFilter } from "../state/filter";
import { FilterBar } from "./FilterBar";
import { typingPause } from "../state/useTyped";
import { ListPane } from "./ListPane";
import { RunList, type ListHandle } from "./RunList";

function list(n: number, over: Partial<Parameters<typeof RunList>[0]> = {}) {
  const ref = createRef<ListHandle>();
  const onOpen = vi.fn();
  const props = { of: "all", runs: runs(n), now: 2_000, rowHeight: 32, selected: null, outdated: false, hrefOf: (id: string) => `?s=${id}`, onOpen, ref, ...over };
  const page = render(<RunList {...props} />);
  return { ...page, ref, onOpen, props };
}

const focused = () => document.activeElement?.getAttribute("data-id");

describe("RunList", () => {
  it("holds a bounded part of 20,000 rows, and says how many there are", () => {
    list(20_000);
    const items = screen.getAllByRole("listitem");
    expect(items.length).toBeGreaterThan(10);
    expect(items.length).toBeLessThan(60);
    expect(items[0]?.getAttribute("aria-setsize")).toBe("20000");
    expect(items[0]?.getAttribute("aria-posinset")).toBe("1");
  });

  it("says name, state, age and cost of each row, and links to it", () => {
    list(0, { runs: [aRun({ id: "x", status: "timed_out", ended_at: 1_939, total_cost_usd: null })] });
    const row = screen.getByRole("link");
    expect(row.textContent).toBe("fix the flaky login testtimed out1m 1s—");
    expect(row.getAttribute("href")).toBe("?s=x");
  });

  it("says that a cost is a lower bound once that is known", () => {
    list(0, { runs: [aRun({ id: "x" }), aRun({ id: "y" }), aRun({ id: "z", total_cost_usd: null })] });
    act(() => ["x", "z"].forEach(noteLowerBound));
    expect(screen.getAllByRole("link").map((row) => row.querySelector(".run-cost")?.textContent)).toEqual(["≥ $0.42", "$0.42", "—"]);
  });

  it("says what the live pod of a row is at, not that its session is held", () => {
    const rests = { state: "idle", word: "idle", work: null } as const;
    const source = { subscribe: () => () => undefined, of: (id: string) => (id === "x" ? rests : undefined) };
    const rows = [aRun({ id: "x", status: "running", ended_at: null }), aRun({ id: "y", status: "running", ended_at: null })];
    render(
      <LivingContext value={source}>
        <RunList of="all" runs={rows} now={2_000} rowHeight={32} selected={null} outdated={false} hrefOf={(id) => id} onOpen={() => undefined} ref={createRef()} />
      </LivingContext>,
    );
    expect(screen.getAllByRole("link").map((row) => row.querySelector(".run-state")?.textContent)).toEqual(["idle", "running"]);
  });

  it("is one stop of the Tab key", () => {
    list(50);
    expect(screen.getAllByRole("link").filter((row) => row.tabIndex === 0)).toHaveLength(1);
  });

  it("moves the focus by keys, and stops at its ends", () => {
    const { ref } = list(1_000);
    act(() => ref.current?.move(1));
    expect(focused()).toBe("r0");
    act(() => ref.current?.move(1));
    expect(focused()).toBe("r1");
    act(() => ref.current?.move(-1));
    act(() => ref.current?.move(-1));
    expect(focused()).toBe("r0");
    const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
    press("ArrowDown");
    expect(focused()).toBe("r1");
    press("ArrowUp");
    press("PageDown");
    expect(focused()).toBe("r19");
    press("PageUp");
    expect(focused()).toBe("r0");
    press("End");
    expect(focused()).toBe("r999");
    press("ArrowDown");
    expect(focused()).toBe("r999");
    press("Home");
    expect(focused()).toBe("r0");
  });

  it("leaves keys with modifiers to the browser", () => {
    list(5);
    expect(fireEvent.keyDown(screen.getByRole("list"), { key: "End", ctrlKey: true })).toBe(true);
    expect(fireEvent.keyDown(screen.getByRole("list"), { key: "End" })).toBe(false);
  });

  it("opens with a click, and leaves other clicks to the browser", () => {
    const { onOpen } = list(3);
    // jsdom cannot follow a link.
    window.addEventListener("click", (e) => e.preventDefault(), { once: true });
    const row = screen.getAllByRole("link")[1];
    if (!row) throw new Error("no row");
    fireEvent.click(row, { ctrlKey: true });
    expect(onOpen).not.toHaveBeenCalled();
    fireEvent.click(row);
    expect(onOpen).toHaveBeenCalledWith("r1");
  });

  it("marks the open row and goes to it, once", () => {
    const { rerender, props } = list(1_000, { selected: "r700" });
    expect(document.querySelector('[aria-current="true"]')?.getAttribute("data-id")).toBe("r700");
    const scroller = screen.getByRole("list");
    scroller.scrollTop = 0;
    rerender(<RunList {...props} runs={runs(1_001)} />);
    expect(scroller.scrollTop).toBe(0);
  });

  it("keeps the reachable row in the document while it is out of sight", () => {
    const { ref } = list(1_000);
    act(() => ref.current?.move(0));
    const scroller = screen.getByRole("list");
    act(() => {
      scroller.scrollTop = 20_000;
      scroller.dispatchEvent(new Event("scroll"));
    });
    expect(focused()).toBe("r0");
    expect(screen.getAllByRole("link").some((row) => row.getAttribute("data-id") === "r640")).toBe(true);
  });

  it("begins at its top when it is another list, and keeps the focus", () => {
    const { ref, rerender, props } = list(1_000);
    act(() => ref.current?.move(0));
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "End" });
    expect(focused()).toBe("r999");
    rerender(<RunList {...props} of="cheap" runs={runs(500, 2_000)} />);
    expect([focused(), screen.getByRole("list").scrollTop]).toEqual(["r2000", 0]);
  });

  it("does not take the focus from elsewhere when rows change", () => {
    const { rerender, props } = list(5);
    rerender(<RunList {...props} runs={runs(5, 100)} />);
    expect(document.activeElement).toBe(document.body);
  });

  it("survives a row that is gone", () => {
    const { ref, rerender, props } = list(5);
    act(() => ref.current?.move(4));
    rerender(<RunList {...props} runs={runs(2)} />);
    act(() => ref.current?.focus());
    expect(focused()).toBe("r0");
    rerender(<RunList {...props} runs={[]} />);
    act(() => ref.current?.move(1));
  });
});

function Bar({ first = {}, onChange, projects }: { first?: RunFilter; onChange?: (f: RunFilter, how: string) => void; projects?: Parameters<typeof FilterBar>[0]["projects"] }) {
  const [filter, setFilter] = useState<RunFilter>(first);
  return (
    <FilterBar
      filter={filter}
      projects={projects ?? [{ project: "shop", count: 1_200, last_activity: 1 }, { project: null, count: 3, last_activity: null }]}
      onChange={(f, how) => {
        setFilter(f);
        onChange?.(f, how);
      }}
      onProjects={() => undefined}
      onLeave={() => undefined}
    />
  );
}

describe("FilterBar", () => {
  it("searches when typing rests, without filling the history", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const onChange = vi.fn();
    render(<Bar onChange={onChange} />);
    const type = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    await type.type(screen.getByRole("searchbox"), "login");
    expect(onChange).not.toHaveBeenCalled();
    act(() => void vi.advanceTimersByTime(typingPause));
    expect(onChange.mock.calls).toEqual([[{ search: "login" }, "replace"]]);
    await type.clear(screen.getByRole("searchbox"));
    act(() => void vi.advanceTimersByTime(typingPause));
    expect(onChange).toHaveBeenLastCalledWith({}, "replace");
  });

  it("searches at once with Enter", async () => {
    const onChange = vi.fn();
    render(<Bar onChange={onChange} />);
    await userEvent.type(screen.getByRole("searchbox"), "x{Enter}");
    expect(onChange).toHaveBeenCalledWith({ search: "x" }, "replace");
  });

  it("follows an address that somebody else changed", () => {
    const page = render(<FilterBar filter={{ search: "a" }} projects={[]} onProjects={vi.fn()} onChange={vi.fn()} onLeave={vi.fn()} />);
    page.rerender(<FilterBar filter={{ search: "b" }} projects={[]} onProjects={vi.fn()} onChange={vi.fn()} onLeave={vi.fn()} />);
    expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("b");
    page.rerender(<FilterBar filter={{}} projects={[]} onProjects={vi.fn()} onChange={vi.fn()} onLeave={vi.fn()} />);
    expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("");
  });

  it("is left with Escape, which keeps what was typed", async () => {
    const onLeave = vi.fn();
    const onChange = vi.fn();
    render(<FilterBar filter={{}} projects={[]} onProjects={vi.fn()} onChange={onChange} onLeave={onLeave} />);
    await userEvent.type(screen.getByRole("searchbox"), "x{Escape}");
    expect(onLeave).toHaveBeenCalled();
    expect(onChange).toHaveBeenCalledWith({ search: "x" }, "replace");
  });

  it("has each facet as a control with a name, and sets and unsets it", async () => {
    const onChange = vi.fn();
    render(<Bar onChange={onChange} />);
    for (const [label, option, filter] of [
      ["project", "shop (1,200)", { project: "shop" }],
      ["project", "no project (3)", { project_null: true }],
      ["project", "any project", {}],
      ["kind", "fanout", { kind: "fanout" }],
      ["kind", "any kind", {}],
      ["status", "timed out", { status: "timed out" }],
      ["status", "any status", {}],
    ] as const) {
      await userEvent.selectOptions(screen.getByLabelText(label), option);
      expect(onChange).toHaveBeenLastCalledWith(filter, "push");
    }
  });

  it("shows a project of the address that the list of projects does not have", () => {
    render(<Bar first={{ project: "gone" }} projects={[]} />);
    expect(screen.getByLabelText<HTMLSelectElement>("project").value).toBe("gone");
  });
  it("shows no project likewise", () => {
    render(<Bar first={{ project_null: true }} projects={[]} />);
    expect(screen.getByLabelText<HTMLSelectElement>("project").selectedOptions[0]?.text).toBe("no project");
  });
});

describe("more filters", () => {
  const more = (name = /^more filters/) => screen.getByRole("button", { name });
  const panel = () => screen.queryByRole("group", { name: "More filters" });

  it("are controls for playbook and tags, with a count of what is set", async () => {
    const onChange = vi.fn();
    render(<Bar onChange={onChange} />);
    expect(panel()).toBeNull();
    await userEvent.click(more());
    await userEvent.type(screen.getByLabelText("playbook contains"), "night{Enter}");
    expect(onChange).toHaveBeenLastCalledWith({ playbook: "night" }, "replace");
    await userEvent.type(screen.getByLabelText("has the tag"), " flaky {Enter}");
    expect(onChange).toHaveBeenLastCalledWith({ playbook: "night", tag: ["flaky"] }, "push");
    await userEvent.type(screen.getByLabelText("has the tag"), "docs");
    await userEvent.click(screen.getByRole("button", { name: "Add" }));
    expect(onChange).toHaveBeenLastCalledWith({ playbook: "night", tag: ["flaky", "docs"] }, "push");
    const calls = onChange.mock.calls.length;
    await userEvent.type(screen.getByLabelText("has the tag"), "docs{Enter}");
    await userEvent.type(screen.getByLabelText("has the tag"), "  {Enter}");
    expect(onChange).toHaveBeenCalledTimes(calls);
    expect(more().textContent).toBe("more filters (3)");
    await userEvent.clear(screen.getByLabelText("playbook contains"));
    await userEvent.keyboard("{Enter}");
    expect(onChange).toHaveBeenLastCalledWith({ tag: ["flaky", "docs"] }, "replace");
  });

  it("searches a playbook when typing rests, and when the field is left", async () => {
    const onChange = vi.fn();
    render(<Bar onChange={onChange} />);
    await userEvent.click(more());
    await userEvent.type(screen.getByLabelText("playbook contains"), "a");
    await waitFor(() => expect(onChange.mock.calls).toEqual([[{ playbook: "a" }, "replace"]]));
    await userEvent.type(screen.getByLabelText("playbook contains"), "b");
    await userEvent.tab();
    expect(onChange).toHaveBeenLastCalledWith({ playbook: "ab" }, "replace");
  });

  it("close with Escape, which gives the focus back, and when the focus goes elsewhere", async () => {
    render(<Bar />);
    await userEvent.click(more());
    expect(more().getAttribute("aria-expanded")).toBe("true");
    await userEvent.click(screen.getByLabelText("has the tag"));
    await userEvent.keyboard("{Escape}");
    expect([panel(), document.activeElement]).toEqual([null, more()]);
    await userEvent.click(more());
    await userEvent.click(screen.getByText("has the tag"));
    expect(panel()).not.toBeNull();
    await userEvent.click(screen.getByRole("searchbox"));
    expect([panel(), more().getAttribute("aria-expanded")]).toEqual([null, "false"]);
  });
});

function Pane({ first = {} }: { first?: RunFilter }) {
  const [filter, setFilter] = useState<RunFilter>(first);
  const ref = createRef<ListHandle>();
  return <ListPane filter={filter} onFilter={setFilter} selected={null} onOpen={vi.fn()} hrefOf={(id) => `?s=${id}`} rowHeight={32} list={ref} />;
}

describe("ListPane", () => {
  it("shows bones of rows while it waits", () => {
    fakeStudio(() => new Promise(() => undefined));
    renderPage(<Pane />);
    expect(screen.getByLabelText("Loading sessions").getAttribute("aria-busy")).toBe("true");
  });

  it("says what to do with an empty store", async () => {
    fakeStudio(() => ({ body: aPage([]) }));
    renderPage(<Pane />);
    expect((await screen.findByText(/No sessions yet/)).parentElement?.textContent).toContain("podium run -p");
    expect(screen.getByText("0 sessions")).toBeTruthy();
  });

  it("says that nothing matches, and clears the filters but not the order", async () => {
    const studio = fakeStudio((r) => ({ body: aPage(r.query.has("tag") ? [] : runs(1)) }));
    renderPage(<Pane first={{ tag: ["a", "b"], playbook: "p", sort: "cost" }} />);
    await userEvent.click(await screen.findByRole("button", { name: "Clear the filters" }));
    await screen.findByText("1 session");
    expect(studio.asked.at(-1)?.query.toString()).toBe("page=1&per_page=200&sort=cost");
  });

  it("has a way out of each filter without a control", async () => {
    const studio = fakeStudio(() => ({ body: aPage(runs(1)) }));
    renderPage(<Pane first={{ tag: ["a", "b"], playbook: "p" }} />);
    await userEvent.click(screen.getByRole("button", { name: "Remove filter tag a" }));
    await waitFor(() => expect(studio.asked.at(-1)?.query.getAll("tag")).toEqual(["b"]));
    await userEvent.click(screen.getByRole("button", { name: "Remove filter tag b" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove filter playbook p" }));
    await waitFor(() => expect(studio.asked.at(-1)?.query.toString()).toBe("page=1&per_page=200"));
  });

  it("tells what a filter found, and not what comes in by itself", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let n = 2;
    fakeStudio(() => ({ body: aPage(runs(n)) }));
    renderPage(<Pane first={{ tag: ["a"] }} />);
    await screen.findByText("2 sessions");
    n = 3;
    await act(() => vi.advanceTimersByTimeAsync(3_500));
    await screen.findByText("3 sessions");
    expect(screen.queryByText(/Found/)).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Remove filter tag a" }));
    expect((await screen.findByText("Found 3 sessions")).getAttribute("role")).toBe("status");
  });

  it("orders by recency or cost, and says which", async () => {
    const studio = fakeStudio(() => ({ body: aPage(runs(1)) }));
    renderPage(<Pane />);
    const order = screen.getByRole("group", { name: "Order" });
    await userEvent.click(within(order).getByRole("button", { name: "cost" }));
    expect(within(order).getByRole("button", { name: "cost" }).getAttribute("aria-pressed")).toBe("true");
    await waitFor(() => expect(studio.asked.at(-1)?.query.get("sort")).toBe("cost"));
  });

  it("names the command when the daemon is away", async () => {
    fakeStudio(() => "away");
    renderPage(<Pane />);
    expect((await screen.findByRole("alert")).textContent).toMatch(/Studio does not answer\..*podium studio/);
  });

  it("offers to clear filters that are refused, and says what to do about a store that is none of its own", async () => {
    fakeStudio((r) => (r.query.has("tag") ? { status: 422, body: { detail: "no such tag" } } : { status: 501, body: { detail: "the store is postgresql-backed", route: "/api/runs/", backend: "postgresql" } }));
    renderPage(<Pane first={{ tag: ["x"] }} />);
    expect((await screen.findByRole("alert")).textContent).toContain("no such tag");
    await userEvent.click(screen.getByRole("button", { name: "Clear the filters" }));
    await screen.findByText(/postgresql-backed/);
    expect(screen.getByRole("alert").textContent).toContain("Name a file in store.path");
  });

  it("is no list when another program answers", async () => {
    fakeStudio(() => ({ body: { runs: "none" } }));
    renderPage(<Pane />);
    expect((await screen.findByRole("alert")).textContent).toContain("not Studio's: it has no runs");
  });

  it("says the server's words for what is not its absence", async () => {
    fakeStudio(() => ({ status: 503, body: { detail: "The store was made by an older podium: run podium store migrate" } }));
    renderPage(<Pane />);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("run podium store migrate");
    expect(alert.textContent).not.toContain("Is it running?");
    expect(within(alert).getByRole("button", { name: "Try again" })).toBeTruthy();
  });

  it("keeps the rows when a refresh fails, and says of when they are", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let away = false;
    fakeStudio(() => (away ? "away" : { body: aPage(runs(2)) }));
    renderPage(<Pane />);
    await screen.findByText("2 sessions");
    away = true;
    await act(() => vi.advanceTimersByTimeAsync(4_000));
    expect((await screen.findByRole("alert")).textContent).toMatch(/Studio does not answer\. Rows as of \d\d:\d\d:\d\d\./);
    expect(screen.getAllByRole("link")).toHaveLength(2);
    away = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  it("loads more, keeps the focus on the button, and tells how many came", async () => {
    const all = runs(450);
    fakeStudio((r) => {
      const page = Number(r.query.get("page"));
      return { body: aPage(all.slice((page - 1) * 200, page * 200), { page, total: 450, has_next: page < 3 }) };
    });
    renderPage(<Pane />);
    const more = await screen.findByRole("button", { name: "Load more" });
    expect(screen.getByText("200 of 450")).toBeTruthy();
    more.focus();
    await userEvent.keyboard("{Enter}");
    await screen.findByText("400 of 450");
    expect(document.activeElement).toBe(more);
    expect(screen.getByText("200 more").getAttribute("role")).toBe("status");
    await userEvent.keyboard("{Enter}");
    await screen.findByText("450 of 450");
    expect(screen.queryByRole("button", { name: "Load more" })).toBeNull();
  });

  it("says that more did not come, and tries again with the same button", async () => {
    let fail = true;
    fakeStudio((r) => {
      const page = Number(r.query.get("page"));
      if (page === 2 && fail) return "away";
      return { body: aPage(runs(200, (page - 1) * 200), { page, total: 400, has_next: page < 2 }) };
    });
    renderPage(<Pane />);
    await userEvent.click(await screen.findByRole("button", { name: "Load more" }));
    const again = await screen.findByRole("button", { name: "Try again" });
    expect(screen.getByText("The next rows did not come.")).toBeTruthy();
    fail = false;
    await userEvent.click(again);
    await screen.findByText("400 of 400");
  });
});
