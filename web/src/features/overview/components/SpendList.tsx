import { useId } from "react";
import { count } from "../../../lib/format/format";
import type { Usage, UsageSum } from "../api/types";
import { percent, spend, top, unpricedShare, type Sum } from "../state/sums";
import { nameOf } from "../state/names";
import { Hatch } from "./Hatch";

interface Props {
  usage: Usage;
  /** The project whose sessions are listed; undefined for all. */
  project: string | null | undefined;
  onProject: (project: string | null) => void;
}

/** Groups with a bar of their own; the others share one. */
const most = 20;

/** Spend by project or model as bars, the largest first. */
export function SpendList({ usage, project, onProject }: Props) {
  const { shown, others, rest } = top(usage.groups, most);
  const largest = Math.max(rest.priced_usd, ...shown.map((g) => g.priced_usd));
  const row = (sum: Sum) => <Numbers sum={sum} largest={largest} capped={usage.capped} />;
  return (
    <ul className="spend-list" aria-label={`Spend by ${usage.by}`}>
      {shown.map((g) => (
        <li key={g.key === null ? "\u0000" : `+${g.key}`}>
          <Name group={g} by={usage.by} pressed={project !== undefined && g.key === project} onProject={onProject} />
          {row(g)}
        </li>
      ))}
      {others > 0 ? (
        <li>
          <span className="spend-name">{count(others, "other")}</span>
          {row(rest)}
        </li>
      ) : null}
    </ul>
  );
}

function Name({ group, by, pressed, onProject }: { group: UsageSum; by: Usage["by"]; pressed: boolean; onProject: Props["onProject"] }) {
  const words = nameOf(group, by);
  const name = (
    <bdi className="spend-name" title={words}>
      {words}
    </bdi>
  );
  if (by !== "project") return name;
  return (
    <button type="button" className="quiet spend-pick" aria-pressed={pressed} onClick={() => onProject(group.key)}>
      {name}
    </button>
  );
}

function Numbers({ sum, largest, capped }: { sum: Sum; largest: number; capped: boolean }) {
  const hatch = useId();
  const share = unpricedShare(sum);
  return (
    <>
      <svg className="spend-bar" width="100%" height="13" aria-hidden="true">
        <Hatch id={hatch} />
        {sum.priced_usd > 0 ? <rect className="plot-spend" width={`${Math.max(1, (sum.priced_usd / largest) * 100)}%`} height="7" /> : null}
        {share ? <rect className="plot-unpriced" fill={`url(#${hatch})`} y="8" width={`${Math.max(3, share * 100)}%`} height="5" /> : null}
      </svg>
      <span className="spend-share">{share ? `${percent(share)} unpriced` : ""}</span>
      <span className="spend-cost number">{spend(sum, capped)}</span>
    </>
  );
}
