import { ApiError, problemOf } from "../problem/problem";
import { EventParser, type ServerEvent } from "./events";
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
  return (await fetchAnswer<T>(path, options)).body;
}

/** What fetchJson gives, with the headers that it came with. */
export async function fetchAnswer<T>(path: string, options: RequestOptions = {}): Promise<{ body: T; headers: Headers }> {
  const response = await send(path, options);
  const { headers } = response;
  if (response.status === 204) return { body: undefined as T, headers };
  const isJson = (headers.get("Content-Type") ?? "").includes("json");
  if (!isJson) {
    if (!response.ok) throw new ApiError(response.status, `Request failed: ${response.status}`);
    throw new ApiError(response.status, "The answer is not Studio's: it is no JSON. Is another program on its port?");
  }
  const body: unknown = await response.json().catch((e: unknown) => {
    if (options.signal?.aborted) throw e;
    throw new ApiError(0, "Studio's answer ended early.");
  });
  if (!response.ok) throw problemOf(response.status, body, headers);
  return { body: body as T, headers };
}

/** A whole document, for the person to keep; it may take as long as it takes. */
export async function fetchBlob(path: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(path, { signal, long: true });
  if (!response.ok) throw problemOf(response.status, await response.json().catch(() => null));
  return response.blob();
}

export interface StreamOptions {
  signal: AbortSignal;
  /** The newest event that was taken before: the stream goes on behind it. */
  lastEventId?: string | undefined;
  /** How long the stream may be silent before it counts as broken, in ms. */
  silence: number;
}

/**
 * Server-sent events over fetch, which unlike EventSource carries the bearer.
 * It ends when the server ends it; a refusal, a break and a silence are
 * ApiErrors.
 */
export async function* fetchEvents(path: string, { signal, lastEventId, silence }: StreamOptions): AsyncGenerator<ServerEvent> {
  const quiet = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), silence);
  };
  heard();
  try {
    const response = await send(path, { signal: AbortSignal.any([signal, quiet.signal]), long: true, events: lastEventId ?? "" });
    if (!response.ok) throw problemOf(response.status, await response.json().catch(() => null));
    if (response.body === null || !(response.headers.get("Content-Type") ?? "").startsWith("text/event-stream")) {
      throw new ApiError(response.status, "The answer is not Studio's: it is no stream. Is another program on its port?");
    }
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        heard();
        yield* parser.push(decoder.decode(value, { stream: true }));
      }
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  } catch (e) {
    if (signal.aborted || e instanceof ApiError) throw e;
    throw new ApiError(0, quiet.signal.aborted ? "Studio's stream fell silent." : "Studio's stream broke off.");
  } finally {
    clearTimeout(timer);
  }
}

async function send(path: string, options: RequestOptions & { long?: boolean; events?: string }): Promise<Response> {
  const headers: Record<string, string> = { Accept: options.events === undefined ? "application/json" : "text/event-stream" };
  if (options.events) headers["Last-Event-ID"] = options.events;
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
