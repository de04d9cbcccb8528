import { useMemo } from "react";
import type { Run } from "../api/types";
import { Bones } from "./Bones";
import type { ListPaneProps } from "./ListPane";
import { NoSessions } from "./NoSessions";
import { RunList } from "./RunList";
import { filtered, unfiltered, type RunFilter } from "../state/filter";
import { clock, count } from "../../../lib/format/format";
import { displayState } from "../../../lib/state/state";
import { nothingFound, nothingHere } from "../state/chain";
import { explain } from "../state/explain";
import type { HistoryState, HistoryStore, Only } from "../state/history";
import { Trouble } from "./Trouble";
import { WindowFoot } from "./WindowFoot";

interface Props extends ListPaneProps {
  history: { state: HistoryState; store: HistoryStore };
  /** Unix seconds. */
  now: number;
}

/** The list in bounded windows (v2). */
export function WindowRows(props: Props) {
  const { history, rowHeight, filter, onFilter, now, selected, hrefOf, onOpen, list } = props;
  const { state, store } = history;
  const { chain, only } = state;
  const rows = useMemo(() => shown(chain.rows, only), [chain.rows, only]);
  const of = `${state.key}#${chain.traversal}#${only}`;
  const starting = chain.asking?.kind === "begin";
  return (
    <>
      <Tools only={only} onShow={store.show} refreshing={starting} onRefresh={store.refresh} />
      {rows.length > 0 ? (
        <RunList
          key={state.key}
          of={of}
          ref={list}
          runs={rows}
          now={Math.max(now, (chain.asOf ?? 0) / 1000)}
          rowHeight={rowHeight}
          selected={selected}
          outdated={starting}
          hrefOf={hrefOf}
          onOpen={onOpen}
          openEnded={chain.frontier !== null}
          place={store.place?.of === of ? store.place : null}
          onLeave={(place) => (store.place = place)}
        />
      ) : chain.stop === null && starting ? (
        <Bones rowHeight={rowHeight} />
      ) : (
        <Nothing state={state} filter={filter} onFilter={onFilter} />
      )}
      <WindowFoot state={state} store={store} filter={filter} />
    </>
  );
}

function shown(rows: readonly Run[], only: Only): Run[] {
  return rows.filter((r) => only === "all" || displayState(r) === only);
}

/** What works on loaded rows alone, and the way to newer ones. */
function Tools({ only, onShow, refreshing, onRefresh }: { only: Only; onShow: (only: Only) => void; refreshing: boolean; onRefresh: () => void }) {
  return (
    <div className="window-tools">
      <div className="choice" role="group" aria-labelledby="in-loaded-rows">
        <span id="in-loaded-rows">in loaded rows</span>
        {(["all", "completed", "failed"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={only === one} onClick={() => onShow(one)}>
            {`${one[0]?.toUpperCase()}${one.slice(1)}`}
          </button>
        ))}
      </div>
      <button type="button" className="quiet" aria-disabled={refreshing} onClick={onRefresh} title="Begins a new search; its first window takes the place of these rows">
        Refresh
      </button>
    </div>
  );
}

/** Why no row is here: never more than is known. */
function Nothing({ state, filter, onFilter }: { state: HistoryState; filter: RunFilter; onFilter: Props["onFilter"] }) {
  const { chain, only, count: total } = state;
  if (chain.dropped === "store") {
    return (
      <div className="empty" role="alert">
        <p>Another store answers now: the one before was replaced, restored or given a new identity.</p>
        <p>Its rows were put away. Start again searches this one.</p>
      </div>
    );
  }
  if (chain.failure !== null) return <Trouble of={explain(chain.failure.error)} filter={filter} onFilter={onFilter} />;
  if (chain.rows.length > 0) {
    return (
      <div className="empty">
        <p>
          None of the {count(chain.rows.length, "loaded row")} {chain.rows.length === 1 ? "is" : "are"} {only}.
        </p>
        {chain.frontier === null ? null : <p>Rows that are not loaded may be.</p>}
      </div>
    );
  }
  if (chain.stop !== "exhausted") {
    return (
      <div className="empty">
        <p>{nothingHere}</p>
      </div>
    );
  }
  if (!filtered(filter)) return <NoSessions what={nothingFound} />;
  return (
    <div className="empty">
      <p>{nothingFound}</p>
      {total.state === "exact" && total.value === 0 ? (
        <p>No session matched at {clock(total.at / 1000)}: all were counted.</p>
      ) : (
        <p>Sessions that came or changed meanwhile were not seen. Refresh begins anew; a count says for sure.</p>
      )}
      <button type="button" onClick={() => onFilter(unfiltered(filter))}>
        Clear the filters
      </button>
    </div>
  );
}
