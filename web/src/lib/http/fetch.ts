import { ApiError, problemOf } from "./problem";
import { dropToken, readToken } from "./token";

export interface RequestOptions {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * The one way the page talks to Studio: bearer when there is one, JSON both
 * ways, every failure an ApiError (an abort stays an AbortError).
 */
export async function fetchJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const token = readToken();
  if (token !== null) headers["Authorization"] = `Bearer ${token}`;
  const init: RequestInit = { method: options.method ?? "GET", headers };
  if (init.method !== "GET") {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(options.body ?? {});
  }
  if (options.signal) init.signal = options.signal;

  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new ApiError(0, "Studio does not answer.");
  }
  if (response.status === 401 && token !== null) dropToken(token);
  if (response.status === 204) return undefined as T;
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  if (!isJson) {
    if (!response.ok) throw new ApiError(response.status, `Request failed: ${response.status}`);
    throw new ApiError(response.status, "Studio answered something that is not JSON: is another program on its port?");
  }
  const body: unknown = await response.json().catch(() => {
    throw new ApiError(response.status, "Studio's answer ended early.");
  });
  if (!response.ok) throw problemOf(response.status, body);
  return body as T;
}
