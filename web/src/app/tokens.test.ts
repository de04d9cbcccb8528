import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const here = path.join(process.cwd(), "src/app");
const css = (name: string) => readFileSync(path.join(here, name), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");

/** Every colour by name: by day and by night. */
const colours = new Map(
  [...css("tokens.css").matchAll(/--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)/g)].map((m) => [m[1] ?? "", [m[2] ?? "", m[3] ?? ""] as const]),
);

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast of two colours, from 1 to 21 (WCAG 2). */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ["paper", "paper-raised", "paper-sunk", "selected"];
const states = ["waiting", "running", "compacting", "paused", "idle", "unresponsive", "failed", "completed", "cancelled"];
const texts = ["ink", "ink-soft", "link", ...states];

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("in the %s scheme", (_, scheme) => {
  const of = (name: string) => {
    const pair = colours.get(name);
    if (pair === undefined) throw new Error(`tokens.css has no --${name}`);
    return pair[scheme];
  };

  it.each(texts.flatMap((text) => grounds.map((ground) => [text, ground])))("%s can be read on %s", (text, ground) => {
    expect(contrast(of(text), of(ground))).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ["added", "added-paper"],
    ["removed", "removed-paper"],
  ])("%s can be read on %s", (text, ground) => expect(contrast(of(text), of(ground))).toBeGreaterThanOrEqual(4.5));

  it.each(["edge", "focus"].flatMap((line) => grounds.slice(0, 3).map((ground) => [line, ground])))("%s can be seen on %s", (line, ground) => {
    expect(contrast(of(line), of(ground))).toBeGreaterThanOrEqual(3);
  });
});

describe("contrast", () => {
  it("is that of the standard's own examples", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  });
});

describe("style sheets", () => {
  const sheets = readdirSync(here).filter((f) => f.endsWith(".css") && f !== "tokens.css");

  it("take colours and sizes of text from the tokens alone", () => {
    for (const sheet of sheets) {
      const rules = css(sheet).replace(/dialog::backdrop \{[^}]*\}/, "");
      expect(rules.match(/#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(/gi), sheet).toBeNull();
      expect([...rules.matchAll(/font-size:\s*([^;]+);/g)].filter((m) => !m[1]?.startsWith("var(--size-")), sheet).toEqual([]);
    }
    expect([...css("tokens.css").matchAll(/--size-[\w]+:\s*(\d+)px/g)].map((m) => Number(m[1]))).toEqual([12, 13, 15, 20]);
  });

  it("name no token that is not there", () => {
    const tokens = new Set([...css("tokens.css").matchAll(/--([\w-]+):/g)].map((m) => m[1]));
    for (const sheet of sheets) for (const m of css(sheet).matchAll(/var\(--([\w-]+)\)/g)) expect(tokens, `${sheet}: --${m[1]}`).toContain(m[1]);
  });

  it("give every state its colour", () => {
    for (const state of [...states, "queued"]) expect(css("list.css")).toContain(`.shape-${state}`);
  });

  it("move nothing for a reader who asked for rest", () => {
    const all = sheets.map(css).join("");
    const resting = all.replace(/@media \(prefers-reduced-motion: no-preference\) \{[\s\S]*?\n\}/g, "").replace(/@media \(prefers-reduced-motion: reduce\) \{[\s\S]*?\n\}/g, "");
    expect(resting).not.toMatch(/animation|transition/);
    expect(all).toMatch(/prefers-reduced-motion: reduce/);
  });
});
