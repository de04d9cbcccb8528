import { compact, cost, costAtLeast, grouped } from "../../../lib/format/format";
import type { RunDetail, Usage } from "../api/types";

/** What a session used, for a person: never more exact than what is known. */
export interface Spend {
  cost: string;
  costTitle: string;
  /** null where nothing is known. */
  tokens: string | null;
  tokensTitle: string;
}

/**
 * What a session used by its log's counters, else by its row. Tokens in are
 * those that the vendor did not have in its cache; a cost that leaves requests
 * out is a lower bound.
 */
export function spendOf(run: Pick<RunDetail, "total_cost_usd" | "input_tokens" | "output_tokens">, usage: Usage | null): Spend {
  const input = usage?.input_tokens ?? run.input_tokens;
  const output = usage?.output_tokens ?? run.output_tokens;
  const cached = usage?.cache_read_tokens ?? null;
  const unpriced = usage?.unpriced ?? 0;
  const usd = usage?.cost_usd ?? run.total_cost_usd;
  const net = input === null ? null : Math.max(0, input - (cached ?? 0));
  const parts = [`${compact(net)} in`, ...(cached !== null && cached > 0 ? [`${compact(cached)} cached`] : []), `${compact(output)} out`];
  const counted: [string, number | null | undefined][] = [
    ["in", net], ["from the cache", cached], ["into the cache", usage?.cache_write_tokens], ["out", output], ["of them reasoning", usage?.reasoning_tokens],
  ];
  const title = counted.flatMap(([what, n]) => (n === null || n === undefined ? [] : [`${grouped(String(n))} ${what}`])).join(", ");
  return {
    cost: costAtLeast(usd, unpriced > 0),
    costTitle: usd === null ? "cost: unknown" : unpriced > 0 ? `cost: at least this; ${unpriced} of the requests have no price` : "cost",
    tokens: input === null && output === null ? null : parts.join(", "),
    tokensTitle: `tokens: ${title}${cached === null ? " (cached parts included)" : ""}`,
  };
}

/** What a summary cost, within a sentence: a dash says nothing there. */
export function summaryCost(usd: number | null | undefined): string {
  return usd === null || usd === undefined ? "cost unknown" : cost(usd);
}
