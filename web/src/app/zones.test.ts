import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const src = path.join(process.cwd(), "src");

/** Source files, tests aside, by their path below src. */
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((f) => /\.tsx?$/.test(f) && !/\.test\.tsx?$|^test\//.test(f));

/** The part that a file belongs to: app, lib, generated, or one feature. */
function zone(file: string): string {
  const [first = "", second = ""] = file.split(path.sep);
  return first === "features" ? `${first}/${second}` : first;
}

/** What a part may import besides itself. */
function allowed(part: string): RegExp {
  if (part === "app" || part === "main.tsx") return /^(app|features\/.*|lib|generated)$/;
  if (part.startsWith("features/")) return /^(lib|generated)$/;
  return /^$/;
}

it("parts import only what is below them: features know no other feature", () => {
  const wrong: string[] = [];
  for (const file of files) {
    const text = readFileSync(path.join(src, file), "utf8");
    for (const m of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]*)"/g)) {
      const to = zone(path.normalize(path.join(path.dirname(file), m[1] ?? "")));
      if (to !== zone(file) && !allowed(zone(file)).test(to)) wrong.push(`${file} imports ${m[1]}`);
    }
  }
  expect(files.length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

it("one module talks to the network", () => {
  const talking = files.filter((f) => /\bfetch\(|XMLHttpRequest|EventSource|WebSocket/.test(readFileSync(path.join(src, f), "utf8")));
  expect(talking).toEqual([path.join("lib", "http", "fetch.ts")]);
});

it("nothing writes markup", () => {
  for (const f of files) expect(readFileSync(path.join(src, f), "utf8"), f).not.toMatch(/dangerouslySetInnerHTML|innerHTML|document\.write|\beval\(/);
});
