import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults, listed, rowOf, rowsOf, useBrowser } from "./browser";
import { startStudio, type Studio } from "./studio";
import { counting, focused, idsOf, listedBy, listing, loaded, local, next, said, stands, windowsOf } from "./windows";

const { open } = useBrowser();
let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

/** The history in windows, its first one there. */
async function windowed(query = "", options: BrowserContextOptions = {}) {
  const opened = await open(options);
  const windows = windowsOf(opened.page);
  await opened.page.goto(`${studio.url}history?${query}${query ? "&" : ""}list=window`);
  await opened.page.getByText(/^examined /).waitFor();
  return { ...opened, ...windows };
}

const query = (page: Page) => new URL(page.url()).search;
const cursors = (asked: URLSearchParams[]) => asked.filter((q) => !q.has("exact_total")).map((q) => q.get("cursor"));

describe("the history in windows", () => {
  it("102 is opt-in: a page begins with v1, and the address alone remembers the choice", async () => {
    const { page } = await open();
    const { asked, v1 } = windowsOf(page);
    await page.goto(`${studio.url}history`);
    await listed(page);
    expect([await listing(page, "v1").getAttribute("aria-pressed"), asked.length, v1()]).toEqual(["true", 0, 1]);
    await listing(page, "window").click();
    await loaded(page, 100);
    expect(query(page)).toBe("?list=window");
    await page.reload();
    await loaded(page, 100);
    expect(await listing(page, "window").getAttribute("aria-pressed")).toBe("true");
    await page.goto(`${studio.url}history`);
    await listed(page);
    expect(await page.evaluate(() => Object.values({ ...localStorage }).join())).not.toContain("window");
  });

  it("103 asks for one window at one activation, with its control in sight all along", async () => {
    const { page, asked } = await windowed();
    await next(page).click();
    await loaded(page, 200);
    await page.locator(".run-list").evaluate((e) => (e.scrollTop = e.scrollHeight));
    await page.setViewportSize({ width: 1440, height: 1400 });
    await expect.poll(() => rowsOf(page).last().getAttribute("aria-posinset")).toBe("200");
    expect(await next(page).isVisible()).toBe(true);
    expect(cursors(asked)).toEqual([null, expect.stringMatching(/^lc1\./)]);
  });

  it("104 names its button by what stopped the window, down to the end; 110 and says no more than it knows", async () => {
    const { page, asked } = await windowed("q=zzzz-nothing");
    await stands(page, "No matches in this window. Continue search.");
    expect(await next(page).textContent()).toBe("Continue search");
    await next(page).click();
    await page.getByText("2 windows").waitFor();
    expect(await page.getByText(/^examined 20,000 · back to /).count()).toBe(1);
    await next(page).click();
    await stands(page, "No matches found in this traversal.");
    expect(await said(page)).toBe("No matches found in this traversal.");
    expect([await next(page).textContent(), await next(page).getAttribute("aria-disabled")]).toEqual(["End of the search", "true"]);
    await next(page).click({ force: true });
    expect(await page.locator("body").innerText()).not.toMatch(/\b0\b/);
    expect(asked).toHaveLength(3);
    await counting(page).click();
    await stands(page, /^No session matched at \d\d:\d\d:\d\d: all were counted\.$/);
    expect(await said(page)).toMatch(/^exactly 0: no session matched at/);
    await page.goto(`${studio.url}history?list=window`);
    await loaded(page, 100);
    expect(await next(page).textContent()).toBe("Load more");
  });

  it("105 keeps its frontier through a failure and asks for the same window again", async () => {
    const { page, asked, expectProblems } = await windowed();
    expectProblems(/ERR_FAILED/);
    await page.route(/cursor=/, (route) => route.abort());
    await next(page).click();
    await page.getByRole("alert").getByText("Studio does not answer.").waitFor();
    expect([await next(page).textContent(), await rowsOf(page).count() > 10]).toEqual(["Try again", true]);
    await page.unroute(/cursor=/);
    await next(page).click();
    await loaded(page, 200);
    const [, failed, again] = cursors(asked);
    expect([asked.length, failed]).toEqual([3, again]);
  });

  it("107 has one request under way, however often the button is pressed", async () => {
    const { page, asked } = await windowed();
    await next(page).evaluate((button: HTMLElement) => {
      button.click();
      button.click();
      button.click();
    });
    await loaded(page, 200);
    expect(asked).toHaveLength(2);
  });

  it("108 begins anew with a refresh, at once, and no poll touches it", async () => {
    const { page, asked, v1 } = await windowed();
    await next(page).click();
    await loaded(page, 200);
    // What v1 and the fleet look at again they look at when the tab comes back.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    let counts: string[] = [];
    await page.exposeFunction("noteCount", (text: string) => (counts = [...counts, text]));
    await page.evaluate(() => {
      const note = (globalThis as unknown as { noteCount: (text: string) => void }).noteCount;
      const count = document.querySelector(".count");
      if (count) new MutationObserver(() => note(count.textContent ?? "")).observe(count, { subtree: true, characterData: true, childList: true });
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    await loaded(page, 100);
    expect(counts).toEqual(["100 loaded"]);
    expect([cursors(asked)[2], asked.length, v1()]).toEqual([null, 3, 0]);
    expect(await focused(page)).toBe("Refresh");
  });

  it.each(["", "&sort=cost"])("109 lists each session once, in the order of the server%s", async (sort) => {
    const { page } = await windowed(sort.slice(1));
    await next(page).click();
    await loaded(page, 200);
    await next(page).click();
    await loaded(page, 300);
    const ids = await idsOf(page);
    expect(ids).toEqual(await listedBy(page, studio.url, sort, 3));
    expect(new Set(ids).size).toBe(300);
  });

  it("111 filters loaded rows locally, says so, and goes on although it shows none", async () => {
    const { page, asked } = await windowed("project=notes&kind=fanout&status=completed");
    const rows = await rowsOf(page).count();
    await local(page, "Failed").click();
    await stands(page, new RegExp(`^None of the \\d+ loaded rows are failed\\.$`));
    expect(await next(page).getAttribute("aria-disabled")).toBe("false");
    expect([query(page), asked.length]).toEqual(["?status=completed&kind=fanout&project=notes&list=window", 1]);
    await next(page).click();
    await page.getByText("2 windows").waitFor();
    await stands(page, /^None of the/);
    await local(page, "All").click();
    expect(await rowsOf(page).count()).toBeGreaterThanOrEqual(rows);
  });

  it("113 never makes page numbers of an exact total", async () => {
    const { page, asked } = await windowed("project=ledger");
    const before = asked.length;
    await counting(page).click();
    await page.locator(".window-line").getByText(/^exactly [\d,]+ sessions matched at \d\d:\d\d:\d\d$/).waitFor();
    expect(asked[before]?.toString()).toBe("listing_version=2&per_page=1&exact_total=true&project=ledger");
    for (const part of [".list-head", ".window-tools", ".window-foot"]) expect(await page.locator(part).innerText()).not.toMatch(/page|\d of \d/i);
    await next(page).click();
    await loaded(page, 200);
    expect(asked.at(-1)?.has("exact_total")).toBe(false);
  });

  it("finds a match behind ten thousand sessions that do not match", async () => {
    const { page, asked } = await windowed("q=lay+the+first+stone");
    await stands(page, "No matches in this window. Continue search.");
    expect(await page.getByText(/^examined 10,000 · back to /).count()).toBe(1);
    await next(page).click();
    await rowOf(page, "lay the first stone").waitFor();
    expect([await said(page), asked.length]).toEqual(["1 row added", 2]);
  });
});

describe("112 the keyboard alone", () => {
  it("chooses windows, searches, goes on and counts; the focus stays and news are told", async () => {
    const { page } = await open();
    await page.goto(`${studio.url}history`);
    await listed(page);
    const tabTo = async (name: string) => {
      for (let i = 0; i < 40 && (await focused(page)) !== name; i++) await page.keyboard.press("Tab");
      expect(await focused(page)).toBe(name);
    };
    await tabTo("window");
    await page.keyboard.press("Enter");
    await loaded(page, 100);
    expect(await focused(page)).toBe("window");
    await page.keyboard.press("/");
    await page.keyboard.type("lay the first");
    await stands(page, "No matches in this window. Continue search.");
    expect(await said(page)).toBe("No matches in this window. Continue search.");
    await page.keyboard.press("Escape");
    await tabTo("Continue search");
    await page.keyboard.press("Enter");
    await expect.poll(() => said(page)).toBe("1 row added");
    expect(await focused(page)).toBe("Continue search");
    await page.keyboard.press("Space");
    await expect.poll(() => said(page)).toBe("No rows added. Nothing is left to examine.");
    expect(await focused(page)).toBe("End of the search");
    await page.keyboard.press("Enter");
    await tabTo("Count all matches");
    await page.keyboard.press("Enter");
    await expect.poll(() => said(page)).toMatch(/^exactly 1 session matched at/);
    expect(await focused(page)).toBe("Count all matches");
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("lay the first stone");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "lay the first stone" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("lay the first stone");
  });
});

describe("filters", () => {
  it.each([
    ["wide", {}],
    ["narrow", { viewport: { width: 400, height: 800 } }],
  ] as const)("are all in the address and survive a reload, which begins a new search and says so: %s", async (_, options) => {
    const { page, asked } = await windowed("", options);
    await page.getByLabel("project").selectOption("shop");
    await page.getByLabel("kind").selectOption("play");
    await page.getByLabel("status").selectOption("completed");
    await page.getByRole("searchbox").fill("e");
    await page.getByRole("button", { name: "more filters" }).click();
    await page.getByLabel("playbook contains").fill("tri");
    await page.getByLabel("has the tag").fill("docs");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "cost", exact: true }).click();
    const all = "?q=e&status=completed&kind=play&project=shop&playbook=tri&tag=docs&sort=cost&list=window";
    await expect.poll(() => query(page)).toBe(all);
    await page.getByText("Started a new search.").waitFor({ state: "hidden" });
    await page.reload();
    await page.getByText("Started a new search.").waitFor();
    await page.getByText(/^examined /).waitFor();
    expect(query(page)).toBe(all);
    expect(asked.at(-1)?.toString()).toBe(
      "listing_version=2&per_page=100&search=e&status=done&status=completed_empty&status=running_complete&kind=play&project=shop&playbook=tri&tag=docs&sort=cost",
    );
    expect(await page.getByRole("searchbox").inputValue()).toBe("e");
    expect(await page.getByLabel("project").inputValue()).toBe("shop");
    await page.getByRole("button", { name: "more filters (2)" }).click();
    expect(await page.getByLabel("playbook contains").inputValue()).toBe("tri");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove filter tag docs" }).click();
    await expect.poll(() => query(page)).not.toContain("tag=");
  });

  it("that nobody knows are dropped from an address", async () => {
    const { page, asked } = await windowed("status=bogus&kind=engine&sort=size&cursor=lc1.x.y.z&page=7");
    await loaded(page, 100);
    expect(asked.map(String)).toEqual(["listing_version=2&per_page=100"]);
  });
});

