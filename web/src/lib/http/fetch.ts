import { ApiError, problemOf } from "../problem/problem";
import { noteRefusal, readToken } from "./token";

export interface RequestOptions {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** The route takes no token: none is sent, and a 401 is about something else. */
  open?: boolean;
}

/** How long Studio may take for an answer, in ms. Its own reads end after 5 s. */
export const patience = 20_000;

/**
 * The one way the page talks to Studio: bearer when there is one, JSON both
 * ways, every failure an ApiError (an abort stays an AbortError).
 */
export async function fetchJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  if (response.status === 204) return undefined as T;
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  if (!isJson) {
    if (!response.ok) throw new ApiError(response.status, `Request failed: ${response.status}`);
    throw new ApiError(response.status, "The answer is not Studio's: it is no JSON. Is another program on its port?");
  }
  const body: unknown = await response.json().catch((e: unknown) => {
    if (options.signal?.aborted) throw e;
    throw new ApiError(0, "Studio's answer ended early.");
  });
  if (!response.ok) throw problemOf(response.status, body);
  return body as T;
}

/** A whole document, for the person to keep; it may take as long as it takes. */
export async function fetchBlob(path: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(path, { signal, long: true });
  if (!response.ok) throw problemOf(response.status, await response.json().catch(() => null));
  return response.blob();
}

async function send(path: string, options: RequestOptions & { long?: boolean }): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const token = options.open === true ? null : readToken();
  if (token !== null) headers["Authorization"] = `Bearer ${token}`;
  const method = options.method ?? "GET";
  const init: RequestInit = { method, headers, cache: "no-store" };
  if (method !== "GET") {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(options.body ?? {});
  }
  const late = options.long === true ? null : AbortSignal.timeout(patience);
  init.signal = AbortSignal.any([options.signal, late].filter((s) => s != null));

  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (e) {
    if (options.signal?.aborted) throw e;
    throw new ApiError(0, late?.aborted ? `Studio did not answer within ${patience / 1000} seconds.` : "Studio does not answer.");
  }
  if (response.status === 401 && options.open !== true) noteRefusal(token);
  return response;
}
