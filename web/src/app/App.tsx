import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { LinkNotice } from "../features/access/components/LinkNotice";
import { TokenForm } from "../features/access/components/TokenForm";
import { getInvocation } from "../features/fleet/api/fleet";
import type { FleetHandle } from "../features/fleet/components/FleetList";
import { FleetPane } from "../features/fleet/components/FleetPane";
import type { Fleet } from "../features/fleet/state/fleet";
import { livingIn, useFleet, useFleetOf, type FleetStore } from "../features/fleet/state/store";
import type { Member } from "../features/fleet/state/view";
import { Overview } from "../features/overview/components/Overview";
import { listProjects } from "../features/runs/api/runs";
import { FilterBar } from "../features/runs/components/FilterBar";
import { ListPane } from "../features/runs/components/ListPane";
import type { ListHandle } from "../features/runs/components/RunList";
import { withProject, type RunFilter } from "../features/runs/state/filter";
import { DeletionStrips } from "../features/session/components/Deletions";
import { LivingContext } from "../lib/state/living";
import { useMedia } from "../lib/media/useMedia";
import { ActionsDialog } from "./ActionsDialog";
import { KeysDialog } from "./KeysDialog";
import { addressOf, type Place } from "./place";
import { opened } from "./parts";
import { rowHeights, useRows } from "./rows";
import { FleetSeparator, Separator, useFleetShare, useListWidth } from "./Separator";
import { applyTheme, nextTheme, readTheme } from "./theme";
import { focusedSubject, useActions, type Subject } from "./useActions";
import { useKeys } from "./useKeys";
import { usePlace, type How } from "./usePlace";

/** Below this there is one pane. */
const oneEnough = "(max-width: 899px)";

/** How long counts of projects are good for, in ms: they cost a look at every session. */
const projectsKept = 30_000;

/** The whole page: what lives and what was, and the one session that is looked at. */
export function App({ linkSpent = false }: { linkSpent?: boolean }) {
  const fleet = useFleet();
  const living = useMemo(() => livingIn(fleet), [fleet]);
  return (
    <LivingContext value={living}>
      <Page fleet={fleet} linkSpent={linkSpent} />
    </LivingContext>
  );
}

