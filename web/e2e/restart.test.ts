import { copyFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { faults, rowsOf, useBrowser } from "./browser";
import { startStudio, type Studio } from "./studio";
import { loaded, next, ownHome, podium, stands, windowsOf } from "./windows";

const { open } = useBrowser();

async function studioOf(home: string, port = 0): Promise<Studio> {
  const studio = await startStudio({ home, port });
  onTestFinished(studio.stop);
  return studio;
}

async function windowed(studio: Studio) {
  const opened = await open();
  const { asked } = windowsOf(opened.page);
  await opened.page.goto(`${studio.url}history?list=window`);
  return { ...opened, asked };
}

describe("a chain under an open page", () => {
  it("goes on with its cursor when the daemon was restarted, and is dropped with words when the store is another", async () => {
    const home = ownHome();
    const studio = await studioOf(home);
    const { page, asked, expectProblems } = await windowed(studio);
    expectProblems(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|409/);
    await loaded(page, 100);
    await studio.stop();
    await next(page).click();
    await page.locator(".window-trouble").getByText("Studio does not answer.").waitFor();
    await loaded(page, 100);
    await studioOf(home, studio.port);
    await page.getByRole("button", { name: "Try again", exact: true }).last().click();
    await loaded(page, 200);
    expect(asked.map((q) => q.get("cursor") === asked[1]?.get("cursor"))).toEqual([false, true, true]);

    podium(home, "store", "rotate-identity");
    await next(page).click();
    await stands(page, /^(This search cannot go on\.|Another store answers now)/);
    expect([await rowsOf(page).count(), await next(page).textContent()]).toEqual([0, "Start again"]);
    expect(await faults(page)).toEqual([]);
    await next(page).click();
    await loaded(page, 100);
    expect(asked.at(-1)?.has("cursor")).toBe(false);
    await next(page).click();
    await loaded(page, 200);
  }, 120_000);

  it("is dropped when the page notices by itself that the store is another", async () => {
    const home = ownHome();
    const studio = await studioOf(home);
    const { page, asked } = await windowed(studio);
    await page.clock.install();
    await page.reload();
    await loaded(page, 100);
    podium(home, "store", "rotate-identity");
    await page.clock.fastForward(31_000);
    await stands(page, /^Another store answers now/);
    expect([await rowsOf(page).count(), asked.length]).toEqual([0, 2]);
    await next(page).click();
    await loaded(page, 100);
  }, 120_000);
});

describe("a store that is not ready for windows", () => {
  it("says why and which command mends it; v1 stays; after the command trying again works", async () => {
    const home = ownHome();
    // A copy has no identity of its own before somebody gives it one.
    const copy = path.join(home, "copy.db");
    podium(home, "store", "backup", copy);
    for (const end of ["", "-wal", "-shm"]) rmSync(path.join(home, `state.db${end}`), { force: true });
    copyFileSync(copy, path.join(home, "state.db"));
    const studio = await studioOf(home);
    const { page, asked, expectProblems } = await windowed(studio);
    expectProblems(/503/);
    await stands(page, "Windows are not available for this store.");
    await stands(page, "podium store rotate-identity");
    expect([await next(page).textContent(), asked.length]).toEqual(["Try again", 1]);
    expect(await faults(page)).toEqual([]);
    await page.getByRole("group", { name: "Listing" }).getByRole("button", { name: "v1" }).click();
    await page.getByText(/^200 of /).waitFor();
    await page.goBack();
    await stands(page, "Windows are not available for this store.");
    podium(home, "store", "rotate-identity");
    await next(page).click();
    await loaded(page, 100);
  }, 120_000);
});
