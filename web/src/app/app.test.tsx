import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { aDetail, aPage, aWindow, fakeStudio, renderPage, runs } from "../test/studio";
import { App } from "./App";
import { Boundary } from "./Boundary";
import { readPlace, writePlace } from "./place";
import { Separator, useListWidth } from "./Separator";
import { applyTheme, nextTheme, readTheme } from "./theme";

const all = runs(30);

function studio() {
  return fakeStudio((r) => {
    if (r.path === "/api/runs/projects") return { body: { projects: [{ project: "shop", count: 3, last_activity: 1 }], total: 3 } };
    if (r.path === "/api/runs/") return { body: aPage(r.query.get("search") === "none" ? [] : all) };
    if (r.path.endsWith("/entries")) return { body: aWindow([]) };
    if (r.path.endsWith("/lineage")) return { body: { session_id: "s", compacted_from: [], continued_in: [] } };
    const id = r.path.split("/").at(-1) ?? "";
    const run = all.find((one) => one.id === id);
    return run ? { body: aDetail({ id, name: run.name, tags: ["flaky"] }) } : { status: 404, body: { detail: "no" } };
  });
}

/** Pretends that a media query holds. */
function media(holds: boolean): void {
  vi.stubGlobal("matchMedia", () => ({ matches: holds, addEventListener() {}, removeEventListener() {} }));
}

const focused = () => document.activeElement?.getAttribute("data-id");
const place = () => window.location.search;

beforeEach(() => {
  studio();
});

async function page() {
  const shown = renderPage(<App />);
  await screen.findByText("30 sessions");
  return shown;
}

describe("keys", () => {
  it("j and k move through the list, Enter opens, Escape goes back to the row", async () => {
    await page();
    await userEvent.keyboard("j");
    expect(focused()).toBe("r0");
    await userEvent.keyboard("jjk");
    expect(focused()).toBe("r1");
    expect(place()).toBe("");
    await userEvent.keyboard("{Enter}");
    await screen.findByRole("heading", { name: "session 1" });
    expect([place(), focused()]).toEqual(["?s=r1", "r1"]);
    act(() => screen.getByRole("button", { name: "Copy id" }).focus());
    await userEvent.keyboard("{Escape}");
    expect([place(), focused()]).toEqual(["", "r1"]);
    expect(screen.getByText(/Select a session/)).toBeTruthy();
  });

  it("/ searches, and Escape leaves the search for the list", async () => {
    await page();
    await userEvent.keyboard("/");
    expect(document.activeElement).toBe(screen.getByRole("searchbox"));
    await userEvent.keyboard("jk?");
    expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("jk?");
    await userEvent.keyboard("{Escape}");
    expect(place()).toBe("?q=jk%3F");
    await waitFor(() => expect(focused()).toBe("r0"));
  });

  it("? shows all keys; under them the page's keys rest", async () => {
    await page();
    await userEvent.keyboard("?");
    const dialog = screen.getByRole("dialog", { name: "Keys" });
    expect(within(dialog).getByText("j")).toBeTruthy();
    await userEvent.keyboard("j");
    expect(focused()).toBeNull();
    await userEvent.click(within(dialog).getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Keys" }));
    expect(screen.getByRole("dialog")).toBeTruthy();
  });

  it("with a modifier are the browser's", async () => {
    await page();
    expect(fireEvent.keyDown(document.body, { key: "j", ctrlKey: true })).toBe(true);
    expect(fireEvent.keyDown(document.body, { key: "x" })).toBe(true);
    expect(focused()).toBeNull();
  });

  it("Escape with nothing open goes to the list", async () => {
    await page();
    await userEvent.keyboard("{Escape}");
    expect([focused(), place()]).toEqual(["r0", ""]);
  });
});

describe("the address", () => {
  it("opens what it names, with its filter", async () => {
    window.history.replaceState(null, "", "/?s=r7&sort=cost");
    await page();
    await screen.findByRole("heading", { name: "session 7" });
    expect(screen.getByRole("button", { name: "cost" }).getAttribute("aria-pressed")).toBe("true");
    expect(document.querySelector('[aria-current="true"]')?.getAttribute("data-id")).toBe("r7");
    expect(document.title).toBe("session 7 · Podium");
  });

  it("goes back and forth", async () => {
    await page();
    fireEvent.click(screen.getByText("session 2"));
    await screen.findByRole("heading", { name: "session 2" });
    act(() => {
      window.history.replaceState(null, "", "/");
      window.dispatchEvent(new PopStateEvent("popstate"));
    });
    expect(screen.queryByRole("heading", { name: "session 2" })).toBeNull();
    expect(document.title).toBe("Podium");
  });

  it("is not written again for the place one is at", async () => {
    await page();
    const before = window.history.length;
    fireEvent.click(screen.getByText("session 2"));
    fireEvent.click(screen.getByText("session 2"));
    expect(window.history.length).toBe(before + 1);
  });

  it("shows the sessions of a tag", async () => {
    window.history.replaceState(null, "", "/?s=r1&q=x");
    await page();
    await userEvent.click(await screen.findByRole("button", { name: "Show sessions tagged flaky" }));
    expect(place()).toBe("?s=r1&tag=flaky");
  });

  it.each(["", "?s=abc", "?s=abc&q=x&status=failed&kind=play&project=p&tag=t&sort=cost"])("%s is read and written unchanged", (text) => {
    expect(writePlace(readPlace(text))).toBe(text);
  });
  it("drops what it does not know", () => expect(writePlace(readPlace("?s=&page=4&cursor=x"))).toBe(""));
});

describe("the projects", () => {
  it("are counted again when somebody looks at them, not all the time", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { asked } = studio();
    await page();
    const times = () => asked.filter((r) => r.path === "/api/runs/projects").length;
    await act(() => vi.advanceTimersByTimeAsync(40_000));
    expect(times()).toBe(1);
    act(() => screen.getByLabelText("project").focus());
    await waitFor(() => expect(times()).toBe(2));
    act(() => screen.getByLabelText("kind").focus());
    act(() => screen.getByLabelText("project").focus());
    expect(times()).toBe(2);
  });
});

