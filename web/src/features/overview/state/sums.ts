import { cost, count } from "../../../lib/format/format";
import type { Usage, UsageSum } from "../api/types";

/** What sums have in common, whatever they are sums of. */
export type Sum = Omit<UsageSum, "key">;

const nothing: Sum = { sessions: 0, priced_usd: 0, priced_n: 0, unpriced_n: 0 };

/** All of it together. */
export function total(groups: readonly Sum[]): Sum {
  return groups.reduce<Sum>(
    (t, g) => ({
      sessions: t.sessions + g.sessions,
      priced_usd: t.priced_usd + g.priced_usd,
      priced_n: t.priced_n + g.priced_n,
      unpriced_n: t.unpriced_n + g.unpriced_n,
    }),
    nothing,
  );
}

/** The share of requests without a known price, 0 to 1; null where there were none. */
export function unpricedShare(sum: Sum): number | null {
  const all = sum.priced_n + sum.unpriced_n;
  return all > 0 ? sum.unpriced_n / all : null;
}

/**
 * Spend for a person. Without requests nothing was spent, which is not the
 * same as free ones; without a price it is unknown; with some, or when not all
 * were read, it is a lower bound.
 */
export function spend(sum: Sum, capped: boolean): string {
  if (sum.priced_n === 0) return sum.unpriced_n === 0 ? "none" : cost(null);
  return `${sum.unpriced_n > 0 || capped ? "≥ " : ""}${cost(sum.priced_usd)}`;
}

/** A share in whole percent, where some is never 0 and not all is never 100. */
export function percent(share: number): string {
  if (share > 0 && share < 0.005) return "< 1 %";
  if (share < 1 && share >= 0.995) return "> 99 %";
  return `${Math.round(share * 100)} %`;
}

/** The overview in one line: 1,204 sessions · ≥ $84.10, 12 % unpriced. */
export function inWords(usage: Pick<Usage, "groups" | "capped" | "basis">): string {
  const sum = total(usage.groups);
  const sessions = `${usage.capped ? "≥ " : ""}${count(sum.sessions, "session")}`;
  const share = unpricedShare(sum);
  if (share === null) return sum.sessions === 0 ? `${sessions} · nothing spent` : `${sessions} · no requests`;
  if (share === 1) return `${sessions} · spend unknown, all unpriced`;
  return `${sessions} · ${spend(sum, usage.capped)}${share > 0 ? `, ${percent(share)} unpriced` : ""}`;
}

/** Whether there is nothing to draw. */
export function isEmpty(groups: readonly Sum[]): boolean {
  const sum = total(groups);
  return sum.sessions === 0 && sum.priced_n === 0 && sum.unpriced_n === 0;
}

/** The first groups, and the others as one. */
export function top(groups: readonly UsageSum[], most: number): { shown: readonly UsageSum[]; others: number; rest: Sum } {
  if (groups.length <= most) return { shown: groups, others: 0, rest: nothing };
  return { shown: groups.slice(0, most), others: groups.length - most, rest: total(groups.slice(most)) };
}
