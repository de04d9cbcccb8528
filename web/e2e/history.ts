import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A built podium, and the program that fills a store. */
    podium: string;
    seed: string;
    /** A PODIUM_HOME whose store has 20,000 sessions. Tests read it only. */
    home: string;
  }
}

/** How many sessions the history has besides its conversations. */
export const rows = 20_000;

const root = path.resolve(import.meta.dirname, "../..");

/** Builds what is not built yet and fills one store for all browser tests. */
export default function setup(project: TestProject): () => void {
  const work = mkdtempSync(path.join(tmpdir(), "podium-e2e-"));
  try {
    const build = (pkg: string, name: string): string => {
      const out = path.join(work, name);
      execFileSync("go", ["build", "-o", out, pkg], { cwd: root, stdio: "inherit" });
      return out;
    };
    const podium = process.env["PODIUM_BIN"] ?? build("./cmd/podium", "podium");
    const seed = build("./web/e2e/seed", "seed");
    const home = path.join(work, "home");
    mkdirSync(home, { mode: 0o700 });
    execFileSync(seed, ["-store", path.join(home, "state.db"), "-sessions", String(rows)], { stdio: "inherit" });
    project.provide("podium", podium);
    project.provide("seed", seed);
    project.provide("home", home);
  } catch (e) {
    rmSync(work, { recursive: true });
    throw e;
  }
  return () => rmSync(work, { recursive: true });
}
