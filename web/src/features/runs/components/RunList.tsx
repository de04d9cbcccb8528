import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { age, cost } from "../../../lib/format/format";
import type { Run } from "../api/types";
import { displayState, stateWord } from "../state/state";
import { StateShape } from "./StateShape";

interface Props {
  runs: Run[];
  now: number;
  selected: string | null;
  onSelect: (id: string) => void;
}

const rowHeight = 32;

/** The rows of the list, of which only the visible ones are in the document. */
export function RunList({ runs, now, selected, onSelect }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const at = runs.findIndex((r) => r.id === selected);
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at, { align: "auto" });
    // Only a new selection scrolls; rows that arrive must not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected]);

  return (
    <div className="run-list" ref={scroller} role="list" aria-label="Sessions" tabIndex={-1}>
      <div className="run-list-space" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => {
          const run = runs[item.index];
          if (run === undefined) return null;
          const state = displayState(run);
          return (
            <div
              key={run.id}
              role="listitem"
              className="run-row-place"
              aria-setsize={runs.length}
              aria-posinset={item.index + 1}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <button
                type="button"
                className="run-row"
                aria-current={run.id === selected ? "true" : undefined}
                onClick={() => onSelect(run.id)}
              >
                <StateShape state={state} />
                <span className="run-name" title={run.name}>{run.name}</span>
                <span className={`run-state state-${state}`}>{stateWord(run)}</span>
                <span className="run-cost">{cost(run.total_cost_usd)}</span>
                <span className="run-age">{age(now, run.ended_at ?? run.updated_at)}</span>
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
