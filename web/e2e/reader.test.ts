import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults, useBrowser, type Opened } from "./browser";
import { conversation, drawn, position, slots, startLongStudio, type LongStudio } from "./long";

const { open } = useBrowser();
let studio: LongStudio;
let long: string;
beforeAll(async () => {
  studio = await startLongStudio();
  long = await studio.idOf("walk through every service");
});
afterAll(() => studio.stop());

async function read(entry?: string, options = {}): Promise<Opened> {
  const opened = await open(options);
  await opened.page.goto(`${studio.url}?s=${long}${entry === undefined ? "" : `&entry=${entry}`}`);
  await position(opened.page).filter({ hasText: " of 50,0" }).waitFor();
  return opened;
}

/** The id of the entry at a place of the long session. */
async function entryAt(place: number): Promise<string> {
  const answer = await fetch(`${studio.url}api/sessions/${long}/entries?from=${place}&limit=1`);
  const { entries } = (await answer.json()) as { entries: { id: string }[] };
  return entries[0]?.id ?? "";
}

/** The steps that are in the document, in order. */
const steps = async (page: Page) =>
  (await page.locator(".words").allInnerTexts()).flatMap((t) => {
    const m = /^Step (\d+):/.exec(t);
    return m === null ? [] : [Number(m[1])];
  });

/** Whether nothing is missing between the first and the last. */
const unbroken = (list: number[]) => list.every((n, i) => i === 0 || n === (list[i - 1] ?? 0) + 1);

