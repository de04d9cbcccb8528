import { describe, expect, it } from "vitest";
import goldenEntries from "../../../../../studio/testdata/golden/entries.json";
import goldenSession from "../../../../../studio/testdata/golden/session.json";
import { aMessage } from "../../../test/studio";
import type { Entry, Message } from "../api/types";
import { entriesOf, looksFailed } from "./messages";
import { pieces, type Piece } from "./pieces";

const bare = ({ id, kind, created_at, payload }: Entry) => ({ id, kind, created_at, payload });

describe("the daemon's own recorded answers", () => {
  const messages = goldenSession.branches[0]?.messages as Message[];

  it("say the same as messages and as entries", () => {
    // m6 names m7 as its result and m7 names no call, which only messages tell.
    const told = new Set(messages.map((m) => m.id).filter((id) => id !== "m6" && id !== "m7"));
    const fromLog = pieces((goldenEntries.entries as Entry[]).filter((e) => told.has(e.id)));
    const words = ({ entries: _, ordinal: __, ...p }: Piece) => p;
    expect(pieces(entriesOf(messages)).filter((p) => told.has(p.id)).map(words)).toEqual(fromLog.map(words));
    expect(fromLog.map((p) => p.kind)).toEqual(["system", "person", "agent", "tool", "agent"]);
  });

  it("pair every call with its result", () => {
    expect(pieces(entriesOf(messages)).flatMap((p) => (p.kind === "tool" ? [[p.id, p.name, p.about, p.result?.failed]] : []))).toEqual([
      ["m4", "read_file", "/src/a.go", true],
      ["m6", "bash", "make", true],
    ]);
  });
});

describe("a message", () => {
  it.each([
    ["lionagi.protocols.messages.system.System", "system", { system_message: "be careful" }, { text: "be careful" }],
    ["System", "system", { system: "older form" }, { text: "older form" }],
    ["Instruction", "input", { instruction: "ship it", guidance: "slowly" }, { text: "ship it\n\n[guidance] slowly", kind: "input", client: "" }],
    ["Instruction", "input", { instruction: "disk full", kind: "notification" }, { text: "disk full", kind: "notification", client: "" }],
    ["Instruction", "input", { guidance: "alone" }, { text: '{\n  "guidance": "alone"\n}\n\n[guidance] alone', kind: "input", client: "" }],
    ["AssistantResponse", "text", { assistant_response: "done" }, { text: "done" }],
    ["AssistantResponse", "text", { response: "done" }, { text: "done" }],
    ["AssistantResponse", "text", "plain text, not JSON", { text: "plain text, not JSON" }],
    ["AssistantResponse", "text", null, { text: "" }],
    ["AssistantResponse", "text", { something: "else" }, { text: '{\n  "something": "else"\n}' }],
    ["Reasoning", "reasoning", { reasoning: "hm" }, { text: "hm" }],
    ["ActionRequest", "tool_call", { function: "Bash", arguments: { command: "ls" }, call_id: "c" }, { call_id: "c", name: "Bash", arguments: { command: "ls" } }],
    ["ActionRequest", "tool_call", { function: "Bash", arguments: "odd" }, { call_id: "m1", name: "Bash", arguments: {} }],
    ["ActionResponse", "tool_result", { output: "ok", is_error: true, call_id: "c" }, { call_id: "c", summary: "ok", is_error: true }],
    ["ActionResponse", "tool_result", { output: { n: 1 } }, { call_id: "m1", summary: '{\n  "n": 1\n}', is_error: false }],
  ])("of class %s is an entry of kind %s", (lionClass, kind, content, payload) => {
    expect(entriesOf([aMessage(lionClass, content)]).map(bare)).toEqual([{ id: "m1", kind, created_at: 1, payload }]);
  });

  it.each([
    ["user", "input"],
    ["system", "system"],
    ["action", "tool_result"],
    ["assistant", "text"],
    ["stranger", "text"],
  ])("of no known class goes by its role: %s is %s", (role, kind) => {
    expect(entriesOf([aMessage("__unknown__", "x", { role })])[0]?.kind).toBe(kind);
  });

  it("keeps its sender", () => {
    expect(entriesOf([aMessage("Instruction", { instruction: "x" }, { sender: "ada" })])[0]?.payload).toMatchObject({ client: "ada" });
  });
});

describe("a call and its result", () => {
  const request = (content: object, over = {}) => aMessage("ActionRequest", content, { id: "q", ...over });
  const response = (content: object | null, over = {}) => aMessage("ActionResponse", content, { id: "r", ...over });

  it.each([
    ["by the call's id", request({ function: "f", call_id: "c" }), response({ output: "o", call_id: "c" })],
    ["by the request's message", request({ function: "f" }), response({ output: "o", action_request_id: "q" })],
    ["by the response's message", request({ function: "f", action_response_id: "r" }), response({ output: "o" })],
    ["when the result is withheld", request({ function: "f" }), response(null, { content_withheld: true, action_request_id: "q" })],
    ["when the call names a withheld result", request({ function: "f", action_response_id: "r" }), response(null, { content_withheld: true })],
  ])("find each other %s", (_, q, r) => {
    const [piece, ...rest] = pieces(entriesOf([q, r]));
    expect(rest).toEqual([]);
    expect(piece).toMatchObject({ kind: "tool", id: "q" });
    expect(piece?.kind === "tool" && piece.result).toBeTruthy();
  });
});

describe("an output without a flag", () => {
  it.each([
    ["Exit code: 0\nok", false],
    ["Exit code: 2\nboom", true],
    ["some text\nexit code: 1", true],
    ["Process exited with code 3.", true],
    ["Process exited with code 0", false],
    ["Error: no such file or directory", true],
    ["cat: x: no such file or directory", false],
    ["all is well", false],
    ["1\n2\n3\n4\n5\n6\n7\n8\nExit code: 1", false],
    ["", false],
  ])("%j failed: %s", (output, failed) => expect(looksFailed(output)).toBe(failed));
});
