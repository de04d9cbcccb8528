import { useEffect, useMemo, useRef, useState } from "react";
import { clock } from "../../../lib/format/format";
import { askForToken } from "../../../lib/http/token";
import { recall, remember } from "../../../lib/memory/memory";
import { ProblemText } from "../../../lib/problem/ProblemText";
import type { Fleet } from "../state/fleet";
import { useFleetOf, useToken, type FleetStore } from "../state/store";
import { isEmpty, linesOf, sections, viewOf, type FleetView, type Section } from "../state/view";
import { FleetList, type FleetHandle, type MemberLinks } from "./FleetList";

interface Props extends MemberLinks {
  store: FleetStore;
  rowHeight: number;
  list: React.RefObject<FleetHandle | null>;
  /** The part of the pane's height that the fleet has, in percent. */
  share: number;
  /** Moves the end of that part; there while the part is. */
  separator: React.ReactNode;
}

/** What lives: who waits for a person, what runs, what failed. */
export function FleetPane({ store, rowHeight, list, share, separator, ...links }: Props) {
  const locked = useToken() === null;
  const fleet = useFleetOf(store, same);
  const view = useMemo(() => viewOf(fleet), [fleet]);
  const [hidden, toggle] = useHidden();
  const shown = !hidden.has("all");
  const lines = useMemo(() => linesOf(view, hidden), [view, hidden]);
  const known = fleet.heard !== null;
  const sized = shown && !locked;
  return (
    <>
      <section className="fleet" aria-label="Fleet" data-sized={sized} style={sized ? { height: `${share}%` } : undefined}>
        <header className="fleet-head">
          <button
            type="button"
            className="quiet fleet-fold"
            aria-expanded={shown}
            aria-label={shown ? "Fold the fleet" : "Unfold the fleet"}
            onClick={() => toggle("all")}
          >
            <Triangle open={shown} />
          </button>
          {locked ? <h2 className="fleet-title">Fleet</h2> : <Counts view={view} fleet={fleet} hidden={hidden} onToggle={toggle} />}
        </header>
        {!shown ? null : locked ? (
          <Locked />
        ) : !known && fleet.problem !== null ? (
          <div className="empty" role="alert">
            <p className="problem">
              <ProblemText text={fleet.problem} />
            </p>
            <p className="note">Asked again every 3 seconds.</p>
          </div>
        ) : !known ? (
          <Bones rowHeight={rowHeight} />
        ) : isEmpty(view) ? (
          <div className="empty">
            <p>No pod lives here and nothing failed in the last 24 hours. A pod starts in the folder it shall work in:</p>
            <code>podium run fixer</code>
          </div>
        ) : lines.length === 0 ? (
          <p className="empty">What lives is switched off above.</p>
        ) : (
          <>
            <FleetList lines={lines} rowHeight={rowHeight} ref={list} onToggle={toggle} {...links} />
            {fleet.truncated ? <p className="fleet-note">More than 500 sessions are stored as running; the newest 500 are shown.</p> : null}
            {fleet.failedTruncated && !hidden.has("failed") ? (
              <p className="fleet-note">More than 50 sessions failed in the last 24 hours; the newest 50 are shown.</p>
            ) : null}
          </>
        )}
        <Told fleet={fleet} view={view} />
      </section>
      {sized ? separator : null}
    </>
  );
}

const same = (fleet: Fleet) => fleet;

/** What a person switched off, remembered: sections, groups, or all. */
function useHidden(): [ReadonlySet<string>, (key: string) => void] {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => new Set((recall(hiddenKey) ?? "").split("\n").filter((k) => k !== "")));
  return [
    hidden,
    (key) => {
      const next = new Set(hidden);
      if (!next.delete(key)) next.add(key);
      // Groups come and go; only what stays is remembered.
      const kept = [...next].filter((k) => !k.startsWith("group "));
      remember(hiddenKey, kept.length === 0 ? null : kept.join("\n"));
      setHidden(next);
    },
  ];
}

const hiddenKey = "podium.fleet-hidden";

function Triangle({ open }: { open: boolean }) {
  return (
    <svg className="triangle" data-open={open} viewBox="0 0 8 8" width="8" height="8" aria-hidden="true" focusable="false">
      <path d="M1 0l6 4-6 4z" fill="currentColor" />
    </svg>
  );
}

/** How many are in each section; a press shows or hides them. */
function Counts({ view, fleet, hidden, onToggle }: { view: FleetView; fleet: Fleet; hidden: ReadonlySet<string>; onToggle: (key: string) => void }) {
  const known = fleet.heard !== null;
  // The rows that were cut are older than those that came: where any of these are orphaned, those are.
  const cut: Section = view.members.orphaned.length > 0 ? "orphaned" : "running";
  const more = (section: Section) => (fleet.truncated && section === cut) || (fleet.failedTruncated && section === "failed");
  return (
    <div className="fleet-counts" role="group" aria-label="Sections">
      {sections.map((section) => {
        const n = view.members[section].length;
        if ((section === "lost" || section === "orphaned") && n === 0) return null;
        return (
          <button
            key={section}
            type="button"
            className={`quiet fleet-count fleet-count-${section}`}
            aria-pressed={!hidden.has(section)}
            data-some={n > 0}
            title={titles[section]}
            onClick={() => onToggle(section)}
          >
            {section} <span className="number">{known ? `${n}${more(section) ? "+" : ""}` : "–"}</span>
          </button>
        );
      })}
    </div>
  );
}

const titles: Record<Section, string> = {
  waiting: "Waits for you",
  running: "Runs, is queued, or compacts",
  lost: "A pod that does not answer, or whose process is gone",
  idle: "Lives and has nothing to do",
  failed: "Failed in the last 24 hours",
  orphaned: "Says that it runs, and nothing of it lives",
};

/** Says when what is shown is no longer so, and who began to wait. */
function Told({ fleet, view }: { fleet: Fleet; view: FleetView }) {
  const waiting = view.members.waiting.map((m) => m.name).join(", ");
  const [told, setTold] = useState("");
  const known = fleet.heard !== null;
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (!known) return;
    if (before.current !== null && before.current !== waiting) setTold(waiting === "" ? "" : `Waits for you: ${waiting}`);
    before.current = waiting;
  }, [known, waiting]);
  const asOf = fleet.heard === null ? "" : clock(fleet.heard / 1000);
  return (
    <p role="status" className="fleet-told">
      {fleet.heard === null ? null : fleet.health === "stale" ? (
        <span className="badge">Stale, as of {asOf}.</span>
      ) : fleet.health === "error" ? (
        <span className="badge">
          <ProblemText text={fleet.problem ?? ""} /> As of {asOf}.
        </span>
      ) : null}
      <span className="unseen">{told}</span>
    </p>
  );
}

/** Without the token nothing of a pod may be told; the history needs none. */
function Locked() {
  return (
    <div className="fleet-locked">
      <p>
        Pods are shown to who has Studio's token: <code>podium studio token</code> prints it.
      </p>
      <button type="button" onClick={askForToken}>
        Enter the token
      </button>
    </div>
  );
}

function Bones({ rowHeight }: { rowHeight: number }) {
  return (
    <div className="bones" aria-busy="true" role="status" aria-label="Loading the fleet">
      {[62, 48, 70].map((width) => (
        <div key={width} className="bone-row" style={{ height: rowHeight }}>
          <span className="bone" style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  );
}
