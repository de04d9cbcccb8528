import type { Entry } from "../api/types";
import { asNumber, asRecord, asText } from "./values";

interface Base {
  /** The id of its first entry. */
  id: string;
  /** Unix seconds. */
  time: number;
  /** Place of its first entry in the log. */
  ordinal: number;
  /** All entries that it is made of, and those behind it that show nothing. */
  entries: Entry[];
}

/** What an entry, or a few of them, are to a reader. */
export type Piece = Base & (
  | { kind: "person"; who: string; text: string; withdrawn: boolean }
  | { kind: "notice"; text: string; withdrawn: boolean }
  | { kind: "agent"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "system"; text: string }
  | ToolPiece
  | { kind: "cut"; why: string }
  | { kind: "end"; result: string; problem: string }
  | { kind: "compaction"; from: string; before: number | null; after: number | null; cost: number | null }
  | { kind: "withheld"; what: string; size: number | null }
  | { kind: "raw"; name: string; text: string }
);

/** A tool call with its result. */
export interface ToolPiece {
  kind: "tool";
  name: string;
  /** The argument that tells a person what the call is about. */
  about: string;
  /** null when the call is not among the entries, or too large to be sent. */
  args: Record<string, unknown> | null;
  withheld: boolean;
  /** Whether its run was paused before it began. */
  held: boolean;
  result: ToolResult | null;
  /** Seconds from the call to its result. */
  took: number | null;
}

export interface ToolResult {
  summary: string;
  content: string;
  failed: boolean;
  /** What a person made of it, by a pause or a cancel of its run: no failure of its own. */
  stopped: "stopped" | "not run" | null;
  withheld: boolean;
  /** Characters of one that is withheld, where the server says. */
  size: number | null;
}

/** Ends of an answer that a reader has to know of. */
const cuts: Record<string, string> = {
  max_tokens: "the answer was cut at the model's output limit",
  refusal: "the model refused to answer",
};

/**
 * Turns a log into what is shown of it: a call and its result become one
 * piece, ends of turns are left out unless they cut an answer, and a kind that
 * is not known is shown raw, never dropped.
 */
export function pieces(entries: Entry[]): Piece[] {
  const out: Piece[] = [];
  const calls = new Map<string, Piece & ToolPiece>();
  const inputs = new Map<string, Piece>();
  // Results that nothing else stands behind yet.
  let round: ToolResult[] = [];
  for (const e of entries) {
    if (e.kind !== "tool_result" && e.kind !== "run_end") round = [];
    const base: Base = { id: e.id, time: e.created_at, ordinal: e.ordinal, entries: [e] };
    const p = asRecord(e.payload);
    const withheld = p?.["withheld"] === true;
    if (withheld && e.kind !== "tool_result" && e.kind !== "tool_call") {
      out.push({ ...base, kind: "withheld", what: nouns[e.kind] ?? e.kind, size: asNumber(p["size"]) });
      continue;
    }
    const text = asText(p?.["text"]);
    switch (p === null ? "" : e.kind) {
      case "input": {
        const notice = asText(p?.["kind"]) !== "input" && asText(p?.["kind"]) !== "";
        const who = asText(p?.["client"]);
        const piece: Piece = notice
          ? { ...base, kind: "notice", text, withdrawn: false }
          : { ...base, kind: "person", who, text, withdrawn: false };
        inputs.set(e.id, piece);
        out.push(piece);
        break;
      }
      case "text":
        // Models answer with nothing beside their calls.
        if (text.trim() !== "") out.push({ ...base, kind: "agent", text });
        else out.at(-1)?.entries.push(e);
        break;
      case "reasoning":
        if (text.trim() !== "") out.push({ ...base, kind: "reasoning", text });
        else out.at(-1)?.entries.push(e);
        break;
      case "system":
        out.push({ ...base, kind: "system", text });
        break;
      case "tool_call": {
        const args = asRecord(p?.["arguments"]) ?? {};
        const piece: Piece & ToolPiece = {
          ...base, kind: "tool", name: asText(p?.["name"]) || "tool", about: about(args), args: withheld ? null : args, withheld, held: false, result: null, took: null,
        };
        calls.set(asText(p?.["call_id"]), piece);
        out.push(piece);
        break;
      }
      case "tool_result": {
        const result: ToolResult = {
          summary: asText(p?.["summary"]), content: asText(p?.["content"]), failed: p?.["is_error"] === true, stopped: null, withheld, size: withheld ? asNumber(p["size"]) : null,
        };
        const call = calls.get(asText(p?.["call_id"]));
        round.push(result);
        if (result.failed && result.summary === interrupted && call?.held !== false) result.stopped = "not run";
        if (call !== undefined && call.result === null) {
          call.result = result;
          call.took = e.created_at - call.time;
          call.entries.push(e);
        } else {
          out.push({ ...base, kind: "tool", name: "tool", about: "", args: null, withheld: false, held: false, result, took: null });
        }
        break;
      }
      case "turn_end": {
        const why = cuts[asText(p?.["stop_reason"])];
        if (why !== undefined) out.push({ ...base, kind: "cut", why });
        else out.at(-1)?.entries.push(e);
        break;
      }
      case "run_end":
        noteStopped(round, asText(p?.["result"]));
        if (p?.["result"] === "paused") for (const call of calls.values()) call.held ||= call.result === null;
        out.push({ ...base, kind: "end", result: asText(p?.["result"]), problem: asText(p?.["error"]) });
        break;
      case "rolled_back": {
        const input = inputs.get(asText(p?.["entry_id"]));
        if (input !== undefined && (input.kind === "person" || input.kind === "notice")) {
          input.withdrawn = true;
          input.entries.push(e);
        } else out.push({ ...base, kind: "cut", why: "an earlier input was taken back" });
        break;
      }
      case "compaction":
        out.push({
          ...base, kind: "compaction", from: asText(p?.["from_session"]),
          before: asNumber(p?.["tokens_before"]), after: asNumber(p?.["tokens_after"]), cost: asNumber(p?.["cost_usd"]),
        });
        break;
      default:
        out.push({ ...base, kind: "raw", name: e.kind, text: asText(e.payload) });
    }
  }
  return out;
}

