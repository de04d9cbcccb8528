import { execFileSync } from "node:child_process";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { faults, listed, rowOf, useBrowser, watchShifts } from "./browser";
import { startStudio, type Studio } from "./studio";

const { open } = useBrowser();
let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

const narrow: BrowserContextOptions = { viewport: { width: 400, height: 800 } };

const strip = (page: Page) => page.getByRole("region", { name: "The last 30 days", exact: true });
const line = (page: Page) => strip(page).getByText(/^[≥ \d,]+ sessions? · /);
const height = (page: Page) => strip(page).evaluate((e) => e.getBoundingClientRect().height);

async function overview(options: BrowserContextOptions = {}, query = ""): Promise<Page> {
  const { page } = await open(options);
  await page.goto(studio.url + query);
  await listed(page);
  await line(page).waitFor();
  return page;
}

interface Sum {
  key: string | null;
  sessions: number;
  priced_usd: number;
  priced_n: number;
  unpriced_n: number;
}

/** What Studio sums up; days of UTC. */
async function sums(by: string): Promise<{ since: number; groups: Sum[] }> {
  return (await (await fetch(`${studio.url}api/usage?days=30&by=${by}`)).json()) as { since: number; groups: Sum[] };
}

/** What the command line lists: every session, one a line. */
function sessions(): { started_at: number; updated_at: number; cost_usd: number | null }[] {
  const home = inject("home");
  const text = execFileSync(inject("podium"), ["sessions", "list", "--all", "--json"], { env: { PODIUM_HOME: home, HOME: home, PATH: process.env["PATH"] ?? "" }, maxBuffer: 1 << 28, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return text.trim().split("\n").map((row) => JSON.parse(row) as ReturnType<typeof sessions>[number]);
}

const dollars = (usd: number) => `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

describe("the overview", () => {
  it("says what podium reports for the store, in its line, its days, projects and models", async () => {
    const { since } = await sums("day");
    const all = sessions();
    const began = all.filter((s) => s.started_at >= since).length;
    const spent = all.filter((s) => s.updated_at >= since).reduce((usd, s) => usd + (s.cost_usd ?? 0), 0);
    expect(began).toBeGreaterThan(1_000);

    const page = await overview();
    const models = (await sums("model")).groups;
    const of = (part: (g: Sum) => number) => models.reduce((n, g) => n + part(g), 0);
    const share = of((g) => g.unpriced_n) / of((g) => g.priced_n + g.unpriced_n);
    expect(await line(page).textContent()).toBe(`${began.toLocaleString("en-US")} sessions · ≥ ${dollars(spent)}, ${Math.round(share * 100)} % unpriced`);

    await strip(page).getByRole("button", { name: "as a table" }).click();
    for (const by of ["days", "projects", "models"]) {
      await strip(page).getByRole("button", { name: by, exact: true }).click();
      const table = strip(page).getByRole("table", { name: `by ${by.slice(0, -1)}` });
      await table.waitFor();
      const cells = await table.locator("tbody tr").evaluateAll((rows) => rows.map((r) => [...r.querySelectorAll("td")].map((c) => Number((c.textContent ?? "").split(" of ")[0]?.replace(/[^\d.]/g, "")))));
      const column = (i: number) => cells.reduce((n, row) => n + (row[i] ?? 0), 0);
      expect([by, column(0), column(2)]).toEqual([by, began, of((g) => g.unpriced_n)]);
      // Every row was rounded to cents.
      expect(Math.abs(column(1) - spent)).toBeLessThan(0.005 * cells.length + 0.005);
      expect(await table.locator("tfoot td").allTextContents()).toEqual([
        began.toLocaleString("en-US"), `≥ ${dollars(spent)}`, `${of((g) => g.unpriced_n).toLocaleString("en-US")} of ${of((g) => g.priced_n + g.unpriced_n).toLocaleString("en-US")}`,
      ]);
    }
  });

  it("draws a bar a day, and hatches what has no price without breaking the content policy", async () => {
    const page = await overview();
    const days = (await sums("day")).groups;
    const plot = strip(page).getByRole("img");
    expect(await plot.locator(".plot-sessions").count()).toBe(days.filter((d) => d.sessions > 0).length);
    expect(await plot.locator(".plot-spend").count()).toBe(days.filter((d) => d.priced_n > 0).length);
    const hatched = await plot.locator(".plot-unpriced").evaluateAll((bars) => bars.map((b) => getComputedStyle(b).fill));
    expect(hatched.length).toBe(days.filter((d) => d.unpriced_n > 0).length);
    const [fill = ""] = hatched;
    expect(await page.evaluate((id) => document.getElementById(id)?.tagName, /#([^"]+)"/.exec(fill)?.[1] ?? "")).toBe("pattern");
    expect(await plot.evaluate((e) => [...e.querySelectorAll("[style]")].length)).toBe(0);
  });

  it("lists a project's sessions, and all again, by keys alone", async () => {
    const page = await overview();
    await strip(page).getByRole("button", { name: "projects" }).focus();
    await page.keyboard.press("Enter");
    const atlas = strip(page).getByRole("button", { name: "atlas" });
    await atlas.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).search).toBe("?project=atlas");
    await rowOf(page, "import the spring atlas").waitFor();
    expect(await atlas.getAttribute("aria-pressed")).toBe("true");
    expect(await page.getByLabel("project", { exact: true }).inputValue()).toBe("atlas");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).search).toBe("");
  });

  it("stays as it was folded, over a reload", async () => {
    const page = await overview();
    const fold = strip(page).getByRole("button", { name: "30 days" });
    await fold.click();
    expect(await strip(page).getByRole("img").count()).toBe(0);
    await page.reload();
    await line(page).waitFor();
    expect([await fold.getAttribute("aria-expanded"), await height(page)]).toEqual(["false", 37]);
  });

  it("is folded in a small window, and fits when it is unfolded", async () => {
    const page = await overview(narrow);
    const fold = strip(page).getByRole("button", { name: "30 days" });
    expect(await fold.getAttribute("aria-expanded")).toBe("false");
    expect(await line(page).evaluate((e) => e.scrollWidth <= e.clientWidth)).toBe(true);
    await fold.click();
    for (const by of ["projects", "models", "days"]) {
      await strip(page).getByRole("button", { name: by, exact: true }).click();
      await strip(page).getByLabel(by === "days" ? /^The last/ : `Spend by ${by.slice(0, -1)}`).last().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    }
  });

  it.each([
    ["light, wide", { colorScheme: "light" }],
    ["dark, narrow", { colorScheme: "dark", ...narrow }],
  ] as const)("has no fault of accessibility: %s", async (_, options) => {
    const page = await overview(options);
    if ((await strip(page).getByRole("button", { name: "30 days" }).getAttribute("aria-expanded")) === "false") await strip(page).getByRole("button", { name: "30 days" }).click();
    expect(await faults(page)).toEqual([]);
    await strip(page).getByRole("button", { name: "projects" }).click();
    await strip(page).getByRole("button", { name: "shop" }).waitFor();
    expect(await faults(page)).toEqual([]);
    await strip(page).getByRole("button", { name: "as a table" }).click();
    await strip(page).getByRole("table").waitFor();
    expect(await faults(page)).toEqual([]);
  }, 240_000);
});

describe("nothing moves", () => {
  it.each([
    ["wide", {}],
    ["narrow, folded", narrow],
  ] as const)("when the overview arrives after the list: %s", async (_, options) => {
    const { page } = await open(options);
    let arrive = () => {};
    const late = new Promise<void>((resolve) => (arrive = resolve));
    await page.route("**/api/usage?*", async (route) => {
      await late;
      await route.continue();
    });
    const shifted = await watchShifts(page);
    await page.goto(studio.url);
    await listed(page);
    await rowOf(page, "fix the flaky login test").waitFor();
    const frames = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await frames();
    const [before, moved] = [await height(page), await shifted()];
    arrive();
    await line(page).waitFor();
    expect(await height(page)).toBe(before);
    // Shifts are reported a frame after they are drawn.
    await frames();
    expect(moved).toBeLessThan(0.01);
    expect((await shifted()) - moved).toBe(0);
  });

  it("when it is looked at in another way", async () => {
    const page = await overview();
    const before = await height(page);
    for (const name of ["as a table", "projects", "models", "as a table", "projects", "days"]) {
      await strip(page).getByRole("button", { name, exact: true }).click();
      expect([name, await height(page)]).toEqual([name, before]);
    }
  });
});

describe("dates are those of the viewer's zone", () => {
  it.each(["Asia/Tokyo", "America/Los_Angeles"])("%s", async (timezoneId) => {
    const { page } = await open({ timezoneId });
    const asked = page.waitForRequest(/\/api\/usage\?/);
    await page.goto(studio.url);
    expect(new URL((await asked).url()).searchParams.get("tz")).toBe(timezoneId);
    await line(page).waitFor();
    await strip(page).getByRole("button", { name: "as a table" }).click();
    const day = (at: Date) => at.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: timezoneId }).replace(",", "");
    // The test itself may run over a midnight.
    const before = day(new Date());
    const newest = await strip(page).getByRole("rowheader").first().textContent();
    expect([before, day(new Date())]).toContain(newest);

    // The row's title says the moment of its last activity.
    const api = (await (await fetch(`${studio.url}api/runs/?search=import%20the%20spring%20atlas`)).json()) as { runs: { last_message_at: number; ended_at: number | null }[] };
    const moment = (at: number) =>
      new Date(at * 1000).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone: timezoneId });
    const run = api.runs[0];
    const title = await rowOf(page, "import the spring atlas").locator(".run-age").getAttribute("title");
    expect([moment(run?.last_message_at ?? 0), moment(run?.ended_at ?? 0)]).toContain(title);
  });

  it("and each session began on its day there", async () => {
    const all = sessions();
    for (const timeZone of ["Asia/Tokyo", "America/Los_Angeles", "Asia/Kathmandu"]) {
      const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
      const began = new Map<string, number>();
      for (const s of all) began.set(day.format(s.started_at * 1000), (began.get(day.format(s.started_at * 1000)) ?? 0) + 1);
      const { groups } = (await (await fetch(`${studio.url}api/usage?days=30&tz=${timeZone}`)).json()) as { groups: Sum[] };
      expect(groups).toHaveLength(30);
      expect(groups.map((g) => [g.key, g.sessions])).toEqual(groups.map((g) => [g.key, began.get(g.key ?? "") ?? 0]));
    }
  });
});
