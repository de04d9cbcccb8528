import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { faults, listed, rowOf, rowsOf, useBrowser } from "./browser";
import { cut, instead, spoiling } from "./proxy";
import { startStudio, type Studio, type StudioOptions } from "./studio";

const { open } = useBrowser();
let studio: Studio;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "podium-hostile-"));
  studio = await startStudio();
});
afterAll(async () => {
  await studio.stop();
  rmSync(folder, { recursive: true });
});

/** An empty PODIUM_HOME of its own. */
function newHome(name: string): string {
  const home = path.join(folder, name);
  mkdirSync(home, { mode: 0o700 });
  return home;
}

async function studioWith(options: StudioOptions): Promise<Studio> {
  const one = await startStudio(options);
  onTestFinished(one.stop);
  return one;
}

const list = (page: Page) => page.getByRole("region", { name: "Sessions", exact: true });
const strip = (page: Page) => page.getByRole("region", { name: "The last 30 days", exact: true });
const trouble = (page: Page, text: string | RegExp) => list(page).getByRole("alert").filter({ hasText: text });
const summed = (page: Page) => strip(page).getByText(/sessions? · /);

describe("a refusal has a designed answer in list and overview, and the page goes on when it ends", () => {
  const detail = (text: unknown) => JSON.stringify({ detail: text });
  it.each([
    ["422", instead(422, "application/json", detail([{ type: "x", loc: ["query", "per_page"], msg: "Input should be less than or equal to 500", input: "501" }])), /per_page: Input should be less than or equal to 500/],
    ["503", instead(503, "application/json", detail("The store is being restored; run `podium store status`.")), /The store is being restored/],
    ["501", instead(501, "application/json", detail("/api/runs/ cannot answer: the configured store is postgresql-backed.")), /postgresql-backed/],
    ["500", instead(500, "text/plain", "Internal Server Error"), /Request failed: 500/],
    ["HTML in place of JSON", instead(200, "text/html", "<!doctype html><script>document.title='owned'</script><h1>It works!</h1>"), /not Studio's: it is no JSON/],
    ["an HTML error", instead(502, "text/html", "<h1>Bad gateway</h1>"), /Request failed: 502/],
    ["JSON that ends in the middle", instead(200, "application/json", '{"runs":[{"id":"a","name":"half'), /ended early/],
    ["a connection that breaks in the middle", cut, /ended early/],
    ["another program's JSON", instead(200, "application/json", '{"hello":"world"}'), /not Studio's: it has no (runs|groups)/],
    ["null", instead(200, "application/json", "null"), /not Studio's: it has no (runs|groups)/],
    ["nothing at all", instead(200, "application/json", ""), /ended early/],
    ["markup in a refusal", instead(503, "application/json", detail(`<img src=x onerror="document.title='owned'">`)), /<img src=x onerror=/],
  ] as const)("%s", async (_, how, message) => {
    const { url, spoil } = await spoiling(studio);
    const { page, expectProblems } = await open();
    expectProblems(/the server responded with a status of (422|50\d)|ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    const paths = [/^\/api\/runs\/\?/, /^\/api\/usage\?/, /^\/api\/runs\/projects/];
    for (const at of paths) spoil(at, how);
    await page.goto(url);
    await trouble(page, message).waitFor();
    await strip(page).getByText(message).waitFor();
    await strip(page).getByText("could not be read").waitFor();
    expect(await page.title()).toBe("Podium");
    expect(await page.locator("#root img, #root script, #root iframe").count()).toBe(0);

    for (const at of paths) spoil(at, undefined);
    // The list looks again by itself where waiting helps.
    await trouble(page, message).getByRole("button", { name: "Try again" }).click({ timeout: 2_000 }).catch(() => undefined);
    await listed(page);
    const again = strip(page).getByRole("button", { name: "Look again" });
    if ((await again.count()) > 0) await again.click().catch(() => undefined);
    else await page.reload();
    await summed(page).waitFor();
    expect(await list(page).getByRole("alert").count()).toBe(0);
  });

  it("a filter that is refused can be cleared", async () => {
    const { url, spoil } = await spoiling(studio);
    const { page, expectProblems } = await open();
    expectProblems(/status of 422/);
    spoil(/^\/api\/runs\/\?.*tag=/, instead(422, "application/json", '{"detail":"tag is not one"}'));
    await page.goto(`${url}?tag=x&sort=cost`);
    await trouble(page, "tag is not one").getByRole("button", { name: "Clear the filters" }).click();
    await listed(page);
    expect(new URL(page.url()).search).toBe("?sort=cost");
  });

  it("rows and sums that are there stay when the next look fails", async () => {
    const { url, spoil } = await spoiling(studio);
    const { page, expectProblems } = await open();
    expectProblems(/ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    await page.clock.install();
    await page.goto(url);
    await listed(page);
    await summed(page).waitFor();
    const words = await summed(page).textContent();
    spoil(/^\/api\/runs\/\?/, cut);
    spoil(/^\/api\/usage\?/, cut);
    await page.clock.runFor(61_000);
    await trouble(page, /ended early\. Rows as of \d\d:\d\d:\d\d/).waitFor();
    await strip(page).getByText(/not refreshed since \d\d:\d\d/).waitFor();
    expect([await summed(page).textContent(), await rowOf(page, "fix the flaky login test").isVisible()]).toEqual([words, true]);
    spoil(/^\/api\/runs\/\?/, undefined);
    spoil(/^\/api\/usage\?/, undefined);
    await strip(page).getByRole("button", { name: "Look again" }).click();
    await strip(page).getByText(/not refreshed/).waitFor({ state: "hidden" });
    await page.clock.runFor(10_000);
    await trouble(page, /Rows as of/).waitFor({ state: "hidden" });
  });
});

describe("the daemon itself", () => {
  it("that wants its token is asked once, by the page and not by each part", async () => {
    const token = "a-token-of-the-browser-tests-0123456789";
    const guarded = await studioWith({ token });
    const { page, expectProblems } = await open();
    expectProblems(/401/);
    await page.goto(guarded.url);
    await page.getByRole("form", { name: "Token" }).waitFor();
    await strip(page).getByText("Studio wants its token.").waitFor();
    expect(await strip(page).getByRole("button", { name: "Look again" }).count()).toBe(0);
    await page.getByLabel(/podium studio token prints it/).fill(token);
    await page.keyboard.press("Enter");
    await listed(page);
    await summed(page).waitFor();
  });

  it("whose store is a server's says that it cannot read it, and what to do", async () => {
    const remote = await studioWith({ home: newHome("remote"), store: "postgresql://127.0.0.1:1/sessions" });
    const { page, expectProblems } = await open();
    expectProblems(/501/);
    await page.goto(remote.url);
    await trouble(page, /postgresql-backed.*Name a file in store\.path/).waitFor();
    await strip(page).getByText(/api\/usage cannot answer.*postgresql-backed/).waitFor();
    expect(await strip(page).getByRole("button", { name: "Look again" }).count()).toBe(0);
    expect(await faults(page)).toEqual([]);
  });

  it("whose store is no store says which file it is, and is followed when it was replaced", async () => {
    const home = newHome("damaged");
    writeFileSync(path.join(home, "state.db"), "not a store");
    const damaged = await studioWith({ home });
    const { page, expectProblems } = await open();
    expectProblems(/503/);
    await page.goto(damaged.url);
    await trouble(page, /not a podium store: it is not an SQLite file/).waitFor();
    await strip(page).getByText(/not an SQLite file/).waitFor();
    rmSync(path.join(home, "state.db"));
    await list(page).getByText("No sessions yet").waitFor();
    await strip(page).getByRole("button", { name: "Look again" }).click();
    await strip(page).getByText("0 sessions · nothing spent").waitFor();
    await strip(page).getByText(/Nothing in the last 30 days/).waitFor();
  });

  it("that stops leaves what was read, says so where more is asked for, and is followed when it is back", async () => {
    const one = await startStudio();
    onTestFinished(one.stop);
    const { page, expectProblems } = await open();
    expectProblems(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
    await page.goto(one.url);
    await listed(page);
    await summed(page).waitFor();
    const words = await summed(page).textContent();
    await one.stop();
    await strip(page).getByRole("button", { name: "projects" }).click();
    await strip(page).getByText("Studio does not answer.").waitFor();
    await trouble(page, /Studio does not answer\. Rows as of/).waitFor();
    expect(await summed(page).textContent()).toBe(words);
    const back = await studioWith({ port: one.port });
    expect(back.port).toBe(one.port);
    await strip(page).getByRole("button", { name: "shop" }).waitFor();
    await trouble(page, /Rows as of/).waitFor({ state: "hidden" });
  });
});

describe("names, projects and tags that are against the page", () => {
  let against: Studio;
  beforeAll(async () => {
    const home = newHome("against");
    execFileSync(inject("seed"), ["-hostile", "-store", path.join(home, "state.db")], { stdio: "inherit" });
    against = await startStudio({ home });
  });
  afterAll(() => against.stop());

  /** Nothing foreign became an element or ran, and the page kept its shape. */
  async function unharmed(page: Page): Promise<void> {
    expect(await page.title()).not.toContain("owned");
    expect(await page.locator("#root img, #root script, #root iframe, #root object, #root svg[onload], #root [onerror]").count()).toBe(0);
    expect(await page.locator('#root a[href^="javascript:"]').count()).toBe(0);
    const { width } = page.viewportSize() ?? { width: 0 };
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    for (const box of await rowsOf(page).evaluateAll((rows) => rows.map((r) => r.getBoundingClientRect().height))) expect(box).toBe(32);
  }

  it.each([
    ["wide", {}],
    ["narrow", { viewport: { width: 400, height: 900 } }],
  ] as const)("are text in list and overview, and move nothing: %s", async (_, options) => {
    const { page } = await open(options);
    await page.addInitScript(() => localStorage.setItem("podium.overview", "open"));
    await page.goto(against.url);
    await listed(page);
    await rowOf(page, /^<img src=x onerror=/).first().waitFor();
    await unharmed(page);
    // 100 KB of a name are not read to the end, by nobody.
    const names = await page.locator(".run-name").allTextContents();
    expect(Math.max(...names.map((n) => n.length))).toBeLessThan(400);
    // A name without anything to see is called by its id.
    expect(names.filter((n) => !/[\p{L}\p{N}]/u.test(n))).toEqual([]);
    // Marks that turn the reading end with the name that has them.
    const turned = page.locator(".run-row", { hasText: "eman lavirra" });
    expect(await turned.locator("bdi.run-name").count()).toBe(1);
    const order = await turned.evaluate((row) => [...row.querySelectorAll("svg, .run-name, .run-age, .run-cost")].map((c) => c.getBoundingClientRect().left));
    expect(order).toEqual(order.toSorted((a, b) => a - b));

    for (const by of ["projects", "models"]) {
      await strip(page).getByRole("button", { name: by, exact: true }).click();
      const sums = strip(page).getByRole("list", { name: `Spend by ${by.slice(0, -1)}` });
      await sums.waitFor();
      for (const box of await sums.getByRole("listitem").evaluateAll((rows) => rows.map((r) => r.getBoundingClientRect().height))) expect(box).toBe(24);
      await unharmed(page);
      await strip(page).getByRole("button", { name: "as a table" }).click();
      await strip(page).getByRole("table").waitFor();
      await unharmed(page);
      await strip(page).getByRole("button", { name: "as a table" }).click();
    }
    expect(await faults(page)).toEqual([]);
  }, 120_000);

  it("filter as they are: a project of markup, one of 100 KB cut by nobody", async () => {
    const { page } = await open();
    await page.goto(against.url);
    await listed(page);
    await strip(page).getByRole("button", { name: "projects" }).click();
    await strip(page).getByRole("button", { name: /^<img src=x/ }).click();
    await list(page).getByText("2 sessions", { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("project")).toContain("onerror=");
    await unharmed(page);
    await page.reload();
    await list(page).getByText("2 sessions", { exact: true }).waitFor();
    await unharmed(page);
    await strip(page).getByRole("button", { name: /^\(a project with an invisible name\)/ }).click();
    await list(page).getByText("1 session", { exact: true }).waitFor();
    await unharmed(page);
  });

  it("stay text as a filter's chip and in a session", async () => {
    const { page } = await open();
    const trap = `<img src=x onerror="document.title='owned'">`;
    await page.goto(`${against.url}?${new URLSearchParams({ tag: trap, playbook: trap, q: trap }).toString()}`);
    await page.getByRole("button", { name: `Remove filter tag ${trap}` }).waitFor();
    await page.getByText("No session matches").waitFor();
    expect(await page.locator("#root img, #root script").count()).toBe(0);
    await page.goto(against.url);
    await rowOf(page, /^<img src=x/).first().click();
    await page.getByRole("region", { name: "Session", exact: true }).getByRole("heading").first().waitFor();
    expect(await page.locator("#root img, #root script, #root svg[onload]").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1440);
  });

  it("never run in what a tool printed", async () => {
    const { page } = await open();
    await page.goto(`${studio.url}?q=onerror`);
    await rowOf(page, /onerror/).click();
    await page.getByText("[image: a picture]").waitFor();
    for (const summary of await page.locator("details > summary").all()) await summary.click();
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator("#root img, #root script, #root iframe").count()).toBe(0);
  });
});
