import { fetchBlob, fetchJson } from "../../../lib/http/fetch";
import type { EntryWindow, Lineage, RunDetail } from "./types";

/** Entries of one window of a log. */
const entriesPerWindow = 200;

/** Messages of each branch in one window. */
const messagesPerWindow = 100;

/** A run with hardly any messages: what stands above a conversation. */
export function getHead(id: string, signal?: AbortSignal): Promise<RunDetail> {
  return fetchJson(`${run(id)}?message_limit=1`, { signal });
}

/** A run with the newest messages of each branch, or the older ones that cursor names. */
export function getMessages(id: string, cursor: string | null, signal?: AbortSignal): Promise<RunDetail> {
  const q = new URLSearchParams({ message_limit: String(messagesPerWindow) });
  if (cursor !== null) q.set("message_cursor", cursor);
  return fetchJson(`${run(id)}?${q}`, { signal });
}

/** The newest entries of a log, or those in front of or behind one of them. */
export function getEntries(id: string, at: { before?: string; after?: string }, signal?: AbortSignal): Promise<EntryWindow> {
  const q = new URLSearchParams({ limit: String(entriesPerWindow), ...at });
  return fetchJson(`${session(id)}/entries?${q}`, { signal });
}

export function getLineage(id: string, signal?: AbortSignal): Promise<Lineage> {
  return fetchJson(`${session(id)}/lineage`, { signal });
}

/** The whole log, as Markdown or JSON Lines. */
export function exportLog(id: string, format: "md" | "jsonl"): Promise<Blob> {
  return fetchBlob(`${session(id)}/export?format=${format}`);
}

function run(id: string): string {
  return `/api/runs/${encodeURIComponent(id)}`;
}

function session(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}`;
}
