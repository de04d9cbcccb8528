import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FleetBody } from "../features/fleet/api/types";
import { writeToken } from "../lib/http/token";
import { aFleet, aPod } from "../test/fleet";
import { aDetail, aPage, aWindow, eventStream, fakeStudio, renderPage, runs } from "../test/studio";
import { App } from "./App";
import { addressOf, readPlace } from "./place";

const all = runs(5);
let source: ReturnType<typeof eventStream>;
let asked: ReturnType<typeof fakeStudio>["asked"];
let fleet: FleetBody;

beforeEach(() => {
  source = eventStream();
  fleet = aFleet([
    aPod({ name: "fixer", session_id: "r2" }),
    aPod({ name: "new", session_id: null, title: null, state: "idle", tool: null }),
  ]);
  ({ asked } = fakeStudio((r) => {
    if (r.path === "/api/fleet/stream") return { events: source.stream };
    if (r.path.startsWith("/api/pods/")) return r.path.endsWith("/pause") ? { status: 409, body: { detail: { code: "not_running", message: "Pod is not running" } } } : { status: 202, body: { request_id: "x" } };
    if (r.path === "/api/runs/projects") return { body: { projects: [], total: 0 } };
    if (r.path === "/api/runs/") return { body: aPage(all) };
    if (r.path === "/api/invocations/inv") return { body: { skill: "s", prompt: null, sessions: [{ id: "r4" }] } };
    if (r.path.endsWith("/entries")) return { body: aWindow([]) };
    if (r.path.endsWith("/lineage")) return { body: { session_id: "s", compacted_from: [], continued_in: [] } };
    const run = all.find((one) => one.id === r.path.split("/").at(-1));
    return run ? { body: aDetail({ id: run.id, name: run.name }) } : { status: 404, body: { detail: "no" } };
  }));
});

async function page() {
  writeToken("secret");
  const shown = renderPage(<App />);
  await screen.findByText("5 sessions");
  act(() => source.send({ type: "reset", ...fleet }, "1.0"));
  if (window.location.pathname !== "/history") await screen.findByText("fixer");
  return shown;
}

const focused = () => document.activeElement?.getAttribute("data-key") ?? document.activeElement?.getAttribute("data-id");
const address = () => window.location.pathname + window.location.search;
const change = (over: object) => act(async () => source.send({ type: "change", ...aFleet(), gone_pods: [], gone_runs: [], ...over }, "1.1"));

describe("the views", () => {
  it("are fleet and history, by links and by keys, and keep what is open", async () => {
    window.history.replaceState(null, "", "/?s=r1&sort=cost");
    await page();
    await userEvent.keyboard("gh");
    expect([address(), screen.queryByRole("region", { name: "Fleet" })]).toEqual(["/history?s=r1&sort=cost", null]);
    expect(screen.getByRole("link", { name: "History" }).getAttribute("aria-current")).toBe("page");
    await userEvent.keyboard("gf");
    expect(address()).toBe("/?s=r1&sort=cost");
    await userEvent.click(screen.getByRole("link", { name: "History" }));
    expect(address()).toBe("/history?s=r1&sort=cost");
    await userEvent.click(screen.getByRole("link", { name: "Fleet" }));
    await screen.findByText("fixer");
  });

  it("take the second key of a pair only soon after the first", async () => {
    await page();
    fireEvent.keyDown(document.body, { key: "h" });
    fireEvent.keyDown(document.body, { key: "g" });
    fireEvent.keyDown(document.body, { key: "x" });
    fireEvent.keyDown(document.body, { key: "h" });
    expect(address()).toBe("/");
  });
});

