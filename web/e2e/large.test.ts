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
    await page.clock.runFor(2_000);
    await next(page).focus();
    const layouts = await layoutsOf(page);
    const each: number[] = [];
    for (let n = 2; n <= 9; n++) {
      const before = await layouts();
      await page.keyboard.press("Enter");
      await counted(page, `${n}00 loaded`);
      await page.evaluate(() => new Promise((done) => setTimeout(done, 0)));
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
