import { fetchJson } from "../../../lib/http/fetch";

/** The methods of a pod that the page calls. */
export type Method = "run" | "notify" | "pause" | "resume" | "cancel" | "compact";

/** The members that a method takes; the text is the pod's to keep. */
export function bodyOf(method: Method, text: string): Record<string, string> {
  return method === "run" ? { input: text } : method === "notify" ? { message: text } : {};
}

/** Hands a pod one method; the answer means that the pod took it, not that it is done. */
export function callPod(pod: string, method: Method, text = ""): Promise<{ request_id: string }> {
  return fetchJson(`/api/pods/${encodeURIComponent(pod)}/${method}`, { method: "POST", body: bodyOf(method, text) });
}

/** How many bytes a request may have, of which the message is nearly all. */
export const mostBytes = 1 << 20;

/** The bytes of the request that would carry a text. */
export function bytesOf(method: Method, text: string): number {
  return new TextEncoder().encode(JSON.stringify(bodyOf(method, text))).length;
}
