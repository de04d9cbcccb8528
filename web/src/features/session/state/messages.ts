import type { Entry, Message } from "../api/types";
import { asRecord, asText } from "./values";

/**
 * The log entries that say what the messages of a branch say, so that both are
 * shown in one way.
 */
export function entriesOf(messages: Message[]): Entry[] {
  // A call may name its result where the result does not name its call.
  const answered = new Map<string, string>();
  for (const m of messages) {
    const response = asText(asRecord(m.content)?.["action_response_id"]) || (m.action_response_id ?? "");
    if (response !== "") answered.set(response, callOf(m));
  }
  return messages.map((m, i) => ({ ...entryOf(m, answered), ordinal: i, source: m }));
}

function entryOf(m: Message, answered: Map<string, string>): Omit<Entry, "ordinal"> {
  const base = { id: m.id, created_at: m.timestamp, kind: kindOf(m) };
  const c = asRecord(m.content);
  if (m.content_withheld) return { ...base, payload: { withheld: true, call_id: answered.get(m.id) ?? callOf(m) } };
  switch (base.kind) {
    case "tool_call":
      return { ...base, payload: { call_id: callOf(m), name: asText(c?.["function"]), arguments: asRecord(c?.["arguments"]) ?? {} } };
    case "tool_result": {
      const output = words(m, "output");
      const failed = typeof c?.["is_error"] === "boolean" ? c["is_error"] : looksFailed(output);
      return { ...base, payload: { call_id: answered.get(m.id) ?? callOf(m), summary: output, is_error: failed } };
    }
    case "system":
      return { ...base, payload: { text: words(m, "system_message", "system") } };
    case "input": {
      const guidance = asText(c?.["guidance"]);
      const parts = [words(m, "instruction"), guidance === "" ? "" : `[guidance] ${guidance}`];
      return { ...base, payload: { text: parts.filter((p) => p !== "").join("\n\n"), kind: asText(c?.["kind"]) || "input", client: m.sender ?? "" } };
    }
    case "reasoning":
      return { ...base, payload: { text: words(m, "reasoning") } };
    default:
      return { ...base, payload: { text: words(m, "assistant_response", "response") } };
  }
}

const classes: Record<string, string> = {
  ActionRequest: "tool_call",
  ActionResponse: "tool_result",
  System: "system",
  Instruction: "input",
  Reasoning: "reasoning",
  AssistantResponse: "text",
};

const roles: Record<string, string> = { user: "input", system: "system", action: "tool_result" };

/** The class decides, bare or with its module in front; else the role does. */
function kindOf(m: Message): string {
  return classes[m.lion_class.slice(m.lion_class.lastIndexOf(".") + 1)] ?? roles[m.role] ?? "text";
}

/**
 * What a call and its result have in common: the call id where one was
 * recorded, else the id of the call's message.
 */
function callOf(m: Message): string {
  const c = asRecord(m.content);
  return asText(c?.["call_id"]) || asText(c?.["action_request_id"]) || m.action_request_id || m.id;
}

/** The first named member that is there, else the whole content. */
function words(m: Message, ...names: string[]): string {
  const c = asRecord(m.content);
  for (const name of names) if (c !== null && name in c) return asText(c[name]);
  return asText(m.content);
}

/**
 * Judges an output where nothing else says whether the call failed: by the
 * exit code that its first lines name, or by a missing file among words of
 * failure.
 */
export function looksFailed(output: string): boolean {
  for (const line of output.split("\n", 8)) {
    const code = /^exit code:\s*(-?\d+)\s*$/i.exec(line) ?? /process exited with code.*?(-?\d+)\.?\s*$/i.exec(line);
    if (code !== null) {
      if (Number(code[1]) !== 0) return true;
      break;
    }
  }
  const head = output.slice(0, 300).toLowerCase();
  return output.toLowerCase().includes("no such file or directory") && /error:|failed|permission denied|not found/.test(head);
}
