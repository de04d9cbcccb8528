import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { listProjects } from "../features/runs/api/runs";
import type { RunFilter } from "../features/runs/api/types";
import { FilterBar } from "../features/runs/components/FilterBar";
import { RunList } from "../features/runs/components/RunList";
import { useNow, useRuns } from "../features/runs/state/useRuns";
import { SessionView } from "../features/session/components/SessionView";
import { ApiError } from "../lib/http/problem";
import { KeysDialog } from "./KeysDialog";
import { Separator, useListWidth } from "./Separator";
import { applyTheme, nextTheme, readTheme } from "./theme";
import { useKeys } from "./useKeys";
import { usePlace } from "./usePlace";

/** The whole page: what is listed, and the one session that is looked at. */
export function App() {
  const [place, go] = usePlace();
  const [theme, setTheme] = useState(readTheme);
  const [width, setWidth] = useListWidth();
  const [keysOpen, setKeysOpen] = useState(false);
  const now = useNow();
  const runs = useRuns(place.filter);
  const projects = useQuery({ queryKey: ["projects"], queryFn: ({ signal }) => listProjects(signal), staleTime: 30_000 });
  const back = useRef<HTMLElement | null>(null);

  const filterTo = useCallback(
    (filter: RunFilter, how: "push" | "replace") => go({ selected: place.selected, filter }, how),
    [go, place.selected],
  );
  const select = useCallback(
    (id: string | null) => {
      if (id !== null) back.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      go({ ...place, selected: id }, "push");
    },
    [go, place],
  );
  useEffect(() => {
    if (place.selected === null) back.current?.focus();
  }, [place.selected]);
  useKeys({ runs: runs.runs, selected: place.selected, select, help: () => setKeysOpen(true) });

  return (
    <div className="page" data-selected={place.selected !== null} style={{ gridTemplateColumns: `${width}px 5px minmax(0, 1fr)` }}>
      <header className="bar">
        <strong>Podium</strong>
        <FilterBar filter={place.filter} projects={projects.data?.projects ?? []} onChange={filterTo} />
        <button type="button" onClick={() => setKeysOpen(true)} aria-label="Keyboard shortcuts">
          ?
        </button>
        <button
          type="button"
          aria-label={`Theme: ${theme}`}
          onClick={() => {
            const next = nextTheme(theme);
            applyTheme(next);
            setTheme(next);
          }}
        >
          {theme}
        </button>
      </header>
      <section className="list-pane" aria-label="Sessions">
        <div className="list-head">
          <div className="sorts" role="group" aria-label="Order">
            {(["recent", "cost"] as const).map((sort) => (
              <button
                key={sort}
                type="button"
                aria-pressed={(place.filter.sort ?? "recent") === sort}
                onClick={() => filterTo({ ...place.filter, sort }, "push")}
              >
                {sort}
              </button>
            ))}
          </div>
          <p role="status" className="count">
            {runs.total === null ? "" : runs.total === 1 ? "1 session" : `${runs.total.toLocaleString("en")} sessions`}
            {runs.isError && runs.data ? " · not refreshed" : ""}
          </p>
        </div>
        <ListBody runs={runs} now={now} selected={place.selected} select={select} filtered={Object.keys(place.filter).some((k) => k !== "sort")} />
      </section>
      <Separator width={width} onWidth={setWidth} />
      <main className="session-pane">
        {place.selected === null ? (
          <p className="note">Select a session. j and k move, enter opens, ? shows all keys.</p>
        ) : (
          <>
            <button type="button" className="back" onClick={() => select(null)}>
              Back to the list
            </button>
            <SessionView key={place.selected} id={place.selected} now={now} />
          </>
        )}
      </main>
      <KeysDialog open={keysOpen} onClose={() => setKeysOpen(false)} />
    </div>
  );
}

interface BodyProps {
  runs: ReturnType<typeof useRuns>;
  now: number;
  selected: string | null;
  select: (id: string | null) => void;
  filtered: boolean;
}

function ListBody({ runs, now, selected, select, filtered }: BodyProps) {
  if (runs.isPending) {
    return (
      <div className="bones" aria-busy="true" aria-label="Loading sessions">
        {Array.from({ length: 12 }, (_, i) => (
          <div key={i} className="bone bone-row" />
        ))}
      </div>
    );
  }
  if (runs.isError && runs.data === undefined) {
    const down = runs.error instanceof ApiError && runs.error.unreachable;
    return (
      <div className="empty" role="alert">
        <p>{runs.error.message}</p>
        {down ? (
          <p>
            Start it with <code>podium studio</code>.
          </p>
        ) : null}
        <button type="button" onClick={() => void runs.refetch()}>
          Try again
        </button>
      </div>
    );
  }
  if (runs.runs.length === 0) {
    return filtered ? (
      <p className="empty">No session matches these filters.</p>
    ) : (
      <div className="empty">
        <p>No sessions yet. Start one in a project folder:</p>
        <pre>podium run -p "what does this project do?"</pre>
      </div>
    );
  }
  return (
    <>
      <RunList runs={runs.runs} now={now} selected={selected} onSelect={select} />
      {runs.hasNextPage ? (
        <button
          type="button"
          className="more"
          aria-disabled={runs.isFetchingNextPage}
          onClick={() => {
            if (!runs.isFetchingNextPage) void runs.fetchNextPage();
          }}
        >
          {runs.isFetchNextPageError ? "Load more (the last try failed)" : runs.isFetchingNextPage ? "Loading" : "Load more"}
        </button>
      ) : null}
    </>
  );
}
