import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, type RenderResult } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import type { Run, RunPage } from "../features/runs/api/types";
import type { RunsWindow } from "../features/runs/api/windowTypes";
import type { Branch, Entry, EntryWindow, Message, RunDetail } from "../features/session/api/types";

/** What a fake Studio answers to one request. */
export interface Reply {
  status?: number;
  body?: unknown;
  /** Sent instead of body, as it is. */
  text?: string;
  type?: string;
  headers?: Record<string, string>;
  /** A stream of server-sent events in place of a body; it stays open until it is ended. */
  events?: ReadableStream<Uint8Array>;
}

/** A stream that a test writes to, and ends or breaks. */
export function eventStream(): { stream: ReadableStream<Uint8Array>; send: (data: unknown, id?: string) => void; end: () => void; fail: () => void; closed: () => boolean } {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let closed = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (c) => void (controller = c),
    cancel: () => void (closed = true),
  });
  return {
    stream,
    send: (data, id) => controller.enqueue(new TextEncoder().encode(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)),
    end: () => controller.close(),
    fail: () => controller.error(new TypeError("network error")),
    closed: () => closed,
  };
}

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string | null;
  /** Aborted once nobody waits for the answer. */
  signal: AbortSignal | null;
}

/** An answer now, one that is awaited, or none: the daemon is away. */
type Answer = Reply | Promise<Reply> | "away";

/** A Studio in place of fetch; every request that reached it is in asked. */
export function fakeStudio(answer: (r: Request) => Answer): { asked: Request[] } {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    const url = new URL(path, "http://studio.test");
    const request = {
      method: init.method ?? "GET", path: url.pathname, query: url.searchParams, headers: new Headers(init.headers), body: (init.body as string) ?? null, signal: init.signal ?? null,
    };
    asked.push(request);
    const aborted = new Promise<never>((_, reject) => {
      const stop = () => reject(init.signal?.reason ?? new DOMException("aborted", "AbortError"));
      if (init.signal?.aborted) stop();
      init.signal?.addEventListener("abort", stop);
    });
    aborted.catch(() => undefined);
    const reply = await Promise.race([answer(request), aborted]);
    if (reply === "away") throw new TypeError("Failed to fetch");
    const status = reply.status ?? 200;
    if (reply.events !== undefined) {
      const reader = reply.events.getReader();
      const body = new ReadableStream<Uint8Array>({
        pull: async (c) => {
          const { done, value } = await Promise.race([reader.read(), aborted]);
          if (done) c.close();
          else c.enqueue(value);
        },
        cancel: () => reader.cancel(),
      });
      init.signal?.addEventListener("abort", () => void reader.cancel().catch(() => undefined));
      return new Response(body, { status, headers: { "Content-Type": "text/event-stream" } });
    }
    const text = reply.text ?? (reply.body === undefined ? null : JSON.stringify(reply.body));
    return new Response(status === 204 ? null : text, { status, headers: { "Content-Type": reply.type ?? "application/json", ...reply.headers } });
  });
  return { asked };
}

/** Renders with queries that never retry by themselves. */
export function renderPage(ui: ReactNode): RenderResult & { queries: QueryClient } {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  const page = render(<QueryClientProvider client={queries}>{ui}</QueryClientProvider>);
  return { ...page, queries };
}

/** A row of the listing; what a test cares about is given. */
export function aRun(over: Partial<Run> = {}): Run {
  const id = over.id ?? "5f0c0000-0000-7000-8000-000000000001";
  return {
    run_id: id, id, name: "fix the flaky login test", playbook_name: null, agent_name: null, invocation_kind: "agent", show_topic: null,
    show_play_name: null, source_kind: "live", artifact_contract_json: null, artifact_verification_json: null, invocation_id: null,
    model: "claude-sonnet-5", provider: "anthropic", effort: null, agent_hash: null, status: "completed", started_at: 1_000, ended_at: 1_040,
    ended_at_is_approximate: false, created_at: 1_000, updated_at: 1_040, last_message_at: 1_040, effective_health: null, branch_count: 1,
    message_count: 3, project: "shop", project_source: "pod", status_reason_code: null, status_reason_summary: null, total_cost_usd: 0.42,
    input_tokens: 1_200, output_tokens: 340, tags: [], ...over,
  };
}

/** n rows with ids r0, r1, … */
export function runs(n: number, from = 0): Run[] {
  return Array.from({ length: n }, (_, i) => aRun({ id: `r${from + i}`, name: `session ${from + i}` }));
}

export function aPage(list: Run[], over: Partial<RunPage> = {}): RunPage {
  return { runs: list, page: 1, per_page: 200, total: list.length, total_pages: 1, has_next: false, has_prev: false, status_ended_at_mismatches: 0, ...over };
}

