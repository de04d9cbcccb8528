import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readAsked, writeToken } from "../../../lib/http/token";
import { aFleet, aFleetRun, aPod } from "../../../test/fleet";
import { fakeStudio, renderPage } from "../../../test/studio";
import type { FleetBody } from "../api/types";
import { patience } from "../state/fleet";
import { createFleet, type FleetStore } from "../state/store";
import type { Member } from "../state/view";
import type { FleetHandle } from "./FleetList";
import { FleetPane } from "./FleetPane";

let store: FleetStore;
let opened: Member[];
const list = createRef<FleetHandle>();

beforeEach(() => {
  vi.spyOn(Date, "now").mockReturnValue(1_200_000);
  store = createFleet();
  opened = [];
});

function show(body?: FleetBody, token: string | null = "secret") {
  if (token !== null) writeToken(token);
  if (body !== undefined) store.take({ type: "polled", body, at: 1_200_000 });
  return renderPage(
    <FleetPane
      store={store}
      rowHeight={32}
      list={list}
      share={38}
      separator={<hr />}
      isOpen={(m) => m.session === "open"}
      hrefOf={(m) => `?x=${m.session ?? m.pod}`}
      onOpen={(m) => opened.push(m)}
    />,
  );
}

const rows = () => screen.getAllByRole("listitem").map((row) => row.textContent);
const section = (name: string) => screen.getByRole("button", { name: new RegExp(`^${name} `) });

describe("a row", () => {
  it("says name, work, tool, tokens, age and cost, and its state in words", () => {
    show(aFleet([aPod(), aPod({ name: "rests", state: "idle", session_id: "s2", title: null, since: 1_000, cost_usd: null, input_tokens: 0, output_tokens: 12 })]));
    expect(rows()).toEqual(["fixerfix the flaky login testrunning: Bash25.2k1m 40s$0.42", "restsidle123m 20s—"]);
    expect(section("running").textContent).toBe("running 1");
  });

  it("has a dash for tokens that are not known, and for since when a pod is lost", () => {
    show(aFleet([aPod({ state: "unresponsive", since: null, input_tokens: null, output_tokens: null, cost_usd: null }), aPod({ name: "gone", session_id: "s2", title: null, state: "dead", since: 1_020 })]));
    expect(rows()).toEqual(["gonedead25.2k3m 0s$0.42", "fixerfix the flaky login testunresponsive———"]);
  });

  it("says that only a part of the cost is known", () => {
    show(aFleet([aPod({ cost_partial: true })]));
    expect(screen.getByText("≥ $0.42")).toBeTruthy();
  });

  it("is a link that opens its session, and a pod without one is opened as a pod", () => {
    show(aFleet([aPod({ session_id: "open" }), aPod({ name: "new", session_id: null })]));
    const [first, second] = screen.getAllByRole("link");
    expect([first?.getAttribute("href"), first?.getAttribute("aria-current"), second?.getAttribute("href")]).toEqual(["?x=open", "true", "?x=new"]);
    fireEvent.click(second as HTMLElement);
    second?.addEventListener("click", (e) => e.preventDefault());
    fireEvent.click(second as HTMLElement, { ctrlKey: true });
    expect(opened.map((m) => [m.pod, m.session])).toEqual([["new", null]]);
  });

  it("shows foreign words as text", () => {
    show(aFleet([aPod({ name: "a\u202eb", title: "<img src=x onerror=alert(1)>", tool: "<b>Bash</b>" })]));
    expect(screen.getByRole("link").querySelector("img, b")).toBeNull();
    expect(screen.getByText("<b>Bash</b>").tagName).toBe("BDI");
    expect(screen.getByText("<img src=x onerror=alert(1)>").tagName).toBe("BDI");
  });
});

describe("the sections", () => {
  const everything = () =>
    aFleet(
      [aPod({ session_id: "1" }), aPod({ name: "waits", session_id: "2", state: "paused", attention: { kind: "paused", since: 1_100 } })],
      [aFleetRun({ id: "f", name: "broke", status: "failed", ended_at: 1_000 })],
    );

  it("come with who waits first, are switched off and on, and that is remembered", async () => {
    const { unmount } = show(everything());
    const names = () => screen.getAllByRole("link").map((a) => a.querySelector("bdi")?.textContent);
    expect(names()).toEqual(["waits", "fixer", "broke"]);
    await userEvent.click(section("failed"));
    expect([names(), section("failed").getAttribute("aria-pressed")]).toEqual([["waits", "fixer"], "false"]);
    unmount();
    show();
    expect(names()).toEqual(["waits", "fixer"]);
    await userEvent.click(section("failed"));
    expect(names()).toEqual(["waits", "fixer", "broke"]);
    expect(localStorage.getItem("podium.fleet-hidden")).toBeNull();
  });

  it("fold to their counts", async () => {
    show(everything());
    await userEvent.click(screen.getByRole("button", { name: "Fold the fleet" }));
    expect(screen.queryByRole("list")).toBeNull();
    expect(screen.queryByRole("separator")).toBeNull();
    expect(section("waiting").textContent).toBe("waiting 1");
    await userEvent.click(screen.getByRole("button", { name: "Unfold the fleet" }));
    expect(screen.getAllByRole("link").length).toBe(3);
  });

  it("say that there is more than the answer holds", () => {
    show(aFleet([], [aFleetRun()], { truncated: true }));
    expect(section("running").textContent).toBe("running 1+");
    expect(screen.getByText("More than 500 sessions are stored as running; the newest 500 are shown.")).toBeTruthy();
  });

  it("say so where the rows that were cut are: with the orphaned when there are any", () => {
    show(aFleet([], [aFleetRun(), aFleetRun({ id: "o", effective_health: "orphaned" })], { truncated: true }));
    expect([section("running").textContent, section("orphaned").textContent]).toEqual(["running 1", "orphaned 1+"]);
  });

  it("say that more failed than the answer holds", async () => {
    show(aFleet([], [aFleetRun({ id: "f", status: "failed", ended_at: 1_000 })], { failed_truncated: true }));
    expect([section("failed").textContent, section("running").textContent]).toEqual(["failed 1+", "running 0"]);
    expect(screen.getByText("More than 50 sessions failed in the last 24 hours; the newest 50 are shown.")).toBeTruthy();
  });

  it("put at most 120 rows into the document, however many there are", () => {
    show(aFleet([], Array.from({ length: 500 }, (_, i) => aFleetRun({ id: `r${i}`, name: `run ${i}` }))));
    expect(screen.getAllByRole("listitem").length).toBeLessThanOrEqual(120);
    expect(screen.getAllByRole("listitem")[0]?.getAttribute("aria-setsize")).toBe("500");
  });
});

