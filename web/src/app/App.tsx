import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { TokenForm } from "../features/access/components/TokenForm";
import { Overview } from "../features/overview/components/Overview";
import { listProjects } from "../features/runs/api/runs";
import { FilterBar } from "../features/runs/components/FilterBar";
import { ListPane } from "../features/runs/components/ListPane";
import type { ListHandle } from "../features/runs/components/RunList";
import { withProject, type RunFilter } from "../features/runs/state/filter";
import { SessionView } from "../features/session/components/SessionView";
import { useMedia } from "../lib/media/useMedia";
import { KeysDialog } from "./KeysDialog";
import { writePlace } from "./place";
import { rowHeights, useRows } from "./rows";
import { Separator, useListWidth } from "./Separator";
import { applyTheme, nextTheme, readTheme } from "./theme";
import { useKeys } from "./useKeys";
import { usePlace, type How } from "./usePlace";

/** Below this there is one pane. */
const oneEnough = "(max-width: 899px)";

/** How long counts of projects are good for, in ms: they cost a look at every session. */
const projectsKept = 30_000;

/** The whole page: what is listed, and the one session that is looked at. */
export function App() {
  const [place, go] = usePlace();
  const [theme, setTheme] = useState(readTheme);
  const [rows, setRows] = useRows();
  const [width, setWidth] = useListWidth();
  const [keysOpen, setKeysOpen] = useState(false);
  const narrow = useMedia(oneEnough);
  const list = useRef<ListHandle>(null);
  const projects = useQuery({ queryKey: ["projects"], queryFn: ({ signal }) => listProjects(signal), staleTime: projectsKept });

  const { selected, filter } = place;
  const filterTo = useCallback((to: RunFilter, how: How = "push") => go({ selected, filter: to }, how), [go, selected]);
  const open = useCallback((id: string) => go({ selected: id, filter }, "push"), [go, filter]);
  const close = useCallback(() => go({ selected: null, filter }, "push"), [go, filter]);
  const hrefOf = useCallback((id: string) => writePlace({ selected: id, filter }), [filter]);
  // A search from a session that covers the list closes the session first.
  const searching = useRef(false);
  const toList = useCallback(() => list.current?.focus(), []);
  useKeys({
    move: (by) => {
      if (!narrow || selected === null) list.current?.move(by);
    },
    search: () => {
      if (narrow && selected !== null) {
        searching.current = true;
        close();
      } else toSearch();
    },
    help: () => setKeysOpen(true),
    back: () => {
      if (selected === null) toList();
      else close();
    },
  });

  // What was closed gives the focus back to its row.
  const was = useRef(selected);
  useEffect(() => {
    if (was.current !== null && selected === null) (searching.current ? toSearch : toList)();
    searching.current = false;
    was.current = selected;
  }, [selected, toList]);

  return (
    <div className="page">
      <header className="bar">
        <h1>Podium</h1>
        <FilterBar
          filter={filter}
          projects={projects.data?.projects ?? []}
          onProjects={() => {
            if (Date.now() - projects.dataUpdatedAt > projectsKept) void projects.refetch();
          }}
          onChange={filterTo}
          onLeave={toList}
        />
        <div className="settings">
          <button type="button" className="quiet" aria-pressed={rows === "compact"} onClick={() => setRows(rows === "compact" ? "comfortable" : "compact")}>
            compact
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={`Theme: ${theme}`}
            onClick={() => {
              const next = nextTheme(theme);
              applyTheme(next);
              setTheme(next);
            }}
          >
            {theme}
          </button>
          <button type="button" className="quiet" onClick={() => setKeysOpen(true)} aria-label="Keys" aria-keyshortcuts="?">
            ?
          </button>
        </div>
        <TokenForm />
      </header>
      <main className="panes" data-open={selected !== null} style={narrow ? undefined : { gridTemplateColumns: `min(${width}px, 55%) 7px minmax(0, 1fr)` }}>
        <ListPane
          above={<Overview project={filter.project_null ? null : filter.project} onProject={(project) => filterTo(withProject(filter, project))} />}
          filter={filter}
          onFilter={filterTo}
          selected={selected}
          onOpen={open}
          hrefOf={hrefOf}
          rowHeight={rowHeights[rows]}
          list={list}
        />
        {narrow ? null : <Separator width={width} onWidth={setWidth} />}
        <section className="session-pane" aria-label="Session">
          {selected === null ? (
            <p className="note hint">
              Select a session to read it. <kbd>j</kbd> and <kbd>k</kbd> move through the list, <kbd>Enter</kbd> opens, <kbd>?</kbd> shows all keys.
            </p>
          ) : (
            <>
              {narrow ? (
                <button type="button" className="back" onClick={close}>
                  Back to the list
                </button>
              ) : null}
              <SessionView
                key={selected}
                id={selected}
                takesFocus={narrow}
                hrefOf={hrefOf}
                onOpen={open}
                onFilter={(only) => filterTo({ ...(filter.list ? { list: filter.list } : {}), ...only })}
              />
            </>
          )}
        </section>
      </main>
      <KeysDialog open={keysOpen} onClose={() => setKeysOpen(false)} />
    </div>
  );
}

function toSearch(): void {
  document.getElementById("search")?.focus();
}
