import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { rowOf, useBrowser, type Opened } from "./browser";
import { startStudio, type Studio } from "./studio";

const { open } = useBrowser();
let studio: Studio;
let home: string;
beforeAll(async () => {
  // A home of its own: a session grows here.
  home = mkdtempSync(path.join(tmpdir(), "podium-e2e-session-"));
  cpSync(inject("home"), home, { recursive: true });
  studio = await startStudio({ home });
});
afterAll(async () => {
  await studio.stop();
  rmSync(home, { recursive: true });
});

/** Opens the newest session of a name. */
async function read(name: string, options = {}): Promise<Opened> {
  const opened = await open(options);
  await opened.page.goto(`${studio.url}?q=${encodeURIComponent(name)}`);
  await rowOf(opened.page, name).first().click();
  await opened.page.getByRole("heading", { level: 2, name }).waitFor();
  return opened;
}

const conversation = (page: Page) => page.getByRole("region", { name: "Conversation" });
const tools = (page: Page) => conversation(page).locator("details.tool");

describe("a conversation", () => {
  it("is read from its beginning when it is over", async () => {
    const { page } = await read("fix the flaky login test");
    await page.getByRole("cell", { name: "1 failure in 40 runs" }).waitFor();
    expect(await conversation(page).evaluate((e) => e.scrollTop)).toBe(0);
    expect(await page.locator(".who").allTextContents()).toEqual(["ada", "agent", "agent", "agent", "ada", "agent"]);
    expect((await tools(page).locator("summary").allInnerTexts()).map((t) => t.replace(/\s+/g, " "))).toEqual([
      "Read …/login/login_test.go 80 ms 32 lines",
      "Bash go test ./login -run Flaky -count 40 4.2 s exit 1",
      "Edit …/login/login_test.go 30 ms done",
      "Bash go test ./login -count 200 9.1 s exit 0",
      "Grep time\\.Now\\(\\) 0.1 s 2 lines",
    ]);
  });

  it("opens a call to what went in and came out, and an edit as a change", async () => {
    const { page } = await read("fix the flaky login test");
    await tools(page).nth(1).locator("summary").click();
    await page.getByLabel("Output").filter({ hasText: "--- FAIL: TestLogin_Flaky" }).waitFor();
    await tools(page).nth(2).locator("summary").focus();
    await page.keyboard.press("Enter");
    const change = page.getByLabel("Change");
    await change.locator("[data-sign]").first().waitFor();
    expect(await change.locator('[data-sign="-"]').count()).toBe(1);
    expect(await change.locator('[data-sign="+"]').count()).toBe(3);
  });

  it("has lines of at most 78 characters", async () => {
    const { page } = await read("fix the flaky login test", { viewport: { width: 1900, height: 900 } });
    await page.getByText("The clock is read twice").waitFor();
    const characters = await page.locator(".words").evaluateAll((all) =>
      all.map((e) => {
        const probe = document.createElement("span");
        probe.textContent = "0".repeat(100);
        probe.style.whiteSpace = "nowrap";
        e.append(probe);
        const one = probe.getBoundingClientRect().width / 100;
        probe.remove();
        return e.getBoundingClientRect().width / one;
      }),
    );
    expect(Math.max(...characters)).toBeLessThanOrEqual(78.1);
  });

  it("goes back to its first entry, and pairs every call with its result on the way", async () => {
    const { page } = await read("watch the deploy of every service");
    await page.getByText("Check 300 of 300").waitFor();
    expect(await conversation(page).evaluate((e) => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight))).toBeLessThan(48);
    const first = page.getByText("watch the deploy of every service and tell me what changes");
    const seen = new Set<string>();
    for (let steps = 0; (await first.count()) === 0; steps++) {
      expect(steps).toBeLessThan(200);
      for (const text of await tools(page).locator("summary").allInnerTexts()) seen.add(text.replace(/\s+/g, " "));
      await conversation(page).evaluate((e) => e.scrollBy(0, -e.clientHeight));
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }
    for (const text of await tools(page).locator("summary").allInnerTexts()) seen.add(text.replace(/\s+/g, " "));
    expect([...seen].filter((text) => text.endsWith("exit 0")).length).toBe(300);
  });

  it("grows while it is read, and stays where the reader is", async () => {
    const { page } = await read("review the discount codes", { viewport: { width: 1200, height: 420 } });
    await tools(page).getByText("running").waitFor();
    const say = (text: string) => execFileSync(inject("seed"), ["-store", path.join(home, "state.db"), "-say", text]);
    say("Everything that applies a discount is in one file.");
    await page.getByText("in one file").waitFor();
    for (let i = 0; i < 8; i++) say(`Finding ${i}: a code may be negative.\n\nIt should be refused.`);
    await page.getByText("Finding 7").waitFor();
    const gap = () => conversation(page).evaluate((e) => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight));
    await expect.poll(gap).toBeLessThan(48);
    await conversation(page).evaluate((e) => (e.scrollTop = 0));
    say("Finding 8: the last one.");
    await page.getByRole("button", { name: "New entries below" }).click();
    await page.getByText("Finding 8").waitFor();
    expect(await gap()).toBeLessThan(48);
  });

  it("says how a run failed", async () => {
    const { page } = await read("import the spring atlas");
    await page.getByText("the run failed: the provider answered 529 five times; the last answer was: overloaded").waitFor();
    await page.getByText("The disk is 91 % full.").waitFor();
  });

  it("leads from a compacted session to the next and back", async () => {
    const { page } = await open();
    await page.goto(`${studio.url}?q=${encodeURIComponent("move the ledger")}`);
    await rowOf(page, "move the ledger to decimal amounts").nth(1).click();
    const old = new URL(page.url()).searchParams.get("s");
    await conversation(page).getByText("compacted: 182k to 21k tokens, $0.05, continues in").getByRole("link").click();
    await page.getByText("compacted: 182k to 21k tokens, $0.05, continues").waitFor();
    await page.getByText("Continuing with").waitFor();
    expect(await page.getByText("compacted from").getByRole("link").textContent()).toBe(old?.slice(-8));
    expect(new URL(page.url()).searchParams.get("s")).not.toBe(old);
    await page.getByText("compacted: 182k").getByRole("link").click();
    await expect.poll(() => new URL(page.url()).searchParams.get("s")).toBe(old);
  });
});

