import { useEffect, useRef, useState } from "react";
import { count, grouped } from "../../../lib/format/format";
import { useNow } from "../../../lib/clock/useNow";
import { WindowRows } from "./WindowRows";
import { useHistory } from "../state/useHistory";
import type { RunFilter } from "../state/filter";
import { useRuns, type Runs } from "../state/useRuns";
import { PageRows } from "./PageRows";
import type { ListHandle } from "./RunList";

export interface ListPaneProps {
  filter: RunFilter;
  onFilter: (filter: RunFilter) => void;
  selected: string | null;
  onOpen: (id: string) => void;
  hrefOf: (id: string) => string;
  rowHeight: number;
  list: React.RefObject<ListHandle | null>;
  /** Stands above the list. */
  above?: React.ReactNode;
}

/** How often ages move, in ms. */
const ageStep = 10_000;

/** The two listings that a person can choose from, and what each is. */
const listings = [
  { list: undefined, word: "v1", title: "Numbered pages with exact totals; each look costs more the larger the store is" },
  { list: "window", word: "window", title: "Windows of at most 10,000 examined sessions; each looks only as far as you ask" },
] as const;

/** The list with what stands above it: in numbered pages, or in windows. */
export function ListPane(props: ListPaneProps) {
  const { filter, onFilter, above } = props;
  const windowed = filter.list === "window";
  const runs = useRuns(filter, !windowed);
  const history = useHistory(filter, windowed);
  const now = useNow(ageStep);
  const of = JSON.stringify(filter);
  return (
    <section className="list-pane" aria-label="Sessions">
      {above}
      <div className="list-head">
        <div className="choice" role="group" aria-label="Order">
          {(["recent", "cost"] as const).map((sort) => (
            <button key={sort} type="button" aria-pressed={(filter.sort ?? "recent") === sort} onClick={() => onFilter({ ...filter, sort })}>
              {sort}
            </button>
          ))}
        </div>
        <div className="choice" role="group" aria-label="Listing">
          {listings.map(({ list, word, title }) => (
            <button key={word} type="button" aria-pressed={filter.list === list} title={title} onClick={() => onFilter(inListing(filter, list))}>
              {word}
            </button>
          ))}
        </div>
        <Facets filter={filter} onFilter={onFilter} />
        <p className="count">{windowed ? loaded(history.state.chain.rows.length) : runs.total === null || runs.outdated ? "" : count(runs.total, "session")}</p>
        {windowed ? null : <Found of={of} runs={runs} />}
      </div>
      {windowed ? <WindowRows {...props} history={history} now={now} /> : <PageRows {...props} of={of} runs={runs} now={now} />}
    </section>
  );
}

function inListing({ list: _, ...rest }: RunFilter, list: RunFilter["list"]): RunFilter {
  return list ? { ...rest, list } : rest;
}

/** Rows that are here; of how many nobody knows. */
function loaded(rows: number): string {
  return rows === 0 ? "" : `${grouped(String(rows))} loaded`;
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

/** Filters that may be many or long, each with a way out. */
function Facets({ filter, onFilter }: Pick<ListPaneProps, "filter" | "onFilter">) {
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
