import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const dist = path.join(process.cwd(), "dist");

it("the committed page begins with at most 150 kB of script, compressed", () => {
  const html = readFileSync(path.join(dist, "index.html"), "utf8");
  const names = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+\.js)"/g)].map((m) => m[1] ?? "");
  expect(names.length).toBeGreaterThan(0);
  const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(dist, name))).length, 0);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThanOrEqual(150_000);
});
