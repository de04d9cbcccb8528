import type { Message } from "./api/types";

/** What a message is to a reader. */
export type Piece =
  | { kind: "person"; id: string; time: number; text: string }
  | { kind: "agent"; id: string; time: number; text: string }
  | { kind: "system"; id: string; time: number; text: string }
  | { kind: "reasoning"; id: string; time: number; text: string }
  | { kind: "tool"; id: string; time: number; name: string; about: string; input: string; output: string | null; failed: boolean }
  | { kind: "withheld"; id: string; time: number };

/**
 * Turns the messages of a branch into what is shown: a tool call and its
 * result become one piece, unknown content is shown raw and never dropped.
 */
export function pieces(messages: Message[]): Piece[] {
  const out: Piece[] = [];
  const calls = new Map<string, Extract<Piece, { kind: "tool" }>>();
  for (const m of messages) {
    const base = { id: m.id, time: m.timestamp };
    if (m.content_withheld) {
      out.push({ kind: "withheld", ...base });
      continue;
    }
    const c = record(m.content);
    const name = m.lion_class.slice(m.lion_class.lastIndexOf(".") + 1);
    if (name === "ActionRequest" || (c !== null && typeof c["function"] === "string" && !("output" in c))) {
      const args = c?.["arguments"] ?? {};
      const tool: Extract<Piece, { kind: "tool" }> = {
        kind: "tool",
        ...base,
        name: str(c?.["function"]) ?? "tool",
        about: about(args),
        input: show(args),
        output: null,
        failed: false,
      };
      for (const key of [str(c?.["call_id"]), str(c?.["action_response_id"]), m.id]) if (key) calls.set(key, tool);
      out.push(tool);
      continue;
    }
    if (name === "ActionResponse") {
      const call = [str(c?.["call_id"]), str(c?.["action_request_id"]), m.id].map((k) => (k ? calls.get(k) : undefined)).find((t) => t);
      const output = show(c?.["output"] ?? m.content);
      const failed = c?.["is_error"] === true || (typeof c?.["error"] === "string" && c["error"] !== "");
      if (call) {
        call.output = output;
        call.failed = failed;
      } else {
        out.push({ kind: "tool", ...base, name: str(c?.["function"]) ?? "tool", about: "", input: "", output, failed });
      }
      continue;
    }
    const text = textOf(m.content);
    if (c !== null && typeof c["reasoning"] === "string") out.push({ kind: "reasoning", ...base, text: c["reasoning"] });
    else if (m.role === "user") out.push({ kind: "person", ...base, text });
    else if (m.role === "assistant") out.push({ kind: "agent", ...base, text });
    else out.push({ kind: "system", ...base, text });
  }
  return out;
}

/** The words of a message, wherever its content keeps them. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const c = record(content);
  if (c !== null) {
    for (const key of ["text", "assistant_response", "instruction", "system_message", "system", "content"]) {
      const v = c[key];
      if (typeof v === "string") return v;
    }
  }
  return show(content);
}

/** The argument that tells a person what a call is about. */
function about(args: unknown): string {
  const a = record(args);
  for (const key of ["file_path", "command", "pattern", "path", "query"]) {
    const v = a?.[key];
    if (typeof v === "string") return v.split("\n", 1)[0] ?? "";
  }
  return "";
}

function show(v: unknown): string {
  return typeof v === "string" ? v : (JSON.stringify(v, null, 2) ?? "");
}

function str(v: unknown): string | null {
  return typeof v === "string" && v !== "" ? v : null;
}

function record(v: unknown): Record<string, unknown> | null {
  return typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Record<string, unknown>) : null;
}
