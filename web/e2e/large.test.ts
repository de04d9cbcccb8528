import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { rowsOf, useBrowser } from "./browser";
import { rows } from "./history";
import { startStudio, type Studio } from "./studio";
import { counting, loaded, next, stands, windowsOf } from "./windows";

const { open } = useBrowser();
let home: string;
let studio: Studio;
beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), "podium-e2e-large-"));
  cpSync(inject("home"), home, { recursive: true });
  execFileSync(inject("seed"), ["-store", path.join(home, "state.db"), "-copies", "9"], { stdio: "inherit" });
  studio = await startStudio({ home });
}, 300_000);
afterAll(async () => {
  await studio.stop();
  rmSync(home, { recursive: true });
});

/** Counts how often the browser laid the page out. */
async function layoutsOf(page: Page): Promise<() => Promise<number>> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  return async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "LayoutCount")?.value ?? NaN;
}

/** Waits for a text without asking for sizes, which would lay the page out. */
const counted = (page: Page, text: string) => page.waitForFunction((t) => document.querySelector(".count")?.textContent === t, text);

describe("200,000 sessions", () => {
  it("come in windows of one request and at most one layout each, with at most 120 rows in the document", async () => {
    const { page } = await open();
    const { asked, v1 } = windowsOf(page);
    // Ages move by themselves and lay rows out anew; here they stand still.
    await page.clock.install();
    await page.goto(`${studio.url}history?list=window`);
    await counted(page, "100 loaded");
    // The overview and the projects take their time at this size.
    await page.waitForLoadState("networkidle");
    await page.clock.pauseAt(Date.now() + 60_000);
    await next(page).focus();
    const layouts = await layoutsOf(page);
    // An answer is held back until the frame that says it is awaited has passed:
    // whether both share a frame is the machine's matter and not the page's.
    const held: (() => void)[] = [];
    await page.route(/listing_version=2/, async (route) => {
      const response = await route.fetch();
      await new Promise<void>((release) => held.push(release));
      await route.fulfill({ response });
    });
    const each: number[] = [];
    for (let n = 2; n <= 9; n++) {
      await page.keyboard.press("Enter");
      // Each wait looks at least once in a frame of its own.
      for (let frame = 0; frame < 2; frame++) await page.waitForFunction(() => document.querySelector(".window-next[aria-disabled=true]") !== null);
      await expect.poll(() => held.length).toBe(1);
      const before = await layouts();
      held.shift()?.();
      await counted(page, `${n}00 loaded`);
      await page.clock.runFor(1);
      each.push((await layouts()) - before);
    }
    expect(each.filter((n) => n > 1)).toEqual([]);
    expect(each.some((n) => n === 1)).toBe(true);
    expect([asked.length, v1()]).toEqual([9, 0]);
    for (const key of ["j", "End", "PageUp", "Home"]) {
      await page.keyboard.press(key);
      await page.clock.runFor(500);
      expect(await rowsOf(page).count()).toBeLessThanOrEqual(120);
    }
  });

  it("are searched window by window, each of 10,000, and counted only on request", async () => {
    const { page } = await open();
    const { asked } = windowsOf(page);
    await page.goto(`${studio.url}history?list=window&q=zzzz-nothing`);
    for (let n = 1; n <= 4; n++) {
      await page.getByText(`examined ${n}0,000 · back to `).waitFor();
      await stands(page, "No matches in this window. Continue search.");
      await next(page).click();
    }
    await page.getByText("examined 50,000 · back to ").waitFor();
    expect(asked).toHaveLength(5);
    await page.goto(`${studio.url}history?list=window&project=notes`);
    await loaded(page, 100);
    await counting(page).click();
    await page.locator(".window-line").getByText(/^exactly [\d,]+ sessions matched at/).waitFor();
    const text = await page.locator(".window-line").getByText(/^exactly/).textContent();
    const n = Number(/[\d,]+/.exec(text ?? "")?.[0].replace(/,/g, ""));
    expect(n).toBeGreaterThan(rows / 4);
    expect(n % 10).toBe(0);
  });
});