describe("a narrow window", () => {
  it("shows one pane, gives the session the focus, and the row on the way back", async () => {
    media(true);
    await page();
    expect(screen.queryByRole("separator")).toBeNull();
    fireEvent.click(screen.getByText("session 3"));
    const heading = await screen.findByRole("heading", { name: "session 3" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    await userEvent.keyboard("j");
    expect(focused()).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Back to the list" }));
    expect(focused()).toBe("r3");
  });

  it("searches from a session by leaving it", async () => {
    media(true);
    window.history.replaceState(null, "", "/?s=r3");
    await page();
    await userEvent.keyboard("/");
    expect([document.activeElement?.id, place()]).toEqual(["search", ""]);
  });
});

describe("settings", () => {
  it("of the rows are remembered", async () => {
    const { unmount } = await page();
    const heights = () => new Set(screen.getAllByRole("listitem").map((row) => row.style.height));
    expect(heights()).toEqual(new Set(["32px"]));
    await userEvent.click(screen.getByRole("button", { name: "dense" }));
    expect(heights()).toEqual(new Set(["26px"]));
    unmount();
    await page();
    expect(screen.getByRole("button", { name: "dense" }).getAttribute("aria-pressed")).toBe("true");
    await userEvent.click(screen.getByRole("button", { name: "dense" }));
    expect(localStorage.getItem("podium.rows")).toBeNull();
  });

  it("of the theme go round, and are remembered", async () => {
    await page();
    const theme = screen.getByRole("button", { name: "Theme: auto" });
    await userEvent.click(theme);
    expect([theme.getAttribute("aria-label"), document.documentElement.dataset["theme"], readTheme()]).toEqual(["Theme: light", "light", "light"]);
    await userEvent.click(theme);
    expect([document.documentElement.dataset["theme"], readTheme()]).toEqual(["dark", "dark"]);
    await userEvent.click(theme);
    expect([document.documentElement.dataset["theme"], readTheme()]).toEqual([undefined, "auto"]);
    applyTheme("dark");
    expect([nextTheme("dark"), readTheme()]).toEqual(["auto", "dark"]);
    localStorage.setItem("podium.theme", "pink");
    expect(readTheme()).toBe("auto");
  });
});

describe("the separator", () => {
  function Panes() {
    const [width, setWidth] = useListWidth();
    return <Separator width={width} onWidth={setWidth} />;
  }
  const now = () => Number(screen.getByRole("separator").getAttribute("aria-valuenow"));

  it("moves by keys, within its bounds, and is remembered", () => {
    const { unmount } = render(<Panes />);
    const line = screen.getByRole("separator", { name: "Width of the list" });
    const usual = now();
    fireEvent.keyDown(line, { key: "ArrowRight" });
    expect(now()).toBe(usual + 16);
    fireEvent.keyDown(line, { key: "ArrowLeft" });
    fireEvent.keyDown(line, { key: "ArrowLeft" });
    expect(now()).toBe(usual - 16);
    fireEvent.keyDown(line, { key: "Home" });
    fireEvent.keyDown(line, { key: "ArrowLeft" });
    expect(now()).toBe(320);
    fireEvent.keyDown(line, { key: "End" });
    fireEvent.keyDown(line, { key: "ArrowRight" });
    expect(now()).toBe(900);
    fireEvent.keyDown(line, { key: "ArrowLeft", ctrlKey: true });
    fireEvent.keyDown(line, { key: "x" });
    expect(now()).toBe(900);
    unmount();
    render(<Panes />);
    expect(now()).toBe(900);
    fireEvent.doubleClick(screen.getByRole("separator"));
    expect(now()).toBe(usual);
  });

  it("is dragged while it is held, and not otherwise", () => {
    render(<Panes />);
    const line = screen.getByRole("separator");
    let held = false;
    line.setPointerCapture = () => (held = true);
    line.hasPointerCapture = () => held;
    fireEvent.pointerMove(line, { clientX: 600 });
    const usual = now();
    fireEvent.pointerDown(line, { pointerId: 1 });
    fireEvent(line, new MouseEvent("pointermove", { bubbles: true, clientX: 600 }));
    expect([usual === 600, now()]).toEqual([false, 600]);
  });
});

describe("a mistake of the page's own", () => {
  it("is said, and loads the page again on request", () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    function Broken(): never {
      throw new Error("a row without a name");
    }
    render(
      <Boundary>
        <Broken />
      </Boundary>,
    );
    expect(screen.getByRole("alert").textContent).toMatch(/made a mistake.*a row without a name/);
    expect(screen.getByRole("button", { name: "Load the page again" })).toBeTruthy();
  });
});