describe("foreign text", () => {
  it("is shown and never executed, and does not bend the page", async () => {
    const { page } = await open({ viewport: { width: 1000, height: 700 } });
    await page.goto(`${studio.url}?q=onerror`);
    await rowOf(page, /onerror/).click();
    await page.getByText("[image: a picture]").waitFor();
    await tools(page).locator("summary").click();
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator(".session-pane img, .session-pane script, .session-pane b").count()).toBe(0);
    expect(await conversation(page).getByRole("link").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1000);
    expect(await conversation(page).evaluate((e) => e.scrollWidth - e.clientWidth)).toBeLessThanOrEqual(0);
  });
});

describe("a session", () => {
  it("can be kept as a file, whole", async () => {
    const { page } = await read("watch the deploy of every service");
    const kept = page.waitForEvent("download");
    await page.getByRole("button", { name: "Actions", exact: true }).click();
    await page.getByRole("button", { name: "Export JSON Lines" }).click();
    const file = await kept;
    expect(file.suggestedFilename()).toMatch(/^[0-9a-f-]{36}\.jsonl$/);
    const lines = readFileSync(await file.path(), "utf8").trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(900);
    expect(lines.every((line) => typeof JSON.parse(line) === "object")).toBe(true);
  });

  it("gives its id to the clipboard", async () => {
    const { page } = await read("fix the flaky login test", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Copy id" }).click();
    await page.getByText("copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(new URL(page.url()).searchParams.get("s"));
  });

  it("that is gone is said to be, with its id", async () => {
    const { page, expectProblems } = await open();
    expectProblems(/404/);
    await page.goto(`${studio.url}?s=0192f0e8-0000-7000-8000-000000000000`);
    await page.getByRole("heading", { name: "No such session" }).waitFor();
    await page.getByText("0192f0e8-0000-7000-8000-000000000000").waitFor();
  });

  it("that is only a row says so", async () => {
    const { page } = await open();
    await page.goto(`${studio.url}?q=${encodeURIComponent("nightly import")}`);
    await rowOf(page, /nightly import/).first().click();
    await page.getByText("This session has a row in the list and no conversation.").waitFor();
  });
});