describe("back from a session", () => {
  it.each([
    ["wide", {}],
    ["narrow", { viewport: { width: 600, height: 700 } }],
  ] as const)("windows, frontier, scroll and focus are as they were: %s", async (_, options) => {
    const { page, asked } = await windowed("", options);
    await next(page).click();
    await loaded(page, 200);
    await next(page).click();
    await loaded(page, 300);
    await page.keyboard.press("j");
    for (let i = 0; i < 7; i++) await page.keyboard.press("PageDown");
    const name = await focused(page);
    const top = () => page.locator(".run-list").evaluate((e) => e.scrollTop);
    const scrolled = await top();
    expect(scrolled).toBeGreaterThan(500);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2 }).waitFor();
    await page.goBack();
    await expect.poll(() => focused(page)).toBe(name);
    expect([await top(), asked.length]).toEqual([scrolled, 3]);
    await loaded(page, 300);
    await next(page).click();
    await loaded(page, 400);
    expect(new Set(cursors(asked)).size).toBe(4);
    // Another listing in between makes no difference.
    await page.locator(".run-list").evaluate((e) => (e.scrollTop = 3_000));
    await listing(page, "v1").click();
    await listed(page);
    await page.goBack();
    await loaded(page, 400);
    expect([await top(), asked.length]).toEqual([3_000, 4]);
  });
});

describe("a checker of accessibility finds nothing", () => {
  it.each<[string, BrowserContextOptions]>([
    ["light, wide", {}],
    ["dark, narrow", { colorScheme: "dark", viewport: { width: 400, height: 800 } }],
  ])("%s", async (_, options) => {
    const { page } = await windowed("", options);
    await loaded(page, 100);
    expect(await faults(page)).toEqual([]);
    await page.getByRole("button", { name: "more filters" }).click();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto(`${studio.url}history?list=window&q=zzzz-nothing&tag=docs`);
    await stands(page, "No matches in this window.");
    expect(await faults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(options.viewport?.width ?? 1440);
  }, 120_000);
});
