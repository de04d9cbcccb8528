import type { components } from "../../../generated/studio";
import { fetchJson } from "../../../lib/http/fetch";

/** The methods of a pod that the page calls. */
export type Method = "run" | "notify" | "pause" | "resume" | "cancel" | "compact";

/** The members that a method takes; the text is the pod's to keep. */
export function bodyOf(method: Method, text: string): Record<string, string> {
  return method === "run" ? { input: text } : method === "notify" ? { message: text } : {};
}

/**
 * Hands a pod one method; the answer means that the pod took it, not that it
 * is done. Of an input or a note with one id a pod takes the first only.
 */
export function callPod(pod: string, method: Method, text = "", id?: string): Promise<components["schemas"]["AcceptedBody"]> {
  return fetchJson(`/api/pods/${encodeURIComponent(pod)}/${method}`, { method: "POST", body: { ...bodyOf(method, text), ...(id === undefined ? {} : { request_id: id }) } });
}

/** An id for a request that may have to be repeated. */
export function newRequestId(): string {
  return "page-" + [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

/** How many bytes the text of a request may have, as JSON; the rest of a MiB is for its id. */
export const mostBytes = (1 << 20) - 128;

/** The bytes of the request that would carry a text. */
export function bytesOf(method: Method, text: string): number {
  return new TextEncoder().encode(JSON.stringify(bodyOf(method, text))).length;
}
