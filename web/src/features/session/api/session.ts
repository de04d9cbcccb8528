import { fetchBlob, fetchJson } from "../../../lib/http/fetch";
import type { EntryWindow, FileText, Lineage, RunDetail, SearchWindow } from "./types";

/** Entries of one window of a log. */
export const entriesPerWindow = 200;

/** Messages of each branch in one window. */
const messagesPerWindow = 100;

/** Which window of a log: at most one of these; the newest without any. */
export interface WindowAt {
  before?: string;
  after?: string;
  around?: string;
  /** Place of the first entry, from 0. */
  from?: number;
}

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

/** A window of a log, of at most limit entries. */
export function getEntries(id: string, at: WindowAt, limit: number, signal?: AbortSignal): Promise<EntryWindow> {
  const q = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries(at)) q.set(name, String(value));
  return fetchJson(`${session(id)}/entries?${q}`, { signal });
}

export function getLineage(id: string, signal?: AbortSignal): Promise<Lineage> {
  return fetchJson(`${session(id)}/lineage`, { signal });
}

/** Looks for a text in at most 10,000 entries, from the beginning or behind an entry. */
export function searchLog(id: string, text: string, after: string | null, signal?: AbortSignal): Promise<SearchWindow> {
  const q = new URLSearchParams({ q: text });
  if (after !== null) q.set("after", after);
  return fetchJson(`${session(id)}/search?${q}`, { signal });
}

/** The whole log, as Markdown or JSON Lines. */
export function exportLog(id: string, format: "md" | "jsonl"): Promise<Blob> {
  return fetchBlob(`${session(id)}/export?format=${format}`);
}

/** The text of a file among a run's artifacts. */
export function getFile(id: string, path: string, signal?: AbortSignal): Promise<FileText> {
  return fetchJson(`${run(id)}/file?${new URLSearchParams({ path })}`, { signal });
}

/** Adds a tag; all tags are the answer. */
export async function addTag(id: string, tag: string): Promise<string[]> {
  const answer = await fetchJson<{ tags: string[] }>(`${session(id)}/tags`, { method: "POST", body: { tag } });
  return answer.tags;
}

/** Takes a tag away; those that remain are the answer. */
export async function removeTag(id: string, tag: string): Promise<string[]> {
  const answer = await fetchJson<{ tags: string[] }>(`${session(id)}/tags/${inPath(tag)}`, { method: "DELETE" });
  return answer.tags;
}

/** Gives a session a name; the answer is the one it is shown under. */
export async function renameSession(id: string, name: string): Promise<string> {
  const answer = await fetchJson<{ name: string }>(session(id), { method: "PATCH", body: { name } });
  return answer.name;
}

/** Deletes a session with its log and its spend, for good. */
export function deleteSession(id: string): Promise<void> {
  return fetchJson(session(id), { method: "DELETE" });
}

function run(id: string): string {
  return `/api/runs/${inPath(id)}`;
}

function session(id: string): string {
  return `/api/sessions/${inPath(id)}`;
}

/**
 * A text as one part of a path. Half a character (a lone surrogate) has no
 * encoding; it is replaced, as a server would replace it.
 */
export function inPath(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd"));
}
