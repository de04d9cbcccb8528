import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { listed, useBrowser } from "./browser";
import { startStudio, type Studio, type StudioOptions } from "./studio";

const { open } = useBrowser();
const secret = "a-token-of-the-browser-tests-0123456789";

async function studioWith(options: StudioOptions): Promise<Studio> {
  const studio = await startStudio(options);
  onTestFinished(studio.stop);
  return studio;
}

const form = (page: Page) => page.getByRole("form", { name: "Token" });
const held = (page: Page) => page.evaluate(() => sessionStorage.getItem("podium.token"));

describe("the link that podium studio prints", () => {
  it("signs the page in: the code leaves the address, the token stays in the tab", async () => {
    const studio = await studioWith({ token: secret });
    const { page } = await open();
    await page.goto(studio.link);
    await listed(page);
    expect(page.url()).toBe(studio.url);
    expect(await held(page)).toBe(secret);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    expect(await form(page).count()).toBe(0);
    await page.reload();
    await listed(page);
  });

  it("works once: the next page is asked for the token", async () => {
    const studio = await studioWith({ token: secret });
    const first = await open();
    await first.page.goto(studio.link);
    await listed(first.page);
    const second = await open();
    second.expectProblems(/401/);
    await second.page.goto(studio.link);
    await form(second.page).waitFor();
  });

  it("says that it was used where nothing else would, until that is dismissed", async () => {
    const studio = await studioWith({});
    const first = await open();
    await first.page.goto(studio.link);
    await listed(first.page);
    const { page, expectProblems } = await open();
    expectProblems(/40\d/);
    await page.goto(studio.link);
    await listed(page);
    const told = page.getByText("This link was used before");
    await told.waitFor();
    expect([page.url(), await held(page)]).toEqual([studio.url, null]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await told.waitFor({ state: "hidden" });
  });

  it("is not needed to read on this machine without a configured token", async () => {
    const studio = await studioWith({});
    const { page } = await open();
    await page.goto(studio.url);
    await listed(page);
    expect([await held(page), await form(page).count()]).toEqual([null, 0]);
  });
});

describe("a page without the token", () => {
  it("asks once, with the command, takes the right one and refuses a wrong one", async () => {
    const studio = await studioWith({ token: secret });
    const { page, expectProblems } = await open();
    expectProblems(/401/);
    await page.goto(studio.url);
    const field = page.getByLabel(/podium studio token prints it/);
    await field.waitFor();
    expect(await field.evaluate((e) => e === document.activeElement)).toBe(true);
    await field.fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("That token was refused.").waitFor();
    expect(await held(page)).toBeNull();
    await field.fill(secret);
    await page.keyboard.press("Enter");
    await listed(page);
    expect(await form(page).count()).toBe(0);
    expect(page.url()).toBe(studio.url);
  });

  it("can put it off and come back to it", async () => {
    const studio = await studioWith({ token: secret });
    const { page, expectProblems } = await open();
    expectProblems(/401/);
    await page.goto(studio.url);
    await page.getByRole("button", { name: "Later" }).click();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Enter it" }).waitFor();
    expect(await form(page).count()).toBe(0);
    await page.getByRole("button", { name: "Enter it" }).click();
    await form(page).waitFor();
  });

  it("asks again when the daemon comes back with another token", async () => {
    const studio = await startStudio({ token: secret });
    const { page, expectProblems } = await open();
    expectProblems(/401|ERR_CONNECTION/);
    await page.goto(studio.link);
    await listed(page);
    await studio.stop();
    await studioWith({ token: "another-token-of-the-browser-tests-0123", port: studio.port });
    await page.getByText("That token was refused.").waitFor();
    expect(await held(page)).toBeNull();
    // What was read before stays.
    await listed(page);
  });
});

describe("a page of another origin", () => {
  it("can neither read nor change anything", async () => {
    const studio = await studioWith({});
    const server = createServer((_, response) => response.end("<!doctype html><title>other</title>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { page, expectProblems } = await open();
    expectProblems(/CORS|ERR_FAILED|ERR_BLOCKED_BY_RESPONSE|frame-ancestors|^request: |403|400/);
    // The same machine by another name, so that it is another site.
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
    const outcome = (method: string) =>
      page.evaluate(
        async ([url, method]) => {
          const answer = await fetch(`${url}api/runs/`, { method: method ?? "GET" }).catch(() => null);
          return answer === null ? "refused" : answer.status;
        },
        [studio.url, method],
      );
    expect([await outcome("GET"), await outcome("POST"), await outcome("DELETE")]).toEqual(["refused", "refused", "refused"]);
    const framed = await page.evaluate(async (url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
      await new Promise((done) => (frame.onload = done));
      try {
        return frame.contentDocument?.title ?? "closed";
      } catch {
        return "closed";
      }
    }, studio.url);
    expect(framed).toBe("closed");
  });
});
