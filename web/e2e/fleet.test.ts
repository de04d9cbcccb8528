import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faults, rowOf, useBrowser } from "./browser";
import { muster, type Crew } from "./pods";
import { startStudio, type Studio } from "./studio";

const { open } = useBrowser();
let crew: Crew;
let studio: Studio;
let token: string;
let n = 0;

beforeAll(async () => {
  crew = await muster();
  // The first pod makes the store.
  await crew.pod("early");
  studio = await startStudio({ home: crew.home });
  token = (await crew.podium("studio", "token")).trim();
});
afterAll(async () => {
  await studio.stop();
  await crew.disband();
});
afterEach(() => {
  n++;
});

/** A pod of this test, by a name that no other has. */
async function aPod(base: string, args: string[] = []) {
  const name = `${base}${n}`;
  const child = await crew.pod(name, { args });
  onTestFinished(() => void child.kill("SIGTERM"));
  return { name, child };
}

const row = (page: Page, name: string) => page.getByRole("region", { name: "Fleet" }).getByRole("link", { name });
const section = (page: Page, name: string) => page.getByRole("group", { name: "Sections" }).getByRole("button", { name: new RegExp(`^${name}`) });
const dock = (page: Page, name: string) => page.getByRole("region", { name: `Pod ${name}` });
const message = (page: Page) => page.getByRole("textbox", { name: /^(Message|Note) to pod/ });

/** The page with the token, as the printed link would leave it. */
async function signedIn(options = {}, path = "") {
  const opened = await open(options);
  await opened.context.addInitScript((t) => {
    if (window.origin !== "null") sessionStorage.setItem("podium.token", t);
  }, token);
  await opened.page.goto(studio.url + path);
  return opened;
}

