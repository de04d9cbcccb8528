import type { Frame } from "./types";

/** What came over the stream is no frame. */
export class ForeignFrame extends Error {}

/**
 * Reads one frame of the fleet's stream. A kind that is not known is null: a
 * newer daemon may say more. What is no frame at all is a ForeignFrame.
 */
export function readFrame(text: string): Frame | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    throw foreign("no JSON");
  }
  if (!isRecord(frame) || typeof frame["type"] !== "string") throw foreign("a frame without a type");
  switch (frame["type"]) {
    case "heartbeat":
      return { type: "heartbeat" };
    case "reset":
      demand(frame, ["pods", "runs"], []);
      return frame as unknown as Frame;
    case "change":
      demand(frame, ["pods", "runs"], ["gone_pods", "gone_runs"]);
      return frame as unknown as Frame;
    default:
      return null;
  }
}

function demand(frame: Record<string, unknown>, rows: string[], names: string[]): void {
  if (typeof frame["as_of"] !== "number") throw foreign("no time");
  for (const key of rows) {
    const id = key === "pods" ? "name" : "id";
    const list = frame[key];
    if (!Array.isArray(list) || !list.every((row) => isRecord(row) && typeof row[id] === "string")) throw foreign(`no ${key}`);
  }
  for (const key of names) {
    const list = frame[key];
    if (!Array.isArray(list) || !list.every((name) => typeof name === "string")) throw foreign(`no ${key}`);
  }
}

function foreign(what: string): ForeignFrame {
  return new ForeignFrame(`the fleet's stream sent ${what}`);
}

function isRecord(v: unknown): v is Record<string, unknown> {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}
