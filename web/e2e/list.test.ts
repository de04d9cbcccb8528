import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listed, rowOf, rowsOf, useBrowser, watchShifts } from "./browser";
import { rows } from "./history";
import { startStudio, type Studio } from "./studio";

const { open } = useBrowser();
let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

async function list(query = "", options = {}): Promise<Page> {
  const { page } = await open(options);
  await page.goto(studio.url + query);
  await listed(page);
  return page;
}

const query = (page: Page) => new URL(page.url()).search;
const total = (page: Page) => page.getByText(/^[\d,]+ sessions?$/).textContent();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.querySelector(".run-name")?.textContent ?? document.activeElement?.id ?? null);
const column = (page: Page, name: string) => page.locator(`.run-row .${name}`).allTextContents();

describe("the list", () => {
  it("shows the newest of 20,000 sessions, with few of them in the document", async () => {
    const page = await list();
    expect(Number((await total(page))?.replace(/\D/g, ""))).toBeGreaterThan(rows);
    await rowOf(page, "fix the flaky login test").waitFor();
    expect(await rowsOf(page).count()).toBeLessThanOrEqual(120);
    expect(await page.getByText(/^200 of /).count()).toBe(1);
  });

  it("says state, age and cost of a row, and a dash for an unknown cost", async () => {
    const page = await list();
    expect(await rowOf(page, "fix the flaky login test").innerText()).toMatch(/completed\s+\d+m \d+s\s+\$0\.28/);
    expect(await rowOf(page, "write down where things are").innerText()).toMatch(/—$/);
    expect(await rowOf(page, "import the spring atlas").innerText()).toContain("failed");
  });

  it("does not move when rows arrive", async () => {
    const { page } = await open();
    const shifted = await watchShifts(page);
    await page.goto(studio.url);
    await listed(page);
    await rowOf(page, "fix the flaky login test").waitFor();
    expect(await shifted()).toBeLessThan(0.01);
  });

  it("loads more without moving the focus, each session once and in order", async () => {
    const page = await list();
    const more = page.getByRole("button", { name: "Load more" });
    await more.focus();
    await page.keyboard.press("Enter");
    await page.getByText(/^400 of /).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Load more");
    await page.keyboard.press("Enter");
    await page.getByText(/^600 of /).waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("End");
    const last = rowsOf(page).last();
    await expect.poll(() => last.getAttribute("aria-posinset")).toBe("600");
    expect(await last.getAttribute("aria-setsize")).toBe("600");
    expect(await rowsOf(page).count()).toBeLessThanOrEqual(120);
  });

  it("orders by cost, dearest first, and says so in the address", async () => {
    const page = await list();
    await page.getByRole("button", { name: "cost", exact: true }).click();
    await expect.poll(() => query(page)).toBe("?sort=cost");
    await expect.poll(async () => Number((await column(page, "run-cost"))[0]?.replace(/[$,]/g, ""))).toBeGreaterThan(3);
    const costs = (await column(page, "run-cost")).map((c) => Number(c.replace(/[$,]/g, "")));
    expect(costs).toEqual([...costs].sort((a, b) => b - a));
    await page.reload();
    await listed(page);
    expect((await column(page, "run-cost"))[0]).toBe(`$${costs[0]?.toFixed(2)}`);
  });
});

describe("filters", () => {
  it("search everything, not what is loaded, and survive a reload", async () => {
    const page = await list();
    await page.keyboard.press("/");
    await page.keyboard.type("watch the deploy");
    await expect.poll(() => total(page)).toBe("1 session");
    expect(query(page)).toBe("?q=watch+the+deploy");
    await page.reload();
    await expect.poll(() => total(page)).toBe("1 session");
    expect(await page.getByRole("searchbox").inputValue()).toBe("watch the deploy");
    await page.getByRole("searchbox").fill("");
    await expect.poll(() => query(page)).toBe("");
    await expect.poll(async () => Number((await total(page))?.replace(/\D/g, ""))).toBeGreaterThan(rows);
  });

  it("leave what they say, and go back one by one", async () => {
    const page = await list();
    await page.getByLabel("status").selectOption("failed");
    await expect.poll(async () => new Set(await column(page, "run-state"))).toEqual(new Set(["failed"]));
    await page.getByLabel("project").selectOption("ledger");
    await page.getByLabel("kind").selectOption("fanout");
    await expect.poll(() => query(page)).toBe("?status=failed&kind=fanout&project=ledger");
    await listed(page);
    await page.reload();
    await listed(page);
    expect(await page.getByLabel("status").inputValue()).toBe("failed");
    await page.goBack();
    await expect.poll(() => query(page)).toBe("?status=failed&project=ledger");
    await page.goBack();
    await page.goBack();
    await expect.poll(() => query(page)).toBe("");
    expect(await page.getByLabel("status").inputValue()).toBe("");
    await page.goForward();
    await expect.poll(() => page.getByLabel("status").inputValue()).toBe("failed");
  });

  it("that nothing matches say so, and can be cleared", async () => {
    const page = await list("?q=zzzz-nothing&tag=docs");
    await page.getByText("No session matches these filters.").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await rowOf(page, "fix the flaky login test").waitFor();
    expect(query(page)).toBe("");
  });

  it("by tag have a way out", async () => {
    const page = await list("?tag=docs");
    const some = await total(page);
    await page.getByRole("button", { name: "Remove filter tag docs" }).click();
    await expect.poll(() => total(page)).not.toBe(some);
    expect(query(page)).toBe("");
  });
});