describe("a pod", () => {
  it("appears when it starts, is said to run with its tool, and stands in the history", async () => {
    const { page } = await signedIn();
    await row(page, "early").waitFor();
    const { name } = await aPod("worker");
    await row(page, name).waitFor();
    await crew.podium("send", name, "wait for it");
    await row(page, name).getByText("running: Bash").waitFor();
    expect(await section(page, "running").innerText()).toMatch(/RUNNING [1-9]/i);
    await row(page, name).click();
    await dock(page, name).getByText("Bash").waitFor();
    await page.getByRole("region", { name: "Session", exact: true }).getByText("I wait.").waitFor();
    await crew.podium("cancel", name);
    await row(page, name).getByText("idle").waitFor();
  });

  it("that is paused waits for its person, and goes on from the page", async () => {
    const { page } = await signedIn();
    const { name } = await aPod("pauser");
    await crew.podium("send", name, "wait for it");
    await row(page, name).getByText("Bash").click();
    await dock(page, name).getByRole("button", { name: "Pause" }).click();
    await row(page, name).getByText("waits: paused").waitFor();
    // A stored row only knows that its session is held; so say its row and its head what the pod is at.
    await rowOf(page, /^wait for it.*waits/).first().waitFor();
    await page.locator(".session-head").getByText("waits").waitFor();
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe("/icon-waiting.svg");
    const first = await page.getByRole("region", { name: "Fleet" }).getByRole("link").first().innerText();
    expect(first).toContain("paused");
    await dock(page, name).getByRole("button", { name: "Resume" }).click();
    await row(page, name).getByText(/running|idle/).waitFor();
    await crew.podium("stop", name);
    await dock(page, name).getByText(`Pod ${name} ended.`).waitFor();
    await row(page, name).waitFor({ state: "hidden" });
  });

  it("is told something, which the conversation shows once the pod has it", async () => {
    const { page } = await signedIn();
    const { name } = await aPod("talker");
    await row(page, name).click();
    await message(page).fill("hello there");
    await page.keyboard.press("Enter");
    const session = page.getByRole("region", { name: "Session", exact: true });
    await session.getByText("Noted: hello there").waitFor();
    expect(await message(page).inputValue()).toBe("");
    expect(await page.locator(".said").allInnerTexts()).toEqual(["hello there"]);
    await message(page).fill("by the way");
    await dock(page, name).getByRole("button", { name: "Notify" }).click();
    await session.locator(".noticed", { hasText: "by the way" }).waitFor();
  });

  it("is said to answer while nothing of the answer is committed, below all that is", async () => {
    const { page } = await signedIn({ reducedMotion: "reduce" });
    const { name } = await aPod("thinker");
    await row(page, name).click();
    for (let i = 0; i < 12; i++) {
      await crew.podium("send", name, `line ${i}`);
      await page.getByText(`Noted: line ${i}`).waitFor();
    }
    await crew.podium("send", name, "think about it");
    const line = page.getByRole("region", { name: "Conversation" }).getByText(/^answering$/).locator("..");
    await line.waitFor();
    expect(await line.innerText()).toMatch(/^answering\s\d+s$/);
    expect(await page.getByText("Now I know.").count()).toBe(0);
    await page.locator(".said", { hasText: "think about it" }).waitFor();
    const room = await line.evaluate((e) => {
      const pane = e.closest(".conversation-pane") as HTMLElement;
      const last = [...pane.querySelectorAll(".slot")].at(-1) as HTMLElement;
      const [box, over, view] = [e, last, pane].map((x) => x.getBoundingClientRect()) as [DOMRect, DOMRect, DOMRect];
      const heights = [pane.scrollHeight];
      (e as HTMLElement).hidden = true;
      heights.push(pane.scrollHeight);
      (e as HTMLElement).hidden = false;
      return { scrolls: pane.scrollHeight > pane.clientHeight, belowLast: box.top >= over.bottom - 8, inSight: box.bottom <= view.bottom, moved: heights[0] !== heights[1] };
    });
    expect(room).toEqual({ scrolls: true, belowLast: true, inSight: true, moved: false });
    expect(await line.locator(".turns").evaluate((e) => getComputedStyle(e).animationName)).toBe("none");
    expect(await faults(page)).toEqual([]);
    await crew.podium("cancel", name);
    await line.waitFor({ state: "hidden" });
  });

  it("whose paused run is discarded says of a call that had not begun that it was not run", async () => {
    const { page } = await signedIn();
    const config = path.join(crew.home, "sequential.toml");
    writeFileSync(config, '[model.capability]\ntool_calling = "sequential"\n');
    const { name } = await aPod("discarder", ["--config", config]);
    await crew.podium("send", name, "do both");
    await row(page, name).click();
    await dock(page, name).getByText("Bash").waitFor();
    const outcomes = () => page.locator("details.tool .tool-outcome").allInnerTexts();
    await dock(page, name).getByRole("button", { name: "Pause" }).click();
    await expect.poll(outcomes).toEqual(["stopped", "paused"]);
    await dock(page, name).getByRole("button", { name: "Cancel" }).click();
    await expect.poll(outcomes).toEqual(["stopped", "not run"]);
  });

  it("keeps a text that it refuses, with its own word", async () => {
    const { page, expectProblems } = await signedIn();
    expectProblems(/409/);
    const { name } = await aPod("busy");
    await row(page, name).click();
    await message(page).fill("now this");
    // Between what the page knows and the click the pod begins to run.
    await page.route("**/api/pods/*/run", async (route) => {
      await crew.podium("send", name, "wait for it");
      await route.continue();
    });
    await page.keyboard.press("Enter");
    await dock(page, name).getByText("already_running").waitFor();
    expect(await message(page).inputValue()).toBe("now this");
    expect(await page.locator(".said", { hasText: "now this" }).count()).toBe(0);
    await dock(page, name).getByRole("button", { name: "Cancel" }).click();
    await row(page, name).getByText("idle").waitFor();
    await page.getByText("the run was cancelled").waitFor();
  });

  it("whose run failed waits until it is told something", async () => {
    const { page } = await signedIn();
    const { name } = await aPod("failer");
    await crew.podium("send", name, "fail please");
    await row(page, name).getByText("waits: run failed").click();
    await message(page).fill("never mind");
    await page.keyboard.press("Enter");
    await row(page, name).getByText("idle").waitFor();
  });

  it("goes on in another session after a compaction, and the page leads there", async () => {
    const { page } = await signedIn();
    const config = path.join(crew.home, "squeeze.toml");
    writeFileSync(config, "[compaction]\ncompact_retained_tokens = 20\n");
    const { name } = await aPod("squeezer", ["--config", config]);
    for (const text of ["one", "two", "three"]) {
      await crew.podium("send", name, `${text} ${"and so on ".repeat(800)}`);
      await expect.poll(() => crew.podium("history", name)).toContain(`Noted: ${text}`);
      await expect.poll(() => crew.podium("ps")).toMatch(new RegExp(`^${name} +idle`, "m"));
    }
    await row(page, name).click();
    await page.getByText("Noted: three").waitFor();
    await dock(page, name).getByText("idle").waitFor();
    const before = new URL(page.url()).searchParams.get("s");
    await dock(page, name).getByRole("button", { name: "Compact" }).click();
    await dock(page, name).getByText(`Pod ${name} went on in session`).waitFor();
    await dock(page, name).getByRole("link").click();
    expect(new URL(page.url()).searchParams.get("s")).not.toBe(before);
    await message(page).fill("and on");
    await page.keyboard.press("Enter");
    await page.getByText("Noted: and on").waitFor();
    await page.getByText(/compacted: .* to .* tokens/).getByRole("link").click();
    await expect.poll(() => new URL(page.url()).searchParams.get("s")).toBe(before);
  });

  it("whose compaction failed says why, until a run begins", async () => {
    const { page } = await signedIn();
    const config = path.join(crew.home, "unlucky.toml");
    writeFileSync(config, "[compaction]\ncompact_retained_tokens = 20\n");
    const { name } = await aPod("unlucky", ["--config", config]);
    await row(page, name).click();
    for (const text of ["one", "two"]) {
      await crew.podium("send", name, `unlucky ${text} ${"and so on ".repeat(800)}`);
      await page.getByText(`Noted: unlucky ${text}`).waitFor();
      await dock(page, name).getByText("idle").waitFor();
    }
    await dock(page, name).getByRole("button", { name: "Compact" }).click();
    await dock(page, name).getByText(/The compaction failed, .*no summary today/).waitFor();
    expect(await faults(page)).toEqual([]);
    await message(page).fill("go on");
    await page.keyboard.press("Enter");
    await page.getByText("Noted: go on").waitFor();
    await dock(page, name).getByText("The compaction failed").waitFor({ state: "hidden" });
  });

  it("that does not answer offers nothing that needs an answer, says what ends it, and is believed again", async () => {
    const { page } = await signedIn();
    const { name, child } = await aPod("silent");
    onTestFinished(() => void child.kill("SIGCONT"));
    await row(page, name).click();
    await dock(page, name).getByText("idle").waitFor();
    child.kill("SIGSTOP");
    await row(page, name).getByText("unresponsive").waitFor();
    await section(page, "lost").waitFor();
    await dock(page, name).getByText(`podium stop ${name}`).waitFor();
    for (const act of ["Pause", "Cancel", "Compact"]) expect(await dock(page, name).getByRole("button", { name: act }).getAttribute("aria-disabled")).toBe("true");
    child.kill("SIGCONT");
    await row(page, name).getByText("idle").waitFor();
    await dock(page, name).getByText(`podium stop ${name}`).waitFor({ state: "hidden" });
  });

  it("that was killed is said to be, and may not be talked to", async () => {
    const { page } = await signedIn();
    const { name, child } = await aPod("victim");
    await crew.podium("send", name, "wait for it");
    await row(page, name).getByText("Bash").click();
    await message(page).fill("are you there");
    child.kill("SIGKILL");
    await row(page, name).getByText("dead").waitFor();
    await section(page, "lost").waitFor();
    await dock(page, name).getByText(`The process of pod ${name} is gone.`).waitFor();
    expect(await dock(page, name).getByRole("button", { name: "Notify" }).getAttribute("aria-disabled")).toBe("true");
    expect(await message(page).inputValue()).toBe("are you there");
  });
});

