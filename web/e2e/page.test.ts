import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults, listed, rowOf, useBrowser } from "./browser";
import { startStudio, type Studio } from "./studio";

const { open } = useBrowser();
let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

describe("the page", () => {
  it("comes with the whole content policy", async () => {
    const { page } = await open();
    const answer = await page.goto(studio.url);
    const headers = answer?.headers() ?? {};
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect([headers["x-content-type-options"], headers["referrer-policy"], headers["cross-origin-resource-policy"]]).toEqual(["nosniff", "no-referrer", "same-origin"]);
  });

  it("says that a part of another build did not come, and gets the new build without losing its place", async () => {
    const { page, expectProblems } = await open();
    expectProblems(/404/);
    let old = true;
    await page.route("**/assets/Opened-*.js", (route) => (old ? route.fulfill({ status: 404, body: "not found" }) : route.continue()));
    await page.goto(`${studio.url}?q=flaky`);
    await rowOf(page, "fix the flaky login test").first().click();
    const told = page.getByRole("alert").filter({ hasText: "This part of the page did not come" });
    await told.waitFor();
    expect(await faults(page)).toEqual([]);
    const at = page.url();
    page.once("framenavigated", () => (old = false));
    await told.getByRole("button", { name: "Load the page again" }).click();
    await page.getByRole("heading", { level: 2, name: "fix the flaky login test" }).waitFor();
    expect(page.url()).toBe(at);
    expect(await page.getByRole("searchbox", { name: "Search" }).first().inputValue()).toBe("flaky");
  });

  it("opens a session at once, with nothing of its own in between", async () => {
    const { page } = await open();
    await page.goto(studio.url);
    await listed(page);
    await page.waitForFunction(() => performance.getEntriesByType("resource").some((e) => e.name.includes("/assets/Markdown-")));
    // What is asked for a session does not come, so that what is drawn first stays.
    await page.route("**/api/runs/*", () => undefined);
    const drawn = await rowOf(page, /./).first().evaluate(async (row: HTMLElement) => {
      const seen: string[] = [];
      const pane = document.querySelector(".session-pane") as Element;
      new MutationObserver(() => seen.push(pane.innerHTML)).observe(pane, { childList: true, subtree: true });
      row.click();
      for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
      return seen.length;
    });
    expect(drawn).toBe(1);
    await page.getByLabel("Loading the session").waitFor();
  });

  it("needs at most 130 kB of script, compressed, to show its list", async () => {
    const { gzipSync } = await import("node:zlib");
    const { page } = await open();
    const html = await (await page.goto(studio.url))?.text();
    const sources = [...(html ?? "").matchAll(/<script[^>]* src="([^"]+)"/g)].map((m) => m[1] ?? "");
    expect(sources.length).toBeGreaterThan(0);
    let bytes = 0;
    for (const src of sources) bytes += gzipSync(await (await page.request.get(new URL(src, studio.url).href)).body()).length;
    expect(bytes).toBeLessThan(130_000);
  });

  it("would fail these tests if its style or script broke the policy", async () => {
    const { page, problems } = await open();
    await page.goto(studio.url);
    await listed(page);
    expect(problems).toEqual([]);
    await page.evaluate(() => {
      document.body.setAttribute("style", "color: red");
      const script = document.createElement("script");
      script.textContent = "document.title = 'inline'";
      document.body.append(script);
    });
    await expect.poll(() => problems.filter((p) => p.startsWith("policy: ")).length).toBe(2);
    expect(await page.title()).toBe("Podium");
    problems.length = 0;
  });
});

describe("a checker of accessibility finds nothing", () => {
  it.each([
    ["light, wide", {}],
    ["dark, narrow", { colorScheme: "dark", viewport: { width: 400, height: 800 } }],
  ] as const)("%s", async (_, options) => {
    const { page } = await open(options);
    await page.goto(studio.url);
    await listed(page);
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await rowOf(page, "fix the flaky login test").click();
    await page.getByText("Fixed. The test now runs").waitFor();
    for (const summary of await page.locator("details > summary").all()) await summary.click();
    expect(await faults(page)).toEqual([]);

    await page.goto(`${studio.url}?q=onerror`);
    await rowOf(page, /onerror/).click();
    await page.getByText("[image: a picture]").waitFor();
    expect(await faults(page)).toEqual([]);

    await page.goto(`${studio.url}?q=nothing-like-this&tag=docs`);
    await page.getByText("No session matches").waitFor();
    expect(await faults(page)).toEqual([]);
  }, 240_000);

  it("while it asks for the token", async () => {
    const guarded = await startStudio({ token: "a-token-of-the-browser-tests-0123456789" });
    try {
      const { page, expectProblems } = await open();
      expectProblems(/401/);
      await page.goto(guarded.url);
      await page.getByRole("form", { name: "Token" }).waitFor();
      expect(await faults(page)).toEqual([]);
    } finally {
      await guarded.stop();
    }
  });
});
