import { clock, count } from "../../../lib/format/format";
import { ProblemText } from "../../../lib/problem/ProblemText";
import type { RunFilter } from "../state/filter";
import { explain } from "../state/explain";
import type { Count, HistoryState, HistoryStore } from "../state/history";
import { next, reach, type Next } from "../state/words";

interface Props {
  state: HistoryState;
  store: HistoryStore;
  filter: RunFilter;
}

/** How many marks of windows have room. */
const mostMarks = 24;

/** The meter of the search, and what one can do from here. */
export function WindowFoot({ state, store, filter }: Props) {
  const { chain, count: total, reloaded } = state;
  const step = next(chain, filter.sort ?? "recent");
  const busy = chain.asking !== null;
  const act: Record<Next["does"], (() => void) | null> = { proceed: store.proceed, retry: store.retry, nothing: null };
  const trouble = chain.failure !== null && chain.rows.length > 0 ? explain(chain.failure.error) : null;
  return (
    <div className="window-foot">
      {trouble === null ? null : (
        <p role="alert" className="window-trouble">
          <span className="problem">
            <ProblemText text={trouble.what} />
          </span> {trouble.why} {trouble.commands?.map((c) => <code key={c}>{c}</code>)}
        </p>
      )}
      <div className="window-line">
        {/* One button for all of it, never disabled: it keeps the focus. */}
        <button type="button" className="window-next" aria-disabled={busy || act[step.does] === null} aria-describedby="window-next" onClick={() => act[step.does]?.()}>
          {step.word}
        </button>
        <span className="window-marks" aria-hidden="true" data-busy={busy}>
          {chain.windows.slice(-mostMarks).map((rows, i) => (
            <i key={i} data-empty={rows === 0} />
          ))}
          <i className="window-asked" />
        </span>
        <span className="window-note">{chain.windows.length === 0 ? "" : count(chain.windows.length, "window")}</span>
      </div>
      <p className="number window-reach">{reach(chain)}</p>
      <p className="window-note" id="window-next">
        {reloaded ? <b>Started a new search. </b> : null}
        {step.note}
      </p>
      <Total count={total} store={store} />
      <span role="status" className="unseen">
        {/* The same words once more are news once more. */}
        <span key={`${chain.asOf} ${total.state}`}>{told(state)}</span>
      </span>
    </div>
  );
}

/** The exact count: asked for by itself, and what it costs. */
function Total({ count: total, store }: { count: Count; store: HistoryStore }) {
  const counting = total.state === "counting";
  return (
    <div className="window-line">
      <button type="button" className="quiet window-count" onClick={counting ? store.cancelCount : () => void store.count()}>
        {counting ? "Cancel the count" : "Count all matches"}
      </button>
      <span className="window-note">{counted(total)}</span>
    </div>
  );
}

function counted(total: Count): string {
  switch (total.state) {
    case "unknown":
      return "reads the whole store once";
    case "counting":
      return "reading the whole store";
    case "exact":
      return `${total.value === 0 ? "exactly 0: no session matched" : `exactly ${count(total.value, "session")} matched`} at ${clock(total.at / 1000)}`;
    case "failed":
      return `The count failed: ${explain(total.error).what}`;
  }
}

/** The newest news. */
function told({ chain, count: total }: HistoryState): string {
  if (total.state === "failed" || (total.state === "exact" && total.at >= (chain.asOf ?? 0))) return counted(total);
  return chain.told;
}
