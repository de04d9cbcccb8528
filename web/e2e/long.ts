import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { inject } from "vitest";
import { startStudio, type Studio } from "./studio";

/** Entries of the long session, about. */
export const manyEntries = 50_000;

/** A daemon over a store with one very long session and one of large entries. */
export interface LongStudio extends Studio {
  home: string;
  /** The id of the session of a name. */
  idOf: (name: string) => Promise<string>;
  /** The long session's pod says something. */
  say: (text: string) => void;
}

export async function startLongStudio(): Promise<LongStudio> {
  const home = mkdtempSync(path.join(tmpdir(), "podium-e2e-long-"));
  const store = path.join(home, "state.db");
  execFileSync(inject("seed"), ["-store", store, "-sessions", "20", "-long", String(manyEntries)]);
  const studio = await startStudio({ home });
  return {
    ...studio, home,
    idOf: async (name) => {
      const answer = await fetch(`${studio.url}api/runs/?search=${encodeURIComponent(name)}`);
      const { runs } = (await answer.json()) as { runs: { id: string }[] };
      const [first] = runs;
      if (first === undefined) throw new Error(`no session is called ${name}`);
      return first.id;
    },
    say: (text) => void execFileSync(inject("seed"), ["-store", store, "-pod", "walker", "-say", text]),
    stop: async () => {
      await studio.stop();
      rmSync(home, { recursive: true });
    },
  };
}

export const conversation = (page: Page) => page.getByRole("region", { name: "Conversation" });
export const slots = (page: Page) => page.locator(".slot");
export const position = (page: Page) => page.locator(".position");

/** Two frames: what was done is drawn. */
export const drawn = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
