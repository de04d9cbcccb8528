import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page, Request } from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";

/** The parts of the history in windows, as a person finds them. */
export const next = (page: Page) => page.getByRole("button", { name: /^(Load more|Continue search|End of the search|Try again|Start again)$/ });
export const listing = (page: Page, word: "v1" | "window") => page.getByRole("group", { name: "Listing" }).getByRole("button", { name: word, exact: true });
export const counting = (page: Page) => page.getByRole("button", { name: /^(Count all matches|Cancel the count)$/ });
export const local = (page: Page, word: string) => page.getByRole("group", { name: "in loaded rows" }).getByRole("button", { name: word });
/** What the list's one polite region says. */
export const said = (page: Page) => page.locator(".window-foot").getByRole("status").textContent();
export const loaded = (page: Page, n: number) => page.getByText(`${n.toLocaleString("en")} loaded`, { exact: true }).waitFor();
/** Waits for what stands in the list instead of rows. */
export const stands = (page: Page, text: string | RegExp) => page.locator(".list-pane .empty").getByText(text).waitFor();

/** Every request for a window, and for nothing else. */
export function windowsOf(page: Page): { asked: URLSearchParams[]; v1: () => number } {
  const asked: URLSearchParams[] = [];
  let numbered = 0;
  page.on("request", (r: Request) => {
    const url = new URL(r.url());
    if (url.pathname !== "/api/runs/") return;
    if (url.searchParams.get("listing_version") === "2") asked.push(url.searchParams);
    else numbered++;
  });
  return { asked, v1: () => numbered };
}

/** A home of one's own with the store of all tests, or with a part of it. */
export function ownHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), "podium-e2e-own-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  cpSync(inject("home"), home, { recursive: true });
  return home;
}

/** Runs a command of podium in a home, and gives what it printed. */
export function podium(home: string, ...args: string[]): string {
  return execFileSync(inject("podium"), args, { env: { PODIUM_HOME: home, HOME: home, PATH: process.env["PATH"] ?? "" }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The name on the focused row, or the text of what is focused instead. */
export function focused(page: Page): Promise<string | null> {
  return page.evaluate(() => document.activeElement?.querySelector(".run-name")?.textContent ?? document.activeElement?.textContent ?? null);
}

/** The ids that the server lists, window by window, following its cursors. */
export async function listedBy(page: Page, url: string, query: string, windows: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (let i = 0; i < windows; i++) {
    const more: string = cursor === null ? "" : `&cursor=${cursor}`;
    const body = (await (await page.request.get(`${url}api/runs/?listing_version=2&per_page=100${query}${more}`)).json()) as {
      runs: { id: string }[];
      pagination: { next_cursor: string | null };
    };
    ids.push(...body.runs.map((r) => r.id));
    cursor = body.pagination.next_cursor;
    expect(cursor).not.toBeNull();
  }
  return ids;
}

/** Every loaded row's id, read by going through the list. */
export async function idsOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const list = document.querySelector<HTMLElement>(".run-list");
    const seen = new Map<number, string>();
    if (list === null) return [];
    const settle = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (let top = 0; ; top += list.clientHeight) {
      list.scrollTop = top;
      await settle();
      for (const item of list.querySelectorAll("[aria-posinset]")) {
        seen.set(Number(item.getAttribute("aria-posinset")), item.querySelector("[data-id]")?.getAttribute("data-id") ?? "");
      }
      if (top >= list.scrollHeight) break;
    }
    return [...seen].sort(([a], [b]) => a - b).map(([, id]) => id);
  });
}
