import { describe, expect, it } from "vitest";
import { anEntry } from "../../../test/studio";
import type { Entry } from "../api/types";
import { diff } from "./diff";
import { outcome, pieces, withoutRule, type Piece, type ToolPiece, type ToolResult } from "./pieces";
import { distinct } from "./useBranches";
import { asNumber, asRecord, asText } from "./values";

const call = (id: string, name = "Bash", args: unknown = {}, over: Partial<Entry> = {}) => anEntry("tool_call", { call_id: id, name, arguments: args }, over);
const result = (id: string, payload: object = {}, over: Partial<Entry> = {}) => anEntry("tool_result", { call_id: id, summary: "", ...payload }, over);
const kinds = (list: Piece[]) => list.map((p) => p.kind);

function tool(list: Entry[], at = 0): ToolPiece {
  const p = pieces(list)[at];
  if (p?.kind !== "tool") throw new Error(`piece ${at} is ${p?.kind}`);
  return p;
}

describe("a log", () => {
  it("is read in order, each kind as what it is to a reader", () => {
    const list = pieces([
      anEntry("input", { text: "go", kind: "input", client: "ada" }),
      anEntry("input", { text: "disk full", kind: "notification" }),
      anEntry("system", { text: "be careful" }),
      anEntry("reasoning", { text: "hm" }),
      anEntry("text", { text: "done" }),
      anEntry("turn_end", { turn: 1, stop_reason: "end" }),
      anEntry("run_end", { result: "finished" }),
      anEntry("compaction", { from_session: "old", new_session: "new", tokens_before: 182_000, tokens_after: 21_000, cost_usd: 0.05 }),
    ]);
    expect(kinds(list)).toEqual(["person", "notice", "system", "reasoning", "agent", "end", "compaction"]);
    expect(list[0]).toMatchObject({ who: "ada", text: "go", withdrawn: false });
    expect(list.at(-1)).toMatchObject({ from: "old", before: 182_000, after: 21_000, cost: 0.05 });
  });

  it("leaves out empty words, which models send beside calls", () => {
    expect(pieces([anEntry("text", { text: "" }), anEntry("reasoning", { text: " \n" })])).toEqual([]);
  });

  it.each([
    ["max_tokens", /cut at the model's output limit/],
    ["refusal", /refused/],
  ])("says when an answer ended with %s", (stop_reason, why) => {
    const [p] = pieces([anEntry("turn_end", { stop_reason })]);
    expect(p).toMatchObject({ kind: "cut", why: expect.stringMatching(why) as unknown });
  });

  it("shows how a run failed", () => {
    expect(pieces([anEntry("run_end", { result: "failed", error: "overloaded" })])[0]).toMatchObject({ kind: "end", result: "failed", problem: "overloaded" });
  });

  it.each([
    ["paused", "Cancelled; the command and all it started were ended", "stopped"],
    ["cancelled", "[Interrupted by user]", "stopped"],
    ["failed", "[Interrupted: the run failed]", "failed"],
    ["failed", "Cancelled; the command and all it started were ended", "failed"],
    ["cancelled", "Tool execution failed: no such file", "failed"],
  ])("of a run that ended %s says of a call with %j that it %s", (end, summary, word) => {
    const list = pieces([
      call("a"), result("a", { summary, is_error: true }),
      anEntry("text", { text: "I go on." }),
      call("b"), call("c"), result("b", { summary: "Tool execution failed: no such file", is_error: true }), result("c", { summary, is_error: true }),
      anEntry("run_end", { result: end }),
    ]);
    // What stands before the last round was not stopped by its end.
    expect(list.flatMap((p) => (p.kind === "tool" ? [outcome(p.result)] : []))).toEqual(["failed", "failed", word]);
  });

  const ofPaused = [call("a"), call("b"), result("a", { summary: "ok" }), anEntry("run_end", { result: "paused" })];
  const words = (list: Piece[]) => list.flatMap((p) => (p.kind === "tool" ? [p.held && p.result === null ? "held" : outcome(p.result)] : []));

  it.each([
    ["discarded", [anEntry("system", { text: "[The user discarded the paused request above.]" })]],
    ["left for a new request", [anEntry("system", { text: "[A new request follows.]" }), anEntry("input", { text: "x", kind: "input" })]],
  ])("of a paused run that was %s says that what had not begun was not run", (_, behind) => {
    expect(words(pieces(ofPaused))).toEqual(["done", "held"]);
    expect(words(pieces([...ofPaused, result("b", { summary: "[Interrupted by user]", is_error: true }), ...behind]))).toEqual(["done", "not run"]);
  });

  it.each([
    ["cancelled", "[Interrupted by user]"],
    ["paused", "Cancelled; the command and all it started were ended"],
  ])("of a resumed run that was then %s says that what ran was stopped", (end, summary) => {
    expect(words(pieces([...ofPaused, result("b", { summary, is_error: true }), anEntry("run_end", { result: end })]))).toEqual(["done", "stopped"]);
  });

  it("marks an input that was taken back, or says so where the input is not loaded", () => {
    const input = anEntry("input", { text: "x", kind: "input" });
    expect(pieces([input, anEntry("rolled_back", { entry_id: input.id })])).toMatchObject([{ kind: "person", withdrawn: true }]);
    const notice = anEntry("input", { text: "x", kind: "pod_event" });
    expect(pieces([notice, anEntry("rolled_back", { entry_id: notice.id })])).toMatchObject([{ kind: "notice", withdrawn: true }]);
    expect(pieces([anEntry("rolled_back", { entry_id: "elsewhere" })])).toMatchObject([{ kind: "cut" }]);
  });

  it("without the rule after the last run still shows every entry somewhere", () => {
    const text = anEntry("text", { text: "x" });
    const end = (payload: object) => anEntry("run_end", { result: "finished", ...payload });
    const last = end({});
    const list = withoutRule(pieces([text, end({}), text, last]));
    expect([kinds(list), list.at(-1)?.entries.map((e) => e.id)]).toEqual([["agent", "end", "agent"], [text.id, last.id]]);
    expect(kinds(withoutRule(pieces([text, end({ error: "late" })])))).toEqual(["agent", "end"]);
    expect(kinds(withoutRule(pieces([text, end({ result: "paused" })])))).toEqual(["agent", "end"]);
    expect([withoutRule([]), kinds(withoutRule(pieces([last])))]).toEqual([[], ["end"]]);
  });

  it.each([
    ["hologram", { text: "x" }],
    ["text", null],
    ["text", "not an object"],
    ["tool_call", [1]],
  ])("shows what it does not understand raw: kind %s with %j", (kind, payload) => {
    expect(pieces([anEntry(kind, payload)])).toMatchObject([{ kind: "raw", name: kind, text: asText(payload) }]);
  });

  it("says what was too large to be sent", () => {
    expect(pieces([anEntry("text", { withheld: true, size: 4_000_000 }), anEntry("hologram", { withheld: true })])).toMatchObject([
      { kind: "withheld", what: "answer", size: 4_000_000 },
      { kind: "withheld", what: "hologram", size: null },
    ]);
  });
});

describe("a tool call", () => {
  it("is one piece with its result, and knows how long it took", () => {
    const piece = tool([call("a", "Bash", { command: "ls\npwd" }, { created_at: 10 }), result("a", { summary: "Exit code: 1", content: "x", is_error: true }, { created_at: 14.2 })]);
    expect(piece).toMatchObject({ name: "Bash", about: "ls", result: { summary: "Exit code: 1", content: "x", failed: true, withheld: false, size: null } });
    expect(piece.took).toBeCloseTo(4.2);
  });

  it("finds its result among those of others", () => {
    const list = pieces([call("a"), call("b"), result("b", { summary: "B" }), result("a", { summary: "A" })]);
    expect(list.map((p) => p.kind === "tool" && p.result?.summary)).toEqual(["A", "B"]);
  });

  it("may have no result", () => expect(tool([call("a")])).toMatchObject({ result: null, took: null }));

  it("may be further up than what is loaded", () => expect(tool([result("a", { summary: "late" })])).toMatchObject({ args: null, result: { summary: "late" } }));

  it("keeps its first result; another one stands alone", () => {
    expect(pieces([call("a"), result("a", { summary: "1" }), result("a", { summary: "2" })]).map((p) => p.kind === "tool" && p.result?.summary)).toEqual(["1", "2"]);
  });

  it("keeps a result that is too large beside its call", () => {
    expect(tool([call("a"), anEntry("tool_result", { call_id: "a", withheld: true, size: 9 })]).result?.withheld).toBe(true);
  });

  it.each([
    [{ file_path: "/home/ada/src/shop/login/login_test.go" }, "…/login/login_test.go"],
    [{ file_path: "login.go", command: "x" }, "login.go"],
    [{ pattern: "a/b/c/d/e/f", path: "/x" }, "a/b/c/d/e/f"],
    [{ command: "\n  make\n" }, "make"],
    [{ command: 4, other: "x" }, ""],
    [{}, ""],
  ])("with %j is about %s", (args, about) => expect(tool([call("a", "T", args)]).about).toBe(about));

  it("that is too large to be sent still has its result", () => {
    expect(tool([anEntry("tool_call", { call_id: "a", withheld: true, size: 9 }), result("a", { summary: "ok" })])).toMatchObject({ args: null, withheld: true, result: { summary: "ok" } });
  });

  it("without arguments or a name is shown all the same", () => {
    expect(tool([anEntry("tool_call", { call_id: "a", arguments: "odd" })])).toMatchObject({ name: "tool", args: {} });
  });
});

describe("an outcome", () => {
  const of = (over: Partial<ToolResult>) => outcome({ summary: "", content: "", failed: false, stopped: null, withheld: false, size: null, ...over });
  it.each([
    [{ summary: "Exit code: 0", content: "a\nb" }, "exit 0"],
    [{ summary: "Exit code: 1", failed: true }, "exit 1"],
    [{ summary: "not found", failed: true }, "failed"],
    [{ summary: "Read 2 line(s)", content: "a\nb\n" }, "2 lines"],
    [{ summary: "Found", content: "a" }, "1 line"],
    [{ summary: "Edited x" }, "done"],
    [{ summary: "a\nb\nc" }, "3 lines"],
    [{ withheld: true, summary: "x" }, "too large"],
  ])("of %j is %s", (over, text) => expect(of(over)).toBe(text));
  it("of no result says so", () => expect(outcome(null)).toBe("no result"));
});

describe("a change", () => {
  const text = (before: string, after: string) => diff(before, after).map((l) => `${l.sign}${l.text}`);
  it("is what differs, with a little of what does not", () => {
    expect(text("1\n2\n3\n4\n5\nold\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\nnew\nnewer\n6\n7\n8\n9\n")).toEqual([" 3", " 4", " 5", "-old", "+new", "+newer", " 6", " 7", " 8"]);
  });
  it("may only add or only take away", () => {
    expect(text("", "a\nb")).toEqual(["+a", "+b"]);
    expect(text("a\nb", "")).toEqual(["-a", "-b"]);
  });
  it("of equal texts is none", () => expect(text("a", "a").filter((l) => !l.startsWith(" "))).toEqual([]));
  it("does not count a repeated line twice", () => expect(text("a\na", "a\na\na")).toEqual([" a", " a", "+a"]));
});

describe("values", () => {
  it("are taken for what they are", () => {
    expect([asRecord({}), asRecord([]), asRecord(null), asRecord("x")]).toEqual([{}, null, null, null]);
    expect([asText("x"), asText(null), asText(undefined), asText(4), asText([1])]).toEqual(["x", "", "", "4", "[\n  1\n]"]);
    expect([asNumber(4), asNumber("4"), asNumber(NaN), asNumber(null)]).toEqual([4, null, null, null]);
  });
  it("of overlapping windows count once", () => expect(distinct([{ id: "a" }, { id: "b" }, { id: "a" }])).toEqual([{ id: "a" }, { id: "b" }]));
});