describe("a session of 50,000 entries", () => {
  it("opens at its end with one window, and keeps no more than 120 pieces in the document wherever the reader goes", async () => {
    const { page } = await read();
    const asked: string[] = [];
    page.on("request", (r) => {
      if (r.url().includes("/entries?")) asked.push(r.url());
    });
    await page.reload();
    await page.getByText("This is the newest of many.").waitFor();
    expect(asked.filter((u) => !u.includes("after=") && !u.includes("before="))).toHaveLength(1);
    await conversation(page).hover();
    for (let i = 0; i < 40; i++) {
      await page.mouse.wheel(0, -900);
      await drawn(page);
      expect(await slots(page).count()).toBeLessThanOrEqual(120);
    }
    const list = await steps(page);
    expect(list.length).toBeGreaterThan(5);
    expect(unbroken(list)).toBe(true);
    expect(list.at(-1)).toBeLessThan(16_500);
  });

  it("is scrolled to any place, and from there both ways", async () => {
    const { page } = await read();
    const near = async () => Number((await position(page).textContent())?.split("–")[0]?.replaceAll(",", ""));
    await conversation(page).evaluate((e) => (e.scrollTop = e.scrollHeight / 2));
    await expect.poll(near).toBeGreaterThan(20_000);
    await expect.poll(near).toBeLessThan(30_000);
    const [from = 0] = await steps(page);
    await conversation(page).hover();
    for (const by of [-1_000, 1_000]) {
      for (let i = 0; i < 25; i++) {
        await page.mouse.wheel(0, by);
        await drawn(page);
      }
      await expect.poll(async () => ((await steps(page))[0] ?? from) * Math.sign(by)).toBeGreaterThan(from * Math.sign(by) - 2_000);
      expect(unbroken(await steps(page))).toBe(true);
    }
    expect(await slots(page).count()).toBeLessThanOrEqual(120);
  });

  it("goes to its beginning and its end by keys and by buttons", async () => {
    const { page } = await read();
    const first = page.getByText("walk through every service and say what you see");
    const newest = page.getByText("This is the newest of many.");
    await conversation(page).focus();
    await page.keyboard.press("Home");
    await first.waitFor();
    expect(await conversation(page).evaluate((e) => e.scrollTop)).toBe(0);
    await page.keyboard.press("PageDown");
    await expect.poll(() => conversation(page).evaluate((e) => e.scrollTop)).toBeGreaterThan(300);
    await page.keyboard.press("End");
    await newest.waitFor();
    await page.getByRole("button", { name: "Beginning" }).click();
    await first.waitFor();
    await page.getByRole("button", { name: "End", exact: true }).click();
    await newest.waitFor();
    await expect.poll(() => conversation(page).evaluate((e) => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight))).toBeLessThan(48);
  });

  it.each(["before", "after"])("does not move what is read when a window comes in %s it and is measured", async (side) => {
    const entry = await entryAt(30_000);
    const opened = await open();
    const { page } = opened;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(`**/entries?*${side}=*`, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${studio.url}?s=${long}&entry=${entry}`);
    await page.locator('.slot[data-marked="true"]').waitFor();
    await conversation(page).hover();
    // Near enough to an end of what is there.
    for (let i = 0; i < 5; i++) {
      await page.mouse.wheel(0, side === "before" ? -300 : 300);
      await drawn(page);
    }
    const places = () =>
      page.locator(".slot").evaluateAll((all) => all.map((e) => [(e as HTMLElement).dataset["key"] ?? "", Math.round(e.getBoundingClientRect().top)] as const).filter(([, top]) => top > 0 && top < 900));
    await drawn(page);
    const before = await places();
    const came = page.waitForResponse((r) => r.url().includes(`${side}=`));
    release();
    await came;
    await drawn(page);
    await drawn(page);
    const now = new Map(await places());
    expect(before.length).toBeGreaterThan(5);
    expect(before.filter(([key, top]) => Math.abs((now.get(key) ?? -9_999) - top) > 1)).toEqual([]);
  });

  it("opens around the entry of a link and marks it", async () => {
    const { page } = await read(await entryAt(25_000));
    const marked = page.locator('.slot[data-marked="true"]');
    await marked.waitFor();
    const box = await marked.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(800);
    expect(await marked.textContent()).toMatch(/service-00833[23]|Step 833[23]/);
    expect(unbroken(await steps(page))).toBe(true);
  });

  it("says that a link's entry is not there, and shows its end", async () => {
    const { page, expectProblems } = await open();
    expectProblems(/404/);
    await page.goto(`${studio.url}?s=${long}&entry=nowhere`);
    await page.getByText("The entry of this link is not in this session. This is its end.").waitFor();
    await page.getByText("This is the newest of many.").waitFor();
  });

  it("gives the link to an entry and its raw JSON", async () => {
    const { page } = await read(await entryAt(9_999), { permissions: ["clipboard-read", "clipboard-write"] });
    const slot = page.locator('.slot[data-marked="true"]');
    const text = "Step 3332:";
    await slot.filter({ hasText: text }).hover();
    await slot.getByRole("button", { name: "Entry 10000: link and raw JSON" }).click();
    await slot.getByRole("button", { name: "Raw JSON", exact: true }).click();
    const raw = JSON.parse((await slot.locator('pre[aria-label="Raw JSON"]').textContent()) ?? "") as { id: string; kind: string; payload: { text: string } };
    expect([raw.kind, raw.payload.text.startsWith(text)]).toEqual(["text", true]);
    await slot.getByRole("button", { name: "Copy link" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).searchParams.get("entry")).toBe(raw.id);
    await page.goto(link);
    await page.locator('.slot[data-marked="true"]', { hasText: text }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it("keeps open what was opened, and selected what was selected, while it is out of sight", async () => {
    const { page } = await read(await entryAt(20_000));
    const tool = page.locator("details.tool").nth(3);
    const about = (await tool.locator(".tool-about").textContent()) ?? "";
    await tool.locator("summary").click();
    await page.getByLabel("Output").waitFor();
    const words = page.locator(".words").nth(4);
    await words.evaluate((e) => document.getSelection()?.selectAllChildren(e));
    const selected = await page.evaluate(() => document.getSelection()?.toString());
    await conversation(page).hover();
    for (const by of [6_000, -6_000]) {
      await page.mouse.wheel(0, by);
      await drawn(page);
      await drawn(page);
      expect(await page.evaluate(() => document.getSelection()?.toString())).toBe(selected);
    }
    await page.locator("details.tool[open]", { hasText: about }).waitFor();
  });

  it("is searched 10,000 entries at a time, and says so", async () => {
    const { page } = await read();
    const found = page.getByRole("search", { name: "Search inside the session" }).getByRole("status");
    await page.getByLabel("Search inside", { exact: true }).fill("a NEEDLE lies");
    await page.keyboard.press("Enter");
    await found.filter({ hasText: /^1 of 1 · searched 10,000 of 50,0\d\d$/ }).waitFor();
    await page.locator('.slot[data-marked="true"]', { hasText: "Step 123:" }).waitFor();
    // Where nothing more is known, the next match is looked for.
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await found.filter({ hasText: /^2 of 2 · searched 20,000/ }).waitFor();
    await page.locator('.slot[data-marked="true"]', { hasText: "Step 4123:" }).waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await page.locator('.slot[data-marked="true"]', { hasText: "Step 123:" }).waitFor();
    for (const done of ["30,000", "40,000", "50,000"]) {
      await page.getByRole("button", { name: "Continue search" }).click();
      await found.filter({ hasText: `searched ${done}` }).waitFor();
    }
    await page.getByRole("button", { name: "Continue search" }).click();
    await found.filter({ hasText: /^5 of 5$/ }).waitFor();
    await page.locator('.slot[data-marked="true"]', { hasText: "Step 16123:" }).waitFor();
    expect(await page.getByRole("button", { name: "Continue search" }).count()).toBe(0);

    await page.getByLabel("Search inside", { exact: true }).fill("service-000007");
    await page.keyboard.press("Enter");
    // A match inside a call opens it.
    await page.locator('.slot[data-marked="true"] details[open]', { hasText: "service-000007" }).waitFor();
    await page.getByLabel("Search inside", { exact: true }).fill("no such words anywhere");
    await page.keyboard.press("Enter");
    await found.filter({ hasText: /^no match · searched 10,000 of 50,0\d\d$/ }).waitFor();
  });

  it("grows while it is read: a reader at the end follows, one elsewhere is told", async () => {
    const { page } = await read();
    await page.getByText("This is the newest of many.").waitFor();
    studio.say("Something new was said.");
    await page.getByText("Something new was said.").waitFor();
    const gap = () => conversation(page).evaluate((e) => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight));
    await expect.poll(gap).toBeLessThan(48);
    await page.getByRole("button", { name: "Beginning" }).click();
    await page.getByText("walk through every service and say what you see").waitFor();
    const top = await conversation(page).evaluate((e) => e.scrollTop);
    studio.say("And something after that.");
    await page.getByRole("button", { name: "New entries below" }).waitFor();
    expect(await conversation(page).evaluate((e) => e.scrollTop)).toBe(top);
    await page.getByRole("button", { name: "New entries below" }).click();
    await page.getByText("And something after that.").waitFor();
    await expect.poll(gap).toBeLessThan(48);
  });

  it.each([
    ["light, wide", {}],
    ["dark, narrow", { colorScheme: "dark", viewport: { width: 400, height: 800 } }],
  ] as const)("has nothing that a checker of accessibility finds: %s", async (_, options) => {
    const { page } = await read(undefined, options);
    await page.getByLabel("Search inside", { exact: true }).fill("needle");
    await page.keyboard.press("Enter");
    await page.locator('.slot[data-marked="true"]').waitFor();
    await page.getByRole("button", { name: "Actions", exact: true }).click();
    await page.getByRole("button", { name: "Files" }).click();
    await page.getByRole("region", { name: "Files" }).waitFor();
    expect(await faults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  });
});

describe("entries of a megabyte and more", () => {
  it("are shown in part, or said to be too large, and leave the page usable", async () => {
    const { page } = await open();
    await page.goto(`${studio.url}?s=${await studio.idOf("read the whole warehouse")}`);
    await page.getByText("A long answer follows.").waitFor();
    await page.getByText(/The first 100,000 of 1,0\d\d,\d{3} characters\./).waitFor();
    const tools = page.locator("details.tool");
    await tools.filter({ hasText: "cat warehouse.log" }).locator("summary").click();
    await page.getByText(/The result is too large to show here \(\d,\d{3},\d{3} characters\)\. The export has it whole\./).waitFor();
    await tools.filter({ hasText: "cat almost.log" }).locator("summary").click();
    const output = page.getByLabel("Output").filter({ hasText: "a line of the warehouse" });
    await output.waitFor();
    expect((await output.textContent())?.length).toBe(100_000);
    await tools.filter({ hasText: "cat almost.log" }).getByRole("button", { name: "Show all" }).click();
    await expect.poll(async () => (await output.textContent())?.endsWith("the very last line")).toBe(true);
    await tools.filter({ hasText: "index.html" }).locator("summary").click();
    expect(await page.getByLabel("Change").locator('[data-sign="+"]').allInnerTexts()).toEqual(["+ <h1>warehouse</h1>\n", "+ <p>all of it</p>\n"]);
    await page.getByText("That was the warehouse.").waitFor();
  });
});
