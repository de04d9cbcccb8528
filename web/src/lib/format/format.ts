const unknown = "—";

/** A cost for a person: a dash is unknown, never 0. */
export function cost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined || !Number.isFinite(usd)) return unknown;
  if (usd > 0 && usd < 0.01) return `$${usd.toFixed(4)}`;
  return `${usd < 0 ? "-" : ""}$${grouped(Math.abs(usd).toFixed(2))}`;
}

/** A cost that may leave something out. */
export function costAtLeast(usd: number | null | undefined, partial: boolean): string {
  const text = cost(usd);
  return partial && text !== unknown ? `≥ ${text}` : text;
}

/** How long ago, in the two largest units: 59s, 1m 1s, 2h 5m, 1d 1h. */
export function age(nowSeconds: number, thenSeconds: number | null | undefined): string {
  if (thenSeconds === null || thenSeconds === undefined || !Number.isFinite(thenSeconds)) return unknown;
  return duration(nowSeconds - thenSeconds);
}

/** A length of time in seconds, in the same form as age. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return unknown;
  const s = Math.floor(seconds);
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${s % 60}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h ${Math.floor(s / 60) % 60}m`;
  return `${Math.floor(s / 86400)}d ${Math.floor(s / 3600) % 24}h`;
}

/** How long one step took, in seconds: 80 ms, 0.1 s, 4.2 s, 42 s, then as duration. */
export function took(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return unknown;
  if (seconds < 0.1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 60 ? `${Math.floor(seconds)} s` : duration(seconds);
}

/** Counts of tokens: exact below 1000, else one truncated decimal and k or M. */
export function compact(n: number | null | undefined): string {
  if (n === null || n === undefined) return unknown;
  if (n < 1000) return String(n);
  if (n < 1_000_000) return `${Math.floor(n / 100) / 10}k`;
  return `${Math.floor(n / 100_000) / 10}M`;
}

/** What a compaction made of a context, in tokens; a count of 0 was never taken. */
export function shrinking(before: number | null | undefined, after: number | null | undefined): string {
  return `${compact(before || null)} to ${compact(after || null)} tokens`;
}

/** An exact count with its noun: 1 session, 20,000 sessions. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${grouped(String(n))} ${n === 1 ? one : many}`;
}

/** A point in time, in the viewer's zone and with seconds. */
export function moment(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return unknown;
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return unknown;
  return date.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** A day, in the viewer's zone: 3 May 2026. */
export function day(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? unknown : date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** The time of day, in the viewer's zone. */
export function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB");
}

/** Thousands apart, in a number's decimal text. */
export function grouped(digits: string): string {
  return digits.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",");
}