describe("the keyboard alone", () => {
  it("moves, opens, leaves, searches and explains", async () => {
    const page = await list();
    await rowsOf(page).first().waitFor();
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("review the discount codes");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
    expect(outline).toBe("solid");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await focused(page)).toBe("write down where things are");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "write down where things are" }).waitFor();
    expect(query(page)).toMatch(/^\?s=[0-9a-f-]{36}$/);
    expect(await focused(page)).toBe("write down where things are");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "fix the flaky login test" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText(/Select a session/).waitFor();
    expect(await focused(page)).toBe("fix the flaky login test");
    await page.keyboard.press("/");
    expect(await focused(page)).toBe("search");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("fix the flaky login test");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await focused(page)).toBe("fix the flaky login test");
  });

  it("goes through thousands of rows without losing its place", async () => {
    const page = await list();
    await page.keyboard.press("j");
    for (let i = 0; i < 5; i++) await page.keyboard.press("PageDown");
    const at = await page.evaluate(() => document.activeElement?.closest("[aria-posinset]")?.getAttribute("aria-posinset"));
    expect(Number(at)).toBeGreaterThan(60);
    expect(await page.evaluate(() => {
      const row = document.activeElement?.getBoundingClientRect();
      const list = document.querySelector(".run-list")?.getBoundingClientRect();
      return row && list && row.top >= list.top && row.bottom <= list.bottom;
    })).toBe(true);
  });

  it("reaches the list with one Tab and moves the line between the panes", async () => {
    const page = await list();
    await page.getByRole("button", { name: "window", exact: true }).focus();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("review the discount codes");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Load more");
    await page.keyboard.press("Tab");
    const line = page.getByRole("separator", { name: "Width of the list" });
    const width = () => page.locator(".list-pane").evaluate((e) => e.getBoundingClientRect().width);
    const before = await width();
    await page.keyboard.press("ArrowRight");
    await expect.poll(width).toBe(before + 16);
    expect(await line.getAttribute("aria-valuenow")).toBe(String(before + 16));
    await page.reload();
    await expect.poll(width).toBe(before + 16);
  });
});

describe("looks", () => {
  it("have rows of 32 or 26 pixels, remembered", async () => {
    const page = await list();
    const height = () => rowsOf(page).first().evaluate((e) => e.getBoundingClientRect().height);
    expect(await height()).toBe(32);
    await page.getByRole("button", { name: "dense" }).click();
    await expect.poll(height).toBe(26);
    await page.reload();
    await listed(page);
    await expect.poll(height).toBe(26);
  });

  it("are dark when the system is, and as the person says otherwise", async () => {
    const page = await list("", { colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await ground()).toBe("rgb(21, 23, 26)");
    await page.getByRole("button", { name: "Theme: auto" }).click();
    expect(await ground()).toBe("rgb(248, 248, 246)");
    await page.reload();
    await listed(page);
    expect(await ground()).toBe("rgb(248, 248, 246)");
  });

  it("rest for a reader who asked for rest", async () => {
    const moving = async (reducedMotion: "reduce" | "no-preference") => {
      const page = await list("?q=discount", { reducedMotion });
      return page.locator(".shape-running").first().evaluate((e) => getComputedStyle(e).animationName);
    };
    expect(await moving("no-preference")).toBe("turn");
    expect(await moving("reduce")).toBe("none");
  });

  it("are one pane in a narrow window, which goes back to its place", async () => {
    const page = await list("", { viewport: { width: 600, height: 700 } });
    expect(await page.getByRole("separator").count()).toBe(0);
    await page.keyboard.press("j");
    for (let i = 0; i < 4; i++) await page.keyboard.press("PageDown");
    const name = await focused(page);
    const top = () => page.locator(".run-list").evaluate((e) => e.scrollTop);
    const scrolled = await top();
    expect(scrolled).toBeGreaterThan(500);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2 }).waitFor();
    expect(await page.getByRole("list", { name: "Sessions" }).isVisible()).toBe(false);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H2");
    await page.getByRole("button", { name: "Back to the list" }).click();
    await expect.poll(() => focused(page)).toBe(name);
    expect(await top()).toBe(scrolled);
    await page.goBack();
    await page.getByRole("heading", { level: 2 }).waitFor();
    await page.goBack();
    await expect.poll(() => focused(page)).toBe(name);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(600);
  });
});
