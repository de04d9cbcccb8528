import type { UsageSum } from "../api/types";
import { total, unpricedShare, type Sum } from "./sums";

/** Heights of the plot's rows and what lies between them, in pixels. */
export const plot = { sessions: 28, gap: 6, spend: 28, unpriced: 18 };

/** What is there is seen, however little of the largest it is. */
const seen = 2;

/** A hatched bar needs this much to look like one. */
const hatched = 4;

/** How long a bar is, in pixels; 0 for nothing, and at least two for something. */
export function bar(value: number, largest: number, room: number, least = seen): number {
  if (!(value > 0) || !(largest > 0)) return 0;
  return Math.max(least, Math.round((Math.min(value, largest) / largest) * room));
}

/** One day of the plot, in pixels. */
export interface DayBars {
  key: string;
  sessions: number;
  /** null where no request has a price: there is nothing to say then; 1 for free ones. */
  spend: number | null;
  /** How much of the day's spend is unknown, by requests. */
  unpriced: number;
}

/** The largest of each row, which its label names: most sessions, and the day with the most spend. */
export function largest(days: readonly UsageSum[]): { sessions: number; spend: Sum } {
  return {
    sessions: days.reduce((m, d) => Math.max(m, d.sessions), 0),
    // Without a priced day, all of them together say what there is to say.
    spend: days.reduce<Sum | null>((m, d) => (d.priced_n > 0 && (m === null || d.priced_usd > m.priced_usd) ? d : m), null) ?? total(days),
  };
}

/** The bars of all days, each row to its own scale. */
export function dayBars(days: readonly UsageSum[]): DayBars[] {
  const most = largest(days);
  return days.map((d) => ({
    key: d.key ?? "",
    sessions: bar(d.sessions, most.sessions, plot.sessions),
    spend: d.priced_n === 0 ? null : Math.max(1, bar(d.priced_usd, most.spend.priced_usd, plot.spend)),
    unpriced: bar(unpricedShare(d) ?? 0, 1, plot.unpriced - 2, hatched),
  }));
}
