import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { faults, rowOf, useBrowser, type Opened } from "./browser";
import { startStudio, type Studio } from "./studio";

const { open } = useBrowser();
let studio: Studio;
let home: string;
beforeAll(async () => {
  // A home of its own: sessions change here.
  home = mkdtempSync(path.join(tmpdir(), "podium-e2e-edits-"));
  cpSync(inject("home"), home, { recursive: true });
  studio = await startStudio({ home });
});
afterAll(async () => {
  await studio.stop();
  rmSync(home, { recursive: true });
});

async function idOf(name: string): Promise<string> {
  const answer = await fetch(`${studio.url}api/runs/?search=${encodeURIComponent(name)}`);
  const { runs } = (await answer.json()) as { runs: { id: string }[] };
  return runs[0]?.id ?? "";
}

async function statusOf(id: string): Promise<number> {
  return (await fetch(`${studio.url}api/sessions/${id}`)).status;
}

async function read(id: string): Promise<Opened> {
  const opened = await open();
  await opened.page.goto(`${studio.url}?s=${id}`);
  await opened.page.getByRole("button", { name: "Rename" }).waitFor();
  return opened;
}

/** Gives the page the token that it asks for. */
async function giveToken(page: Page): Promise<void> {
  await page.getByLabel(/podium studio token prints it/).fill(readFileSync(path.join(home, "studio.token"), "utf8").trim());
  await page.keyboard.press("Enter");
}

const head = (page: Page) => page.locator(".session-head");

describe("a session", () => {
  it("is tagged once the token is there, and the tag is taken away again", async () => {
    const { page } = await read(await idOf("write down where things are"));
    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByLabel("Tag", { exact: true }).fill("keep/this <b>one</b>");
    await page.keyboard.press("Enter");
    await giveToken(page);
    await page.getByRole("button", { name: "Show sessions tagged keep/this <b>one</b>" }).waitFor();
    await head(page).getByText("keep/this <b>one</b> added").waitFor();
    expect(await page.locator(".session-head b").count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Remove the tag keep/this <b>one</b>" }).click();
    await head(page).getByText("keep/this <b>one</b> removed").waitFor();
    expect(await page.locator(".tag").count()).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: "Add tag" }).waitFor();
    expect(await page.locator(".tag").count()).toBe(0);
  });

  it("is renamed where its name stands; escape leaves it as it was", async () => {
    const { page } = await read(await idOf("import the spring atlas"));
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Name", { exact: true }).fill("something else");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 2, name: "import the spring atlas" }).waitFor();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Name", { exact: true }).fill("é".repeat(101));
    await head(page).getByText("A name has at most 200 bytes.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("the atlas of spring");
    await page.keyboard.press("Enter");
    await giveToken(page);
    await page.getByRole("heading", { level: 2, name: "the atlas of spring" }).waitFor();
    await rowOf(page, "the atlas of spring").first().waitFor();
    expect(await page.getByRole("button", { name: "Rename" }).evaluate((e) => e === document.activeElement)).toBe(true);
  });

  it("is deleted ten seconds after it was said, unless that is undone or the page is closed", async () => {
    const id = await idOf("write down where things are");
    const { page } = await read(id);
    const sent: string[] = [];
    page.on("request", (r) => {
      if (r.method() === "DELETE") sent.push(r.url());
    });
    const remove = async () => {
      await page.getByRole("button", { name: "Actions", exact: true }).click();
      await page.getByRole("button", { name: "Delete" }).click();
    };
    await remove();
    await giveToken(page);
    await page.getByText("will be deleted in 10 seconds").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("will be deleted in 10 seconds").waitFor({ state: "hidden" });

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("will be deleted in 10 seconds").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Rename" }).waitFor();

    // Another session may be read meanwhile.
    await remove();
    await page.getByText("will be deleted in 10 seconds").waitFor();
    expect(sent).toEqual([]);
    await rowOf(page, "fix the flaky login test").first().click();
    await page.getByText("The clock is read twice").waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).isVisible()).toBe(true);
    await page.getByText("is deleted.").waitFor({ timeout: 20_000 });
    expect(sent).toEqual([`${studio.url}api/sessions/${id}`]);
    expect(await statusOf(id)).toBe(404);
    await rowOf(page, "write down where things are").waitFor({ state: "hidden" });
  });

  it("that was deleted while it was looked at says so", async () => {
    const id = await idOf("nightly import");
    const { page, expectProblems } = await read(id);
    expectProblems(/404/);
    await page.getByRole("button", { name: "Actions", exact: true }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await giveToken(page);
    await page.getByRole("heading", { name: "The session is deleted" }).waitFor({ timeout: 20_000 });
    expect(await statusOf(id)).toBe(404);
  });

  it("whose head is as long as a store allows bends nothing", async () => {
    const id = await idOf("fix the flaky login test");
    const { page } = await open({ viewport: { width: 1000, height: 700 } });
    const long = `<b>long</b> \u202e\u0645\u0631\u062d\u0628\u0627\u202c\u200b ${"x".repeat(100_000)}`;
    await page.route(`**/api/runs/${id}?*`, async (route) => {
      const answer = await route.fetch();
      const run = (await answer.json()) as Record<string, unknown>;
      await route.fulfill({ json: { ...run, name: long, tags: [long], model: long, project: long, agent_name: long, playbook_name: long, status_reason_summary: long.slice(0, 300) } });
    });
    await page.goto(`${studio.url}?s=${id}`);
    await page.getByText("Fixed. The test now runs").waitFor();
    const size = await head(page).boundingBox();
    expect(size?.height).toBeLessThan(360);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1000);
    expect(await page.locator(".session-head b").count()).toBe(0);
  });
});
