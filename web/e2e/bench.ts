import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useBrowser } from "./browser";
import { conversation, drawn, manyEntries, position, slots, startLongStudio, type LongStudio } from "./long";

const { open } = useBrowser();
let studio: LongStudio;
beforeAll(async () => {
  studio = await startLongStudio();
});
afterAll(() => studio.stop());

/** How often each thing is measured. */
const rounds = 15;

const dist = path.resolve(import.meta.dirname, "../dist");

it("what a session of 50,000 entries costs a browser", async () => {
  const id = await studio.idOf("walk through every service");
  const address = `${studio.url}?s=${id}`;
  const table: [string, string][] = [["script of the first load, gzip", kilobytes(firstLoad())]];

  const paints: number[] = [];
  const opens: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const { page, context } = await open();
    await page.goto(address);
    await page.getByText("This is the newest of many.").waitFor();
    await drawn(page);
    opens.push(await page.evaluate(() => performance.now()));
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN));
    await context.close();
  }
  table.push(["first paint", milliseconds(paints)], ["newest window read and drawn, from the start of the page", milliseconds(opens)]);

  const { page, context } = await open();
  const cdp = await context.newCDPSession(page);
  await page.goto(address);
  await page.getByText("This is the newest of many.").waitFor();
  const atOpen = await memory(cdp);

  const renders: number[] = [];
  for (let i = 0; i < rounds; i++) renders.push(await jump(page, (i * 0.61803) % 1));
  table.push(["a window anywhere: from its answer to the frame that shows it", milliseconds(renders)]);

  const frames = await scroll(page);
  table.push(["a frame while scrolling through windows", milliseconds(frames)]);

  const after = await memory(cdp);
  table.push(
    ["script memory when it is open", megabytes(atOpen.heap)],
    [`the same after ${rounds} jumps and the scrolling`, megabytes(after.heap)],
    ["elements in the document, open and after that", `${atOpen.elements}, ${after.elements}`],
  );

  const width = Math.max(...table.map(([what]) => what.length));
  process.stdout.write(`\n${manyEntries} entries, median (worst) of ${rounds} where both stand\n`);
  for (const [what, value] of table) process.stdout.write(`  ${what.padEnd(width)}  ${value}\n`);
  expect(await slots(page).count()).toBeLessThanOrEqual(120);
});

/** Bytes of the script that the page needs to begin, compressed. */
function firstLoad(): number {
  const html = readFileSync(path.join(dist, "index.html"), "utf8");
  const names = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+\.js)"/g)].map((m) => m[1] ?? "");
  return names.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(dist, name))).length, 0);
}

/** Goes to a part of the log that is not held; ms from the answer to the frame that shows it. */
async function jump(page: Page, share: number): Promise<number> {
  return conversation(page).evaluate(async (pane, share) => {
    performance.clearResourceTimings();
    const key = () => document.querySelector<HTMLElement>(".slot")?.dataset["key"];
    const was = key();
    pane.scrollTop = (pane.scrollHeight - pane.clientHeight) * share;
    for (;;) {
      const now = await new Promise<number>((done) => requestAnimationFrame(done));
      const answers = performance.getEntriesByType("resource").filter((e) => e.name.includes("/entries?") && e.name.includes("from=")) as PerformanceResourceTiming[];
      const last = answers.at(-1);
      if (last !== undefined && last.responseEnd > 0 && key() !== was && document.querySelector(".position")?.textContent !== "loading") return now - last.responseEnd;
    }
  }, share);
}

/** Scrolls for a while and gives the time between frames, in ms. */
async function scroll(page: Page): Promise<number[]> {
  await position(page).waitFor();
  return conversation(page).evaluate(async (pane) => {
    const out: number[] = [];
    let before = await new Promise<number>((done) => requestAnimationFrame(done));
    for (let i = 0; i < 240; i++) {
      pane.scrollBy(0, -120);
      const now = await new Promise<number>((done) => requestAnimationFrame(done));
      out.push(now - before);
      before = now;
    }
    return out;
  });
}

async function memory(cdp: CDPSession): Promise<{ heap: number; elements: number }> {
  await cdp.send("Performance.enable");
  await cdp.send("HeapProfiler.collectGarbage");
  const { metrics } = await cdp.send("Performance.getMetrics");
  const heap = metrics.find((m) => m.name === "JSHeapUsedSize")?.value ?? Number.NaN;
  const { result } = await cdp.send("Runtime.evaluate", { expression: "document.querySelectorAll('*').length" });
  return { heap, elements: result.value as number };
}

function milliseconds(list: number[]): string {
  const sorted = list.toSorted((a, b) => a - b);
  return `${(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(0)} ms (${(sorted.at(-1) ?? Number.NaN).toFixed(0)} ms)`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1e3).toFixed(1)} kB`;
}
