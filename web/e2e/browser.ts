import { accessSync, constants } from "node:fs";
import path from "node:path";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

/** Where Chromium is: $CHROMIUM, else the usual names on the path. */
function findChromium(): string {
  const named = process.env["CHROMIUM"];
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const usual = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) => ["/usr/bin", ...folders].map((dir) => path.join(dir, name)));
  for (const file of named === undefined ? usual : [named]) {
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The next one.
    }
  }
  throw new Error(
    named === undefined
      ? "The browser tests need Chromium and found none: install it (apt-get install chromium) or name it in CHROMIUM."
      : `CHROMIUM names ${named}, which is not a program that can be run.`,
  );
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
    ],
  });
}

/** What went wrong in a page that no test asked for. */
export interface Watch {
  problems: string[];
  /** Problems of this kind are part of the test. */
  expectProblems: (pattern: RegExp) => void;
}

export interface Opened extends Watch {
  page: Page;
  context: BrowserContext;
}

/**
 * One browser for a file of tests; open gives a page in a fresh profile. After
 * each test a page with an unexpected problem fails it: a violation of the
 * content policy, an error in the console or of the page, a request that
 * leaves the origin.
 */
export function useBrowser(): { open: (options?: BrowserContextOptions) => Promise<Opened> } {
  let browser: Browser;
  let opened: Opened[] = [];
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const problems = opened.flatMap((o) => o.problems);
    for (const o of opened) await o.context.close();
    opened = [];
    expect(problems).toEqual([]);
  });
  return {
    open: async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: "UTC", ...options });
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      const one = { page, context, ...(await watch(page)) };
      opened.push(one);
      return one;
    },
  };
}

async function watch(page: Page): Promise<Watch> {
  const all: string[] = [];
  const expected: RegExp[] = [];
  const note = (text: string) => {
    if (!expected.some((pattern) => pattern.test(text))) all.push(text);
  };
  page.on("console", (m) => {
    if (m.type() === "error" || m.type() === "warning") note(`console: ${m.text()}`);
  });
  page.on("pageerror", (e) => note(`page: ${e.message}`));
  page.on("dialog", (d) => {
    note(`dialog: ${d.message()}`);
    void d.dismiss();
  });
  let origin: string | null = null;
  page.on("request", (r) => {
    const url = new URL(r.url());
    if (url.protocol === "blob:" || url.protocol === "data:") return;
    origin ??= url.origin;
    if (url.origin !== origin) note(`request: ${r.url()}`);
  });
  await page.exposeFunction("noteViolation", (text: string) => note(`policy: ${text}`));
  await page.addInitScript(() => {
    const report = (globalThis as unknown as { noteViolation: (text: string) => void }).noteViolation;
    document.addEventListener("securitypolicyviolation", (e) => report(`${e.effectiveDirective} ${e.blockedURI} ${e.sample}`));
  });
  return {
    problems: all,
    expectProblems: (pattern) => {
      expected.push(pattern);
      all.splice(0, all.length, ...all.filter((text) => !pattern.test(text)));
    },
  };
}

/** What a checker of accessibility finds wrong with a page, in short. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}: ${n.failureSummary ?? ""}`));
}

/** Counts how much of the page moved by itself, from its first paint on; asked before it is opened. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const seen = globalThis as unknown as { shifted: number };
    seen.shifted = 0;
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) seen.shifted += (e as unknown as { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { shifted: number }).shifted);
}

/** Rows that stand in the document. */
export function rowsOf(page: Page) {
  return page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
}

/** The row of a session by its name. */
export function rowOf(page: Page, name: string | RegExp) {
  return page.getByRole("list", { name: "Sessions" }).getByRole("link", { name });
}

/** Waits until the list says how many sessions it has. */
export async function listed(page: Page): Promise<void> {
  await page.getByText(/^[\d,]+ sessions?$/).waitFor();
}
