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

  it("needs at most 150 kB of script, compressed, to show its list", async () => {
    const { gzipSync } = await import("node:zlib");
    const { page } = await open();
    const html = await (await page.goto(studio.url))?.text();
    const sources = [...(html ?? "").matchAll(/<script[^>]* src="([^"]+)"/g)].map((m) => m[1] ?? "");
    expect(sources.length).toBeGreaterThan(0);
    let bytes = 0;
    for (const src of sources) bytes += gzipSync(await (await page.request.get(new URL(src, studio.url).href)).body()).length;
    expect(bytes).toBeLessThan(150_000);
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
