import { count, grouped } from "../../../lib/format/format";
import type { Usage, UsageSum } from "../api/types";
import { longDay } from "../state/days";
import { nameOf } from "../state/names";
import { spend, top, total, type Sum } from "../state/sums";

/** Groups with a row of their own. */
const most = 400;

/** The numbers behind a plot, the newest day or the largest group first. */
export function UsageTable({ usage }: { usage: Usage }) {
  const { shown, others, rest } = top(usage.by === "day" ? usage.groups.toReversed() : usage.groups, most);
  const counted = usage.basis === "usage" ? "requests" : "sessions";
  const numbers = (sum: Sum) => (
    <>
      <td>{grouped(String(sum.sessions))}</td>
      <td>{spend(sum, usage.capped)}</td>
      <td>{sum.priced_n + sum.unpriced_n === 0 ? "" : `${grouped(String(sum.unpriced_n))} of ${grouped(String(sum.priced_n + sum.unpriced_n))}`}</td>
    </>
  );
  return (
    <table className="usage-table">
      <caption className="unseen">{`Sessions and spend by ${usage.by}`}</caption>
      <thead>
        <tr>
          <th scope="col">{usage.by}</th>
          <th scope="col">sessions</th>
          <th scope="col">spend</th>
          <th scope="col">{`unpriced ${counted}`}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((g) => (
          <tr key={g.key === null ? "\u0000" : `+${g.key}`}>
            <th scope="row">
              <bdi>{label(g, usage)}</bdi>
            </th>
            {numbers(g)}
          </tr>
        ))}
        {others > 0 ? (
          <tr>
            <th scope="row">{count(others, "other")}</th>
            {numbers(rest)}
          </tr>
        ) : null}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">all</th>
          {numbers(total(usage.groups))}
        </tr>
      </tfoot>
    </table>
  );
}

function label(group: UsageSum, { by }: Usage): string {
  return by === "day" ? longDay(group.key ?? "") : nameOf(group, by);
}