/** Ends of a run that a person brought about. */
const stops: ReadonlySet<string> = new Set(["paused", "cancelled"]);

/** What closes a call for a person's wish: at the end of its run, or when the paused run that held it was discarded. */
const interrupted = "[Interrupted by user]";

/** How the result of a call begins that ended itself when its run was stopped. */
const cancelled = /^Cancelled\b/;

/** Marks the calls that ended with their run, not by themselves; one that failed before that stays failed. */
function noteStopped(round: ToolResult[], end: string): void {
  for (const result of round) {
    // What was closed at the end of a run had begun.
    if (result.stopped !== null || (stops.has(end) && result.failed && (result.summary === interrupted || cancelled.test(result.summary)))) result.stopped = "stopped";
  }
}

/** Pieces without the rule after the last run, which stands between runs; its entry goes to what is shown in front of it. */
export function withoutRule(list: Piece[]): Piece[] {
  const [before, last] = list.slice(-2);
  if (last?.kind !== "end" || before === undefined || last.result !== "finished" || last.problem !== "") return list;
  return [...list.slice(0, -2), { ...before, entries: [...before.entries, ...last.entries] }];
}

/** Which piece shows each entry, by the entry's id. */
export function shownIn(list: Piece[]): Map<string, number> {
  const at = new Map<string, number>();
  list.forEach((p, i) => p.entries.forEach((e) => at.set(e.id, i)));
  return at;
}

/** Kinds in a reader's words. */
const nouns: Record<string, string> = { input: "input", text: "answer", reasoning: "reasoning", system: "system text" };

/** Arguments that tell what a call is about, the most telling first. */
const telling = ["file_path", "command", "pattern", "path", "url", "query", "prompt", "description"];

/** Characters of an argument among which its first line is looked for. */
const longLine = 2_000;

function about(args: Record<string, unknown>): string {
  for (const key of telling) {
    const v = args[key];
    if (typeof v === "string" && v !== "") {
      const line = v.slice(0, longLine).trimStart().split("\n", 1)[0] ?? "";
      return key.endsWith("path") ? short(line) : line;
    }
  }
  return "";
}

/** The end of a long path, where its name is. */
function short(path: string): string {
  const parts = path.split("/");
  return parts.length <= 4 ? path : `…/${parts.slice(-2).join("/")}`;
}

/** How a call ended, in a word or two. */
export function outcome(result: ToolResult | null): string {
  if (result === null) return "no result";
  if (result.stopped !== null) return result.stopped;
  if (result.withheld) return "too large";
  const code = /^exit code: (\d+)/i.exec(result.summary);
  if (code !== null) return `exit ${code[1]}`;
  if (result.failed) return "failed";
  const body = result.content !== "" ? result.content : result.summary;
  let lines = body.endsWith("\n") ? 0 : 1;
  for (let at = body.indexOf("\n"); at >= 0; at = body.indexOf("\n", at + 1)) lines++;
  if (result.content === "" && lines === 1) return "done";
  return lines === 1 ? "1 line" : `${lines} lines`;
}
