import { memo } from "react";
import { age, costAtLeast, moment } from "../../../lib/format/format";
import { shownName } from "../../../lib/format/names";
import { useLiving } from "../../../lib/state/living";
import { useLowerBound } from "../../../lib/state/lowerBound";
import { displayState, stateWord } from "../../../lib/state/state";
import { StateShape } from "../../../lib/state/StateShape";
import type { Run } from "../api/types";
import { lastActivity } from "../state/activity";

interface Props {
  run: Run;
  now: number;
  href: string;
  selected: boolean;
  /** The row that Tab reaches. */
  reachable: boolean;
  onFocus: (id: string) => void;
  onOpen: (id: string) => void;
}

/** One session of the list: a link, so that it opens elsewhere too. */
export const RunRow = memo(function RunRow({ run, now, href, selected, reachable, onFocus, onOpen }: Props) {
  const name = shownName(run.name, `…${run.id.slice(-12)}`);
  const living = useLiving(run.id);
  const state = living?.state ?? displayState(run);
  const atLeast = useLowerBound(run.id);
  const active = lastActivity(run);
  return (
    <a
      className="run-row"
      href={href}
      data-id={run.id}
      tabIndex={reachable ? 0 : -1}
      aria-current={selected ? "true" : undefined}
      onFocus={() => onFocus(run.id)}
      onClick={(e) => {
        // What a browser does with a link otherwise stays the browser's.
        if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
        e.preventDefault();
        onOpen(run.id);
      }}
    >
      <StateShape state={state} />
      <bdi className="run-name" title={name}>
        {name}
      </bdi>
      <span className={`run-state state-${state}`}>{living?.word ?? stateWord(run)}</span>
      <span className="run-age number" title={active === null ? undefined : moment(active)}>
        {age(now, active)}
      </span>
      <span className="run-cost number">{costAtLeast(run.total_cost_usd, atLeast)}</span>
    </a>
  );
});
