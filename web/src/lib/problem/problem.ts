/** A refusal or failure of Studio, in one shape whatever the body looked like. */
export class ApiError extends Error {
  constructor(
    /** HTTP status; 0 when no whole answer came. */
    readonly status: number,
    message: string,
    /** The server's own word, where the body has one. */
    readonly code?: string,
    /** Whether a listing has to start anew. */
    readonly restartRequired: boolean = false,
    /** What a bounded listing misses: structure, identity or keyring. */
    readonly lacks?: string,
  ) {
    super(message);
    this.name = "ApiError";
  }

  /** No answer came: the daemon is not running or the network is gone. */
  get unreachable(): boolean {
    return this.status === 0;
  }

  /** The same request may succeed later without anybody doing anything. */
  get passing(): boolean {
    return this.unreachable || this.status >= 500 && this.status !== 501;
  }
}

/** Reads an error body: a text, a list of fields, or an object with a code. */
export function problemOf(status: number, body: unknown, headers?: Headers): ApiError {
  const detail = isRecord(body) ? body["detail"] : undefined;
  if (status === 401) return new ApiError(status, "Studio wants its token.");
  if (typeof detail === "string" && detail !== "") return new ApiError(status, detail);
  if (Array.isArray(detail)) return new ApiError(status, fieldMessages(detail));
  if (isRecord(detail) && typeof detail["message"] === "string") {
    const code = typeof detail["code"] === "string" ? detail["code"] : undefined;
    return new ApiError(status, detail["message"], code, detail["restart_required"] === true, headers?.get("Podium-Listing-Lacks") ?? undefined);
  }
  return new ApiError(status, `Request failed: ${status}`);
}

function fieldMessages(detail: unknown[]): string {
  const most = 3;
  const messages = detail.slice(0, most).map((d) => {
    if (!isRecord(d)) return "invalid";
    const loc = Array.isArray(d["loc"]) ? d["loc"].slice(1).join(".") : "";
    const msg = typeof d["msg"] === "string" ? d["msg"] : "invalid";
    return loc === "" ? msg : `${loc}: ${msg}`;
  });
  const rest = detail.length - most;
  return messages.join("; ") + (rest > 0 ? ` (+${rest} more)` : "");
}

function isRecord(v: unknown): v is Record<string, unknown> {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}
