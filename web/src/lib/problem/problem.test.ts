import { describe, expect, it } from "vitest";
import { ApiError, problemOf } from "./problem";

describe("an error body", () => {
  it("may be a text", () => expect(problemOf(404, { detail: "Run 'x' not found" }).message).toBe("Run 'x' not found"));

  it("may list fields, three of them said", () => {
    const at = (name: string) => ({ type: "int_parsing", loc: ["query", name], msg: "not a number", input: "" });
    expect(problemOf(422, { detail: [at("page"), at("per_page")] }).message).toBe("page: not a number; per_page: not a number");
    expect(problemOf(422, { detail: [at("a"), at("b"), at("c"), at("d"), at("e")] }).message).toMatch(/c: not a number \(\+2 more\)$/);
  });

  it("may list nonsense", () => expect(problemOf(422, { detail: [1, { loc: "x" }, { loc: ["query"], msg: "bad" }] }).message).toBe("invalid; invalid; bad"));

  it("may be an object with a code", () => {
    const e = problemOf(409, { detail: { code: "listing_cursor_expired", message: "start again", restart_required: true } });
    expect([e.status, e.message, e.code, e.restartRequired]).toEqual([409, "start again", "listing_cursor_expired", true]);
    expect(problemOf(400, { detail: { message: "no code" } }).code).toBeUndefined();
  });

  it.each([null, "text", [], {}, { detail: "" }, { detail: 4 }, { detail: {} }])("%j leaves the status to be said", (body) => {
    expect(problemOf(500, body).message).toBe("Request failed: 500");
  });

  it("of a 401 says what is wanted, not what was refused", () => expect(problemOf(401, { detail: "Unauthorized" }).message).toBe("Studio wants its token."));
});

describe("ApiError", () => {
  it.each([
    [0, true, true],
    [503, false, true],
    [500, false, true],
    [501, false, false],
    [404, false, false],
    [401, false, false],
  ])("status %i: unreachable %s, passing %s", (status, unreachable, passing) => {
    const e = new ApiError(status, "x");
    expect([e.unreachable, e.passing]).toEqual([unreachable, passing]);
  });
});