describe("an address", () => {
  it.each([
    ["/", "/"],
    ["/fleet?q=x", "/?q=x"],
    ["/history?s=a", "/history?s=a"],
    ["/runs/abc?project=p", "/?s=abc&project=p"],
    ["/runs/abc?s=def", "/?s=def"],
    ["/runs/%zz", "/"],
    ["/elsewhere?pod=fixer", "/?pod=fixer"],
    ["/?pod=a&s=b&invocation=c", "/?s=b"],
    ["/?invocation=c&q=x", "/?invocation=c&q=x"],
  ])("%s is %s", (from, to) => {
    const url = new URL(from, "http://x");
    expect(addressOf(readPlace(url.search, url.pathname))).toBe(to);
  });

  it("of an old kind is written anew", async () => {
    window.history.replaceState(null, "", "/runs/r3?sort=cost");
    await page();
    await screen.findByRole("heading", { name: "session 3" });
    expect(address()).toBe("/?s=r3&sort=cost");
  });

  it("of an invocation opens a session of it", async () => {
    window.history.replaceState(null, "", "/?invocation=inv");
    await page();
    await screen.findByRole("heading", { name: "session 4" });
    expect(address()).toBe("/?s=r4");
  });
});

describe("keys", () => {
  it("lead through the fleet into the history and back", async () => {
    await page();
    await userEvent.keyboard("j");
    expect(focused()).toBe("pod fixer");
    await userEvent.keyboard("j");
    expect(focused()).toBe("pod new");
    await userEvent.keyboard("j");
    expect(focused()).toBe("r0");
    await userEvent.keyboard("jkk");
    expect(focused()).toBe("pod new");
    await userEvent.keyboard("kk");
    expect(focused()).toBe("pod fixer");
  });

  it("open a pod's session and go back to its row", async () => {
    await page();
    await userEvent.keyboard("j{Enter}");
    await screen.findByRole("heading", { name: "session 2" });
    await screen.findByRole("region", { name: "Pod fixer" });
    await userEvent.keyboard("m");
    expect(document.activeElement?.id).toBe("message");
    await userEvent.keyboard("text{Escape}{Escape}");
    expect([address(), focused()]).toEqual(["/", "pod fixer"]);
    await userEvent.keyboard("{Enter}");
    expect((await screen.findByRole<HTMLTextAreaElement>("textbox", { name: /pod fixer/ })).value).toBe("text");
    await userEvent.clear(screen.getByRole("textbox", { name: /pod fixer/ }));
  });
});