function Page({ fleet, linkSpent }: { fleet: FleetStore; linkSpent: boolean }) {
  const [place, go] = usePlace();
  const [theme, setTheme] = useState(readTheme);
  const [rows, setRows] = useRows();
  const [width, setWidth] = useListWidth();
  const [share, setShare] = useFleetShare();
  const [keysOpen, setKeysOpen] = useState(false);
  const [subject, setSubject] = useState<Subject | null>(null);
  const narrow = useMedia(oneEnough);
  const list = useRef<ListHandle>(null);
  const fleetList = useRef<FleetHandle>(null);
  const projects = useQuery({ queryKey: ["projects"], queryFn: ({ signal }) => listProjects(signal), staleTime: projectsKept });
  useIcon(useFleetOf(fleet, somebodyWaits));

  const { view, selected, pod, filter } = place;
  const anythingOpen = selected !== null || pod !== null;
  const filterTo = useCallback((to: RunFilter, how: How = "push") => go({ ...place, filter: to }, how), [go, place]);
  const at = useCallback((to: Partial<Place>): Place => ({ ...place, selected: null, entry: null, pod: null, invocation: null, ...to }), [place]);
  // Where the focus goes back to.
  const cameFrom = useRef<"fleet" | "list">("fleet");
  const open = useCallback(
    (id: string) => {
      cameFrom.current = "list";
      go(at({ selected: id }), "push");
    },
    [go, at],
  );
  const placeOf = useCallback((m: Pick<Subject, "session" | "pod">) => at(m.session === null ? { pod: m.pod } : { selected: m.session }), [at]);
  const openMember = useCallback(
    (m: Member) => {
      cameFrom.current = "fleet";
      go(placeOf(m), "push");
    },
    [go, placeOf],
  );
  const close = useCallback(() => go(at({}), "push"), [go, at]);
  const becomeSession = useCallback((id: string) => go(at({ selected: id }), "replace"), [go, at]);
  const hrefOf = useCallback((id: string, entry: string | null = null) => addressOf(at({ selected: id, entry })), [at]);
  useInvocation(place.invocation, becomeSession);

  // A search from a session that covers the list closes the session first.
  const searching = useRef(false);
  const toRows = useCallback(() => {
    const [first, second] = cameFrom.current === "fleet" ? [fleetList, list] : [list, fleetList];
    if (first.current?.focus() !== true) second.current?.focus();
  }, []);
  const toList = useCallback(() => void list.current?.focus(), []);
  const actions = useActions(fleet, subject, {
    open: (s) => go(placeOf(s), "push"),
    write: (s) => {
      go(placeOf(s), "push");
      requestAnimationFrame(toMessage);
    },
    linkOf: (s) => window.location.origin + addressOf(placeOf(s)),
  });
  useKeys({
    move: (by) => {
      if (narrow && anythingOpen) return;
      if (list.current?.holds() === true) {
        if (!list.current.move(by)) fleetList.current?.move(by);
      } else if (fleetList.current?.holds() === true) {
        if (!fleetList.current.move(by) && by > 0) list.current?.move(by);
      } else if (cameFrom.current === "list" || fleetList.current?.move(by) !== true) list.current?.move(by);
    },
    search: () => {
      if (narrow && anythingOpen) {
        searching.current = true;
        close();
      } else toSearch();
    },
    help: () => setKeysOpen(true),
    actions: () => setSubject(focusedSubject() ?? (anythingOpen ? { name: openName() ?? pod ?? "session", session: selected, pod } : null)),
    message: toMessage,
    view: (to) => go({ ...place, view: to }, "push"),
    back: () => (anythingOpen ? close() : toRows()),
  });

  // What was closed gives the focus back to its row.
  const was = useRef(anythingOpen);
  useEffect(() => {
    if (was.current && !anythingOpen) (searching.current ? toSearch : toRows)();
    searching.current = false;
    was.current = anythingOpen;
  }, [anythingOpen, toRows]);

  return (
    <div className="page">
      <header className="bar">
        <h1>Podium</h1>
        <nav className="views" aria-label="Views">
          {(["fleet", "history"] as const).map((v) => (
            <a
              key={v}
              href={addressOf({ ...place, view: v })}
              aria-current={v === view ? "page" : undefined}
              aria-keyshortcuts={v === "fleet" ? "g f" : "g h"}
              onClick={(e) => {
                if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
                e.preventDefault();
                go({ ...(narrow ? at({}) : place), view: v }, "push");
              }}
            >
              {v === "fleet" ? "Fleet" : "History"}
            </a>
          ))}
        </nav>
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
            dense
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
        <LinkNotice spent={linkSpent} />
        <DeletionStrips />
      </header>
      <main className="panes" data-open={anythingOpen} style={narrow ? undefined : { gridTemplateColumns: `min(${width}px, 55%) 7px minmax(0, 1fr)` }}>
        <div className="left-pane">
          <Overview project={filter.project_null ? null : filter.project} onProject={(project) => filterTo(withProject(filter, project))} />
          {view === "fleet" ? (
            <FleetPane
              store={fleet}
              rowHeight={rowHeights[rows]}
              list={fleetList}
              share={share}
              separator={<FleetSeparator share={share} onShare={setShare} />}
              isOpen={(m) => (m.session === null ? m.pod !== null && m.pod === pod : m.session === selected)}
              hrefOf={(m) => addressOf(placeOf(m))}
              onOpen={openMember}
            />
          ) : null}
          <ListPane filter={filter} onFilter={filterTo} selected={selected} onOpen={open} hrefOf={hrefOf} rowHeight={rowHeights[rows]} list={list} />
        </div>
        {narrow ? null : <Separator width={width} onWidth={setWidth} />}
        <section className="session-pane" aria-label="Session">
          {anythingOpen ? (
            <>
              {narrow ? (
                <button type="button" className="back" onClick={close}>
                  Back to the list
                </button>
              ) : null}
              <opened.Part
                store={fleet}
                session={selected}
                pod={pod}
                entry={place.entry ?? null}
                takesFocus={narrow}
                hrefOf={hrefOf}
                onOpen={open}
                onSession={becomeSession}
                onFilter={(only) => filterTo({ ...(filter.list ? { list: filter.list } : {}), ...only })}
              />
            </>
          ) : (
            <p className="note hint">
              Select a session to read it. <kbd>j</kbd> and <kbd>k</kbd> move through the rows, <kbd>Enter</kbd> opens, <kbd>?</kbd> shows all keys.
            </p>
          )}
        </section>
      </main>
      <KeysDialog open={keysOpen} onClose={() => setKeysOpen(false)} />
      <ActionsDialog of={actions} onClose={() => setSubject(null)} />
    </div>
  );
}

function toSearch(): void {
  document.getElementById("search")?.focus();
}

function toMessage(): void {
  document.getElementById("message")?.focus();
}

function openName(): string | null {
  return document.querySelector(".session h2")?.textContent ?? null;
}

/** Whether somebody waits for the person, as the page's icon says. */
function somebodyWaits(fleet: Fleet): boolean {
  return [...fleet.pods.values(), ...fleet.runs.values()].some((one) => one.attention !== null);
}

/** The page's icon, for whoever looks at another tab. */
function useIcon(waiting: boolean): void {
  useEffect(() => {
    document.querySelector('link[rel="icon"]')?.setAttribute("href", waiting ? "/icon-waiting.svg" : "/icon.svg");
  }, [waiting]);
}

/** Opens a session of the invocation that the address names. */
function useInvocation(id: string | null, open: (session: string) => void): void {
  const session = useQuery({ queryKey: ["invocation", id], enabled: id !== null, queryFn: ({ signal }) => getInvocation(id ?? "", signal), retry: false }).data
    ?.sessions[0]?.id;
  useEffect(() => {
    if (id !== null && session !== undefined) open(session);
  }, [id, session, open]);
}
