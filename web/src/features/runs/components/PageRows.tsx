import { useEffect, useState } from "react";
import { clock, grouped } from "../../../lib/format/format";
import { ApiError } from "../../../lib/problem/problem";
import { ProblemText } from "../../../lib/problem/ProblemText";
import { filtered, unfiltered } from "../state/filter";
import type { Runs } from "../state/useRuns";
import { Bones } from "./Bones";
import type { ListPaneProps } from "./ListPane";
import { NoSessions } from "./NoSessions";
import { RunList } from "./RunList";

interface Props extends ListPaneProps {
  of: string;
  runs: Runs;
  /** Unix seconds. */
  now: number;
}

/** The list in numbered pages (v1). */
export function PageRows({ of, runs, now, filter, onFilter, selected, onOpen, hrefOf, rowHeight, list }: Props) {
  return (
    <>
      {runs.error !== null && runs.total !== null ? <Stale runs={runs} /> : null}
      {runs.loading ? (
        <Bones rowHeight={rowHeight} />
      ) : runs.total === null ? (
        <Failure error={runs.error} retry={runs.retry} filter={filter} onFilter={onFilter} />
      ) : runs.runs.length === 0 ? (
        <Empty filter={filter} onFilter={onFilter} />
      ) : (
        <>
          <RunList
            of={of}
            ref={list}
            runs={runs.runs}
            // Rows may be newer than the last tick; nothing happened in the future.
            now={Math.max(now, runs.asOf / 1000)}
            rowHeight={rowHeight}
            selected={selected}
            outdated={runs.outdated}
            hrefOf={hrefOf}
            onOpen={onOpen}
          />
          <Foot runs={runs} />
        </>
      )}
    </>
  );
}

/** Rows that could not be refreshed: they stay, and this says since when. */
function Stale({ runs }: { runs: Runs }) {
  return (
    <div className="strip strip-problem" role="alert">
      <span>
        <ProblemText text={runs.error?.message ?? ""} /> Rows as of {clock(runs.asOf / 1000)}.
      </span>
      <button type="button" onClick={runs.retry}>
        Try again
      </button>
    </div>
  );
}

type FailureProps = { error: Error | null; retry: () => void } & Pick<Props, "filter" | "onFilter">;

function Failure({ error, retry, filter, onFilter }: FailureProps) {
  const status = error instanceof ApiError ? error.status : null;
  const down = error instanceof ApiError && error.unreachable;
  return (
    <div className="empty" role="alert">
      <p className="problem">
        <ProblemText text={error?.message ?? "The list could not be read."} />
      </p>
      {down ? (
        <p>
          Is it running? Start it with <code>podium studio</code>; this page looks again by itself.
        </p>
      ) : null}
      {status === 501 ? (
        <p>
          Name a file in <code>store.path</code> and start <code>podium studio</code> again.
        </p>
      ) : null}
      {status === 422 && filtered(filter) ? (
        <button type="button" onClick={() => onFilter(unfiltered(filter))}>
          Clear the filters
        </button>
      ) : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

function Empty({ filter, onFilter }: Pick<Props, "filter" | "onFilter">) {
  if (!filtered(filter)) return <NoSessions what="No sessions yet." />;
  return (
    <div className="empty" role="status">
      <p>No session matches these filters. All of them were searched.</p>
      <button type="button" onClick={() => onFilter(unfiltered(filter))}>
        Clear the filters
      </button>
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
