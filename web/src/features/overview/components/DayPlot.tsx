import { useId } from "react";
import { count, grouped } from "../../../lib/format/format";
import type { Usage, UsageSum } from "../api/types";
import { longDay, shortDay } from "../state/days";
import { dayBars, largest, plot } from "../state/scale";
import { inWords, percent, spend, unpricedShare } from "../state/sums";
import { Hatch } from "./Hatch";

/** Where the rows of the plot stand, from its top. */
const spendFloor = plot.sessions + plot.gap + plot.spend;
const height = spendFloor + plot.unpriced;

/** The part of a day's width that its bars take. */
const filled = 0.74;

/**
 * Sessions and spend of each day, and hatched below them the share of requests
 * whose price nobody knows.
 */
export function DayPlot({ usage }: { usage: Usage }) {
  const hatch = useId();
  const days = usage.groups;
  const most = largest(days);
  const bars = dayBars(days);
  const slot = 100 / bars.length;
  const places = [days[0], days[Math.floor((days.length - 1) / 2)], days.at(-1)];
  return (
    <div className="day-plot">
      <dl className="plot-rows" aria-hidden="true">
        <div className="plot-row">
          <dt>sessions</dt>
          <dd>{`max ${usage.capped ? "≥ " : ""}${grouped(String(most.sessions))}`}</dd>
        </div>
        <div className="plot-row">
          <dt>spend</dt>
          <dd>{most.spend.priced_n > 0 ? `max ${spend(most.spend, usage.capped)}` : spend(most.spend, usage.capped)}</dd>
        </div>
        <div className="plot-row plot-row-low">
          <dt>unpriced</dt>
        </div>
      </dl>
      <svg className="plot" role="img" aria-label={`The last ${count(days.length, "day")}: ${inWords(usage)}. Every day as a table: the button below.`} height={height} width="100%">
        <Hatch id={hatch} />
        <rect className="plot-floor" y={plot.sessions} width="100%" height={1} />
        <rect className="plot-floor" y={spendFloor} width="100%" height={1} />
        {bars.map((b, i) => {
          const place = { x: `${i * slot + (slot * (1 - filled)) / 2}%`, width: `${slot * filled}%` };
          return (
            <g key={b.key}>
              {b.sessions > 0 ? <rect className="plot-sessions" {...place} y={plot.sessions - b.sessions} height={b.sessions} /> : null}
              {b.spend === null ? null : <rect className="plot-spend" {...place} y={spendFloor - b.spend} height={b.spend} />}
              {b.unpriced > 0 ? <rect className="plot-unpriced" fill={`url(#${hatch})`} {...place} y={spendFloor + 2} height={b.unpriced} /> : null}
              <rect className="plot-day" x={`${i * slot}%`} width={`${slot}%`} height={height}>
                <title>{dayWords(days[i], usage.capped)}</title>
              </rect>
            </g>
          );
        })}
      </svg>
      <p className="plot-dates" aria-hidden="true">
        {places.map((d, i) => (
          <span key={i}>{shortDay(d?.key ?? "")}</span>
        ))}
      </p>
    </div>
  );
}

function dayWords(day: UsageSum | undefined, capped: boolean): string {
  if (day === undefined) return "";
  const share = unpricedShare(day);
  const money = share === null ? "no requests" : share === 1 ? "spend unknown" : spend(day, capped);
  return `${longDay(day.key ?? "")}: ${count(day.sessions, "session")}, ${money}${share ? `, ${percent(share)} unpriced` : ""}`;
}
