/** A cost for a person: a dash is unknown, never 0. */
export function cost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return "—";
  if (usd > 0 && usd < 0.01) return `$${usd.toFixed(4)}`;
  return `$${usd.toFixed(2)}`;
}

/** How long ago, in the two largest units: 59s, 1m 1s, 2h 5m, 1d 1h. */
export function age(nowSeconds: number, thenSeconds: number | null | undefined): string {
  if (thenSeconds === null || thenSeconds === undefined || !Number.isFinite(thenSeconds)) return "—";
  return duration(nowSeconds - thenSeconds);
}

/** A length of time in seconds, in the same form as age. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "—";
  const s = Math.floor(seconds);
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${s % 60}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h ${Math.floor(s / 60) % 60}m`;
  return `${Math.floor(s / 86400)}d ${Math.floor(s / 3600) % 24}h`;
}

/** Counts: exact below 1000, else one truncated decimal and k or M. */
export function compact(n: number | null | undefined): string {
  if (n === null || n === undefined) return "—";
  if (n < 1000) return String(n);
  if (n < 1_000_000) return `${Math.floor(n / 100) / 10}k`;
  return `${Math.floor(n / 100_000) / 10}M`;
}
