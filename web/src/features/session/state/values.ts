/** A JSON object, or null for everything else. */
export function asRecord(v: unknown): Record<string, unknown> | null {
  return typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Record<string, unknown>) : null;
}

/** A text as it is, nothing as the empty text, everything else as JSON. */
export function asText(v: unknown): string {
  if (typeof v === "string") return v;
  return v === null || v === undefined ? "" : JSON.stringify(v, null, 2);
}

/** A finite number, or null. */
export function asNumber(v: unknown): number | null {
  return typeof v === "number" && Number.isFinite(v) ? v : null;
}
