import { useEffect, useRef, useState } from "react";
import { clock, count, grouped } from "../../../lib/format/format";
import { useNow } from "../../../lib/clock/useNow";
import { ApiError } from "../../../lib/problem/problem";
import { filtered, type RunFilter } from "../state/filter";
import { useRuns, type Runs } from "../state/useRuns";
import { RunList, type ListHandle } from "./RunList";

interface Props {
  filter: RunFilter;
  onFilter: (filter: RunFilter) => void;
  selected: string | null;
  onOpen: (id: string) => void;
  hrefOf: (id: string) => string;
  rowHeight: number;
  list: React.RefObject<ListHandle | null>;
}

/** How often ages move, in ms. */
const ageStep = 10_000;

/** The list with what stands above and below it. */
export function ListPane({ filter, onFilter, selected, onOpen, hrefOf, rowHeight, list }: Props) {
  const runs = useRuns(filter);
  const ticked = useNow(ageStep);
  // Rows may be newer than the last tick; nothing happened in the future.
  const now = Math.max(ticked, runs.asOf / 1000);
  const of = JSON.stringify(filter);
  return (
    <section className="list-pane" aria-label="Sessions">
      <div className="list-head">
        <div className="choice" role="group" aria-label="Order">
          {(["recent", "cost"] as const).map((sort) => (
            <button key={sort} type="button" aria-pressed={(filter.sort ?? "recent") === sort} onClick={() => onFilter({ ...filter, sort })}>
              {sort}
            </button>
          ))}
        </div>
        <Facets filter={filter} onFilter={onFilter} />
        <p className="count">{runs.total === null || runs.outdated ? "" : count(runs.total, "session")}</p>
        <Found of={of} runs={runs} />
      </div>
      {runs.error !== null && runs.total !== null ? <Stale runs={runs} /> : null}
      {runs.loading ? (
        <Bones rowHeight={rowHeight} />
      ) : runs.total === null ? (
        <Failure error={runs.error} retry={runs.retry} />
      ) : runs.runs.length === 0 ? (
        <Empty filter={filter} onFilter={onFilter} />
      ) : (
        <>
          <RunList
            of={of}
            ref={list}
            runs={runs.runs}
            now={now}
            rowHeight={rowHeight}
            selected={selected}
            outdated={runs.outdated}
            hrefOf={hrefOf}
            onOpen={onOpen}
          />
          <Foot runs={runs} />
        </>
      )}
    </section>
  );
}

/** Tells what a filter found; not what comes in while nobody asks. */
function Found({ of, runs }: { of: string; runs: Runs }) {
  const [told, setTold] = useState("");
  const answered = useRef<string | null>(null);
  const { total, outdated } = runs;
  useEffect(() => {
    if (total === null || outdated || answered.current === of) return;
    const first = answered.current === null;
    answered.current = of;
    if (!first) setTold(`Found ${count(total, "session")}`);
  }, [of, total, outdated]);
  return (
    <span role="status" className="unseen">
      {told}
    </span>
  );
}

/** Filters that have no control of their own, each with a way out. */
function Facets({ filter, onFilter }: Pick<Props, "filter" | "onFilter">) {
  const chips: { name: string; without: RunFilter }[] = [];
  if (filter.playbook) {
    const { playbook, ...without } = filter;
    chips.push({ name: `playbook ${playbook}`, without });
  }
  for (const tag of filter.tag ?? []) {
    const { tag: tags = [], ...rest } = filter;
    const others = tags.filter((t) => t !== tag);
    chips.push({ name: `tag ${tag}`, without: others.length > 0 ? { ...rest, tag: others } : rest });
  }
  return (
    <div className="chips">
      {chips.map((c) => (
        <button key={c.name} type="button" className="chip" onClick={() => onFilter(c.without)} aria-label={`Remove filter ${c.name}`}>
          <bdi>{c.name}</bdi> <span aria-hidden="true">×</span>
        </button>
      ))}
    </div>
  );
}

/** Rows that could not be refreshed: they stay, and this says since when. */
function Stale({ runs }: { runs: Runs }) {
  return (
    <div className="strip strip-problem" role="alert">
      <span>
        {runs.error?.message} Rows as of {clock(runs.asOf / 1000)}.
      </span>
      <button type="button" onClick={runs.retry}>
        Try again
      </button>
    </div>
  );
}

function Bones({ rowHeight }: { rowHeight: number }) {
  return (
    <div className="bones" aria-busy="true" role="status" aria-label="Loading sessions">
      {Array.from({ length: 12 }, (_, i) => (
        <div key={i} className="bone-row" style={{ height: rowHeight }}>
          <span className="bone" style={{ width: `${70 - ((i * 23) % 40)}%` }} />
        </div>
      ))}
    </div>
  );
}

function Failure({ error, retry }: { error: Error | null; retry: () => void }) {
  const down = error instanceof ApiError && error.unreachable;
  return (
    <div className="empty" role="alert">
      <p>{error?.message ?? "The list could not be read."}</p>
      {down ? (
        <p>
          Is it running? Start it with <code>podium studio</code>; this page looks again by itself.
        </p>
      ) : null}
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

function Empty({ filter, onFilter }: Pick<Props, "filter" | "onFilter">) {
  if (filtered(filter)) {
    return (
      <div className="empty" role="status">
        <p>No session matches these filters. All of them were searched.</p>
        <button type="button" onClick={() => onFilter(filter.sort ? { sort: filter.sort } : {})}>
          Clear the filters
        </button>
      </div>
    );
  }
  return (
    <div className="empty" role="status">
      <p>No sessions yet. Start one in a project folder:</p>
      <pre>podium run -p "What is in this repository?"</pre>
      <p>It appears here while it runs.</p>
    </div>
  );
}

/** How much of the list is here, and the way to more of it. */
function Foot({ runs }: { runs: Runs }) {
  const [told, setTold] = useState("");
  const shown = runs.runs.length;
  const [before, setBefore] = useState<number | null>(null);
  const { loadingMore, moreFailed } = runs;
  useEffect(() => {
    if (before === null || loadingMore) return;
    if (shown > before) setTold(`${grouped(String(shown - before))} more`);
    if (shown > before || moreFailed) setBefore(null);
  }, [before, shown, loadingMore, moreFailed]);
  return (
    <div className="list-foot">
      <span className="number">
        {grouped(String(shown))} of {grouped(String(runs.total ?? shown))}
      </span>
      <span role="status" className="unseen">
        {told}
      </span>
      {moreFailed ? (
        <span role="alert" className="problem">
          The next rows did not come.
        </span>
      ) : null}
      {runs.hasMore ? (
        // Not disabled while it works: a disabled button loses the focus.
        <button
          type="button"
          aria-disabled={loadingMore}
          onClick={() => {
            if (loadingMore) return;
            setBefore(shown);
            runs.loadMore();
          }}
        >
          {loadingMore ? "Loading" : moreFailed ? "Try again" : "Load more"}
        </button>
      ) : null}
    </div>
  );
}
