import { describe, expect, it } from "vitest";
import { shownName } from "./names";

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