describe("the menu of actions", () => {
  const menu = () => screen.getByRole("dialog");
  const items = () => within(menu()).getAllByRole("menuitem").map((b) => `${b.textContent}${b.getAttribute("aria-disabled") === "true" ? " off" : ""}`);

  it("is about the row that has the focus, and says what a pod refuses", async () => {
    await page();
    await userEvent.keyboard("j.");
    expect(within(menu()).getByRole("heading").textContent).toBe("fixer");
    expect(items()).toEqual([
      "OpenEnter", "Write to the podm", "Pause", "Cancel", "Compact off", "Copy the command that attaches", "Copy the link", "Copy the session's id",
    ]);
    await userEvent.click(within(menu()).getByRole("menuitem", { name: "Compact" }));
    await userEvent.click(within(menu()).getByRole("menuitem", { name: "Pause" }));
    await within(menu()).findByText("Pod is not running");
    await userEvent.click(within(menu()).getByRole("menuitem", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(asked.filter((r) => r.method === "POST").map((r) => r.path)).toEqual(["/api/pods/fixer/pause", "/api/pods/fixer/cancel"]);
  });

  it("copies what leads there", async () => {
    const copied: string[] = [];
    await page();
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: (text: string) => Promise.resolve(void copied.push(text)) } });
    for (const name of [/attaches/, /link/, /id/]) {
      act(() => document.querySelector<HTMLElement>('[data-key="pod fixer"]')?.focus());
      fireEvent.keyDown(document.activeElement as Element, { key: "." });
      fireEvent.click(within(menu()).getByRole("menuitem", { name }));
      await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    }
    expect(copied).toEqual(["podium attach fixer", `${window.location.origin}/?s=r2`, "r2"]);
  });

  it("is about what is open when no row has the focus, and about nothing when nothing is", async () => {
    await page();
    fireEvent.keyDown(document.body, { key: "." });
    expect(screen.queryByRole("dialog")).toBeNull();
    fireEvent.click(screen.getByText("session 1"));
    await screen.findByRole("heading", { name: "session 1" });
    act(() => (document.activeElement as HTMLElement).blur());
    fireEvent.keyDown(document.body, { key: "." });
    expect(within(menu()).getByRole("heading").textContent).toBe("session 1");
    expect(items()).toEqual(["OpenEnter", "Copy the link", "Copy the session's id"]);
    await userEvent.keyboard("{ArrowDown}");
    expect(document.activeElement?.textContent).toBe("Copy the link");
    await userEvent.keyboard("kk");
    expect(document.activeElement?.textContent).toBe("Copy the session's id");
    await userEvent.keyboard(".");
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

describe("a pod", () => {
  it("without a session is open by its name until it has one", async () => {
    await page();
    fireEvent.click(screen.getByText("new"));
    expect(address()).toBe("/?pod=new");
    await screen.findByRole("region", { name: "Pod new" });
    await change({ pods: [aPod({ name: "new", session_id: "r3" })] });
    await screen.findByRole("heading", { name: "session 3" });
    expect(address()).toBe("/?s=r3");
  });

  it("that went on elsewhere says where; one that ended says how it goes on", async () => {
    window.history.replaceState(null, "", "/?s=r2");
    await page();
    const dock = await screen.findByRole("region", { name: "Pod fixer" });
    await change({ pods: [aPod({ name: "fixer", session_id: "r1" })] });
    fireEvent.click(await within(dock).findByRole("link"));
    await screen.findByRole("heading", { name: "session 1" });
    await change({ gone_pods: ["fixer"] });
    await screen.findByText("podium run fixer");
    expect(screen.getByRole("button", { name: "Send" }).getAttribute("aria-disabled")).toBe("true");
  });

  it("that moved before anything else of it changed is still known", async () => {
    await page();
    fireEvent.click(screen.getByText("fixer"));
    const dock = await screen.findByRole("region", { name: "Pod fixer" });
    await change({ pods: [aPod({ name: "fixer", session_id: "r1" })] });
    expect((await within(dock).findByRole("status")).textContent).toBe("Pod fixer went on in session r1.");
  });

  it("does not exist for a session that none holds", async () => {
    window.history.replaceState(null, "", "/?s=r1");
    await page();
    await screen.findByRole("heading", { name: "session 1" });
    expect(screen.queryByRole("region", { name: /^Pod/ })).toBeNull();
  });
});

describe("the line between fleet and history", () => {
  it("moves by keys and is remembered", async () => {
    const { unmount } = await page();
    const line = () => screen.getByRole("separator", { name: "Height of the fleet" });
    const at = Number(line().getAttribute("aria-valuenow"));
    fireEvent.keyDown(line(), { key: "ArrowDown" });
    expect(line().getAttribute("aria-valuenow")).toBe(String(at + 2));
    fireEvent.keyDown(line(), { key: "End" });
    fireEvent.keyDown(line(), { key: "ArrowDown" });
    expect(line().getAttribute("aria-valuenow")).toBe("75");
    unmount();
    source = eventStream();
    await page();
    expect(line().getAttribute("aria-valuenow")).toBe("75");
    fireEvent.doubleClick(line());
    expect(line().getAttribute("aria-valuenow")).toBe(String(at));
  });
});

describe("the page's icon", () => {
  it("says that somebody waits", async () => {
    const icon = document.createElement("link");
    icon.rel = "icon";
    document.head.append(icon);
    await page();
    expect(icon.getAttribute("href")).toBe("/icon.svg");
    await change({ pods: [aPod({ name: "new", state: "paused", session_id: "r3", attention: { kind: "paused", since: 1 } })] });
    await waitFor(() => expect(icon.getAttribute("href")).toBe("/icon-waiting.svg"));
    icon.remove();
  });
});