describe("orchestrations", () => {
  it("are groups that open and close, by the name of what started them", async () => {
    fakeStudio(() => ({ body: { skill: "night-shift", prompt: "do it", sessions: [] } }));
    show(aFleet([aPod()], [aFleetRun({ id: "a", name: "child a", invocation_id: "inv" }), aFleetRun({ id: "b", name: "child b", invocation_id: "inv" })]));
    const group = await screen.findByRole("button", { name: /night-shift.*2 sessions/ });
    expect(group.getAttribute("aria-expanded")).toBe("true");
    await userEvent.click(group);
    expect([group.getAttribute("aria-expanded"), screen.queryByText("child a")]).toEqual(["false", null]);
    expect(screen.getByText("fixer")).toBeTruthy();
  });
});

describe("keys", () => {
  it("move through the rows and say where they end", async () => {
    show(aFleet([aPod({ name: "a", since: 1, session_id: "1" }), aPod({ name: "b", since: 2, session_id: "2" })]));
    const focused = () => document.activeElement?.getAttribute("data-key");
    expect([list.current?.holds(), list.current?.move(1), focused()]).toEqual([false, true, "pod a"]);
    await userEvent.keyboard("{ArrowDown}");
    expect(focused()).toBe("pod b");
    expect([list.current?.move(1), focused(), list.current?.holds()]).toEqual([false, "pod b", true]);
    await userEvent.keyboard("{Home}");
    expect(focused()).toBe("pod a");
    act(() => (document.activeElement as HTMLElement).blur());
    expect([list.current?.move(-1), focused()]).toEqual([true, "pod b"]);
    expect(screen.getAllByRole("link").filter((a) => a.tabIndex === 0).length).toBe(1);
  });
});

describe("what is known", () => {
  const told = () => screen.getByRole("status").textContent;

  it("is loading at first", () => {
    show();
    expect(screen.getByRole("status", { name: "Loading the fleet" })).toBeTruthy();
    expect(section("running").textContent).toBe("running –");
  });

  it("may be nothing: then the command that starts a pod is there", () => {
    show(aFleet());
    expect(screen.getByText("podium run fixer").tagName).toBe("CODE");
  });

  it("goes stale with a time, keeps its rows, and needs two successes to be believed", () => {
    show(aFleet([aPod()]));
    expect(told()).toBe("");
    act(() => store.take({ type: "tick", at: 1_200_001 + patience }));
    expect(told()).toBe("Stale, as of 00:20:00.");
    expect(screen.getByText("fixer")).toBeTruthy();
    act(() => store.take({ type: "polled", body: aFleet([aPod()]), at: 1_210_000 }));
    expect(told()).toMatch(/^Stale/);
    act(() => store.take({ type: "polled", body: aFleet([aPod()]), at: 1_213_000 }));
    expect(told()).toBe("");
  });

  it("says what failed and keeps its rows; with none it says so in their place", () => {
    const { unmount } = show(aFleet([aPod()]));
    act(() => store.take({ type: "failed", message: "Studio does not answer." }));
    expect(told()).toBe("Studio does not answer. As of 00:20:00.");
    expect(screen.getByText("fixer")).toBeTruthy();
    unmount();
    store = createFleet();
    show();
    act(() => store.take({ type: "failed", message: "Studio does not answer." }));
    expect(within(screen.getByRole("alert")).getByText("Studio does not answer.")).toBeTruthy();
  });

  it("tells who begins to wait, and nothing at first", () => {
    const waits = { name: "w", session_id: "2", state: "paused" as const, attention: { kind: "paused", since: 1 } };
    show(aFleet([aPod({ ...waits, name: "before" })]));
    expect(told()).toBe("");
    act(() => store.take({ type: "polled", body: aFleet([aPod({ ...waits, name: "before" }), aPod({ ...waits, session_id: "3" })]), at: 1_201_000 }));
    expect(told()).toBe("Waits for you: before, w");
  });

  it("is nothing without the token: the command and a way to enter it", async () => {
    show(undefined, null);
    expect(screen.getByText("podium studio token").tagName).toBe("CODE");
    expect(screen.queryByRole("list")).toBeNull();
    expect(readAsked().state).toBe("no");
    await userEvent.click(screen.getByRole("button", { name: "Enter the token" }));
    await waitFor(() => expect(readAsked().state).toBe("yes"));
  });
});