/** A window as version 2 sends it; without a cursor nothing is left. */
export function aRunsWindow(list: Run[], cursor: string | null, over: Partial<RunsWindow["pagination"]> = {}, total: number | null = null): RunsWindow {
  return {
    listing_version: 2, per_page: 100, runs: list, status_ended_at_mismatches: 0,
    pagination: {
      next_cursor: cursor, has_more_candidates: cursor !== null, returned: list.length, examined_candidates: 10_000, candidate_limit: 10_000,
      stop_reason: cursor === null ? "exhausted" : list.length > 0 ? "row_limit" : "candidate_limit", offset_basis: "candidates", search_mode: "none", ...over,
    },
    total: total === null ? { kind: "unknown", value: null } : { kind: "exact", value: total },
  };
}

/** The refusal of a listing in version 2. */
export function aRefusal(status: number, code: string, message: string, restart = false): Reply {
  return { status, body: { detail: { code, message, restart_required: restart } } };
}

export function aBranch(over: Partial<Branch> = {}): Branch {
  return {
    id: "b1", name: null, created_at: 1_000, messages: [], message_total: 0, message_offset: 0, message_limit: 100, message_window_count: 0,
    messages_truncated: false, message_has_older: false, message_stats: { message_count: 0, roles: {} }, first_message_at: null, last_message_at: null,
    model: null, provider: null, agent_name: null, status: null, started_at: null, ended_at: null, ...over,
  };
}

export function aDetail(over: Partial<RunDetail> = {}): RunDetail {
  const { tags = [], ...row } = aRun(over as Partial<Run>);
  return {
    ...row, tags, state_root: null, artifact_root: null, worker_name: "", task: "", step_count: 1, finished_at: null, error: null, cwd: null, steps: null,
    graph: null, manifest: {}, branches: [aBranch()], message_limit: 1, message_cursor: null, message_next_cursor: null,
    message_stats: { message_count: 3, roles: {}, branches: {}, tool_call_count: 0, error_count: 0, errors: [], files: [], bounded: false, files_bounded: false },
    status_evidence_refs: null, ...over,
  };
}

let entries = 0;

/** An entry; ids and times follow each other. */
export function anEntry(kind: string, payload: unknown, over: Partial<Entry> = {}): Entry {
  entries++;
  return { id: `e${entries}`, created_at: entries, ordinal: entries, kind, payload, ...over };
}

const noUsage: EntryWindow["usage"] = {
  input_tokens: null, cache_read_tokens: null, cache_write_tokens: null, output_tokens: null, reasoning_tokens: null, cost_usd: null, priced: null, unpriced: null,
};

/** A window of entries as the log route sends it. */
export function aWindow(list: Entry[], over: Partial<EntryWindow> = {}): EntryWindow {
  return {
    session_id: "s", before: null, after: null, total: list.length, pod: null, usage: noUsage,
    entries: list.map((e, i) => ({ ...e, kind: e.kind as "text", ordinal: i, pod_id: null, seq: null })), ...over,
  };
}

/** The window of a whole log that a query asks for, as the log route answers it. */
export function windowOf(log: Entry[], q: URLSearchParams): EntryWindow | Reply {
  const limit = Number(q.get("limit") ?? 200);
  const anchor = q.get("before") ?? q.get("after") ?? q.get("around");
  const at = log.findIndex((e) => e.id === anchor);
  if (anchor !== null && at < 0) return { status: 404, body: { detail: "The entry is not in session 's'" } };
  let [from, to] = [Math.max(0, log.length - limit), log.length];
  if (q.has("before")) [from, to] = [Math.max(0, at - limit), at];
  if (q.has("after")) [from, to] = [at + 1, Math.min(log.length, at + 1 + limit)];
  if (q.has("around")) [from, to] = [Math.max(0, at - Math.floor(limit / 2)), Math.min(log.length, at + Math.ceil(limit / 2))];
  if (q.has("from")) [from, to] = [Number(q.get("from")), Math.min(log.length, Number(q.get("from")) + limit)];
  const part = log.slice(from, to);
  return aWindow([], {
    entries: part.map((e, i) => ({ ...e, kind: e.kind as "text", ordinal: from + i, pod_id: null, seq: null })), total: log.length,
    before: from > 0 ? (part[0]?.id ?? null) : null, after: to < log.length ? (part.at(-1)?.id ?? null) : null,
  });
}

export function aMessage(lionClass: string, content: unknown, over: Partial<Message> = {}): Message {
  return { id: "m1", role: "assistant", content, content_withheld: false, sender: null, timestamp: 1, lion_class: lionClass, ...over };
}