describe("the daemon", () => {
  it("that is started again under an open page is followed on", async () => {
    const own = await startStudio({ home: crew.home });
    const { page, context, expectProblems } = await open();
    expectProblems(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    await context.addInitScript((t) => sessionStorage.setItem("podium.token", t), token);
    await page.goto(own.url);
    const { name } = await aPod("survivor");
    await row(page, name).waitFor();
    await own.stop();
    await page.getByRole("region", { name: "Fleet" }).getByText(/Studio does not answer\. As of/).waitFor();
    expect(await row(page, name).isVisible()).toBe(true);
    await crew.podium("send", name, "wait for it");
    const again = await startStudio({ home: crew.home, port: own.port });
    onTestFinished(again.stop);
    await row(page, name).getByText("Bash").waitFor();
    await page.getByRole("region", { name: "Fleet" }).getByText(/As of/).waitFor({ state: "hidden" });
    await crew.podium("cancel", name);
  });
});

describe("without the token", () => {
  it("the fleet says how to get it, asks for nothing, and the history goes on", async () => {
    const { page } = await open();
    const asked: string[] = [];
    page.on("request", (r) => asked.push(new URL(r.url()).pathname));
    await page.goto(studio.url);
    await page.getByText("podium studio token").waitFor();
    await page.getByRole("list", { name: "Sessions" }).getByRole("link").first().waitFor();
    expect(asked.filter((p) => p.startsWith("/api/pods") || p.startsWith("/api/fleet"))).toEqual([]);
    expect(await page.getByRole("form", { name: "Token" }).count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await page.getByRole("button", { name: "Enter the token" }).click();
    await page.getByLabel(/podium studio token prints it/).fill(token);
    await page.keyboard.press("Enter");
    await row(page, "early").waitFor();
  });
});

describe("a page of another origin", () => {
  it("can neither read the fleet nor say anything to a pod", async () => {
    const { name } = await aPod("quiet");
    const server = createServer((_, response) => response.end("<!doctype html><title>other</title>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { page, expectProblems } = await open();
    expectProblems(/CORS|ERR_FAILED|ERR_BLOCKED_BY_RESPONSE|frame-ancestors|^request: |403|400/);
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
    const outcomes = await page.evaluate(
      async ([url, pod, token]) => {
        const results: string[] = [];
        const attempt = async (path: string, init: RequestInit) => {
          const answer = await fetch(url + path, init).catch(() => null);
          results.push(answer === null ? "refused" : answer.type === "opaque" ? "opaque" : String(answer.status));
        };
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
        const body = JSON.stringify({ input: "from another page" });
        await attempt("api/pods", {});
        await attempt("api/pods", { headers });
        await attempt("api/fleet/stream", { headers });
        await attempt(`api/pods/${pod}/run`, { method: "POST", headers, body });
        // What needs no preflight carries neither the bearer nor JSON.
        await attempt(`api/pods/${pod}/run`, { method: "POST", mode: "no-cors", body });
        const form = document.createElement("form");
        form.method = "post";
        form.enctype = "text/plain";
        form.action = `${url}api/pods/${pod}/run`;
        form.target = "sink";
        const sink = document.createElement("iframe");
        sink.name = "sink";
        document.body.append(sink, form);
        const loaded = new Promise((done) => (sink.onload = done));
        form.submit();
        await loaded;
        const frame = document.createElement("iframe");
        frame.src = url ?? "";
        document.body.append(frame);
        await new Promise((done) => (frame.onload = done));
        try {
          results.push(frame.contentDocument?.title ?? "closed");
        } catch {
          results.push("closed");
        }
        return results;
      },
      [studio.url, name, token],
    );
    expect(outcomes.filter((o) => o !== "refused" && o !== "opaque" && o !== "closed")).toEqual([]);
    expect(await crew.podium("history", name)).not.toContain("from another page");
    expect(await crew.podium("ps")).toMatch(new RegExp(`^${name} +idle`, "m"));
  });
});

describe("the page", () => {
  it("can be worked by keys alone: from the fleet to the pod, to the history and back", async () => {
    const { page } = await signedIn();
    const { name } = await aPod("keyed");
    await row(page, name).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-key") ?? document.activeElement?.getAttribute("data-id") ?? document.activeElement?.id);
    await page.keyboard.press("j");
    await expect.poll(focused).toMatch(/^pod /);
    for (let i = 0; i < 30 && (await focused()) !== `pod ${name}`; i++) await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await dock(page, name).waitFor();
    await page.keyboard.press("m");
    expect(await focused()).toBe("message");
    await page.keyboard.type("by keys");
    await page.keyboard.press("Enter");
    await page.getByText("Noted: by keys").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press(".");
    const menu = page.getByRole("dialog");
    await menu.getByRole("menuitem", { name: "Open" }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Write to the pod/);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe(`pod ${name}`);
    // Through the end of the fleet into the history, and back up.
    for (let i = 0; i < 40 && /^(pod|run|group) /.test((await focused()) ?? ""); i++) await page.keyboard.press("j");
    expect(await focused()).toMatch(/^[0-9a-f-]{36}$/);
    await page.keyboard.press("k");
    await expect.poll(focused).toMatch(/^(pod|run) /);
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("region", { name: "Fleet" }).waitFor({ state: "hidden" });
    expect(new URL(page.url()).pathname).toBe("/history");
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await row(page, name).waitFor();
  });

  it("has no fault that a checker finds, with pods and a message, light and dark, wide and narrow", async () => {
    const { name } = await aPod("checked");
    await crew.podium("send", name, "wait for it");
    for (const options of [{ colorScheme: "light" as const }, { colorScheme: "dark" as const, viewport: { width: 400, height: 800 } }]) {
      const { page } = await signedIn(options);
      await row(page, name).getByText("Bash").waitFor();
      expect(await faults(page)).toEqual([]);
      await row(page, name).click();
      await dock(page, name).getByText("Bash").waitFor();
      await page.getByText("I wait.").waitFor();
      expect(await faults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(options.viewport?.width ?? 1440);
    }
    await crew.podium("cancel", name);
  });

  it("does not move the history when pods come and go", async () => {
    const { page } = await signedIn();
    await row(page, "early").waitFor();
    const top = () => page.getByRole("list", { name: "Sessions" }).evaluate((e) => e.getBoundingClientRect().top);
    await page.getByRole("list", { name: "Sessions" }).getByRole("link").first().waitFor();
    await page.waitForFunction(() => document.querySelector(".overview")?.getAttribute("aria-busy") !== "true");
    const before = await top();
    const { name } = await aPod("passer");
    await row(page, name).waitFor();
    expect(await top()).toBe(before);
    await crew.podium("stop", name);
    await row(page, name).waitFor({ state: "hidden" });
    expect(await top()).toBe(before);
  });

  it("takes names of every kind as text and does not bend", async () => {
    const { page } = await signedIn({ viewport: { width: 1000, height: 700 } });
    const { name } = await aPod("namer");
    const nasty = `\u202efdp.exe <img src=x onerror="document.title='owned'"> \u200b${"long ".repeat(20_000)}`;
    await row(page, name).click();
    await message(page).fill(nasty);
    await page.keyboard.press("Enter");
    await row(page, name).getByText("<img").waitFor();
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1000);
    expect(await row(page, name).evaluate((e) => e.getBoundingClientRect().height)).toBeLessThanOrEqual(32);
  });

  it("rests while it is hidden and goes on when it is looked at", async () => {
    const { page } = await signedIn();
    await row(page, "early").waitFor();
    const streams: string[] = [];
    page.on("request", (r) => {
      if (r.url().includes("/api/fleet/stream")) streams.push(r.headers()["last-event-id"] ?? "");
    });
    const hide = (hidden: boolean) =>
      page.evaluate((h) => {
        Object.defineProperty(document, "hidden", { configurable: true, value: h });
        document.dispatchEvent(new Event("visibilitychange"));
      }, hidden);
    await hide(true);
    const { name } = await aPod("unseen");
    await hide(false);
    await row(page, name).waitFor();
    expect(streams.length).toBe(1);
    expect(streams[0]).toMatch(/^\d+\.\d+$/);
  });
});
