import { describe, expect, it } from "vitest";
import { shortId, shownName } from "./names";

describe("a foreign name", () => {
  it.each(["fix the login", "مرحبا", "\u202eman\u202c", "zero\u200bwidth", "é", "e\u0301", "✓", "🙂", "x", "<b>", "42"])("%j is shown as it is", (name) => {
    expect(shownName(name, "otherwise")).toBe(name);
  });
  it.each(["", " ", "\u200b\u200b", "\u2060\ufeff", "\u202e\u202c", "\t\n", "\u0301", "\u3164", "\u2800", "\u00ad", "\u{e0041}"])("%j leaves nothing to see", (name) => {
    expect(shownName(name, "otherwise")).toBe("otherwise");
  });
  it("is cut where nobody reads on, between two characters", () => {
    expect(shownName("w".repeat(100_000), "")).toBe(`${"w".repeat(300)}…`);
    expect(shownName(`${"w".repeat(299)}🙂🙂`, "")).toBe(`${"w".repeat(299)}…`);
    expect(shownName("w".repeat(300), "")).toBe("w".repeat(300));
  });
});

describe("an id", () => {
  it.each([
    ["01a22f4b-60ea-7686-8479-89e1cce7ac3d", "cce7ac3d"],
    ["thirteen-long", "een-long"],
    ["twelve-long!", "twelve-long!"],
    ["🙂🙂🙂🙂🙂🙂🙂", "🙂🙂🙂🙂🙂🙂🙂"],
    ["", ""],
  ])("%j is shown as %j", (id, short) => expect(shortId(id)).toBe(short));
});
