import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { count, grouped } from "../../../lib/format/format";
import { ProblemText } from "../../../lib/problem/ProblemText";
import { estimate } from "../state/estimate";
import { atTail, end, type LogWindow } from "../state/logWindow";
import type { Target } from "../state/logReader";
import { pieces, shownIn, withoutRule, type Piece } from "../state/pieces";
import type { ColumnHandle, Sight, Stand } from "../state/useColumn";
import { useFolds } from "../state/useFolds";
import { useHighlight } from "../state/useHighlight";
import type { Log } from "../state/useLog";
import { useSearch } from "../state/useSearch";
import { Column } from "./Column";
import { ConversationBar } from "./ConversationBar";
import { Row } from "./Row";

interface Props {
  id: string;
  log: Log;
  /** Whether the log may grow, and whether a call without a result may be at work. */
  running: boolean;
  working: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
  linkTo: (entry: string) => string;
  /** What stands in front of the first entry and behind the last. */
  before: ReactNode;
  after: ReactNode;
  /** What goes on, below the end. */
  foot: ReactNode;
  /** Whether it is said elsewhere that Studio does not answer. */
  told: boolean;
  /** Besides the search and the ends, in the bar. */
  choice: ReactNode;
}

/** Pixels that stand for what is not held, at most: browsers know no larger column. */
const mostPixels = 6_000_000;

/** How long a reader must stay where nothing is held before it is fetched, in ms. */
const patience = 120;

/** How near the ends of what is held a reader may come before more is fetched, in panes. */
const early = 2;

/** The log of a session, of which a stretch is held and a part of that in the document. */
export function LogView({ id, log, running, working, hrefOf, onOpen, linkTo, before, after, foot, told, choice }: Props) {
  const { reader, window: held } = log;
  const w = held ?? noWindow;
  const list = useMemo(() => shownOf(w, running), [w, running]);
  const shown = useMemo(() => shownIn(list), [list]);
  const slots = useMemo(() => list.map((p) => ({ key: p.id, estimate: estimate(p) })), [list]);
  const indexOf = useCallback((key: string) => shown.get(key), [shown]);
  const column = useRef<ColumnHandle>(null);
  const folds = useFolds();
  const search = useSearch(id);
  const [sight, setSight] = useState<Sight | null>(null);
  const [newer, setNewer] = useState(false);

  // One estimate for all that is not held, so that the column keeps its length.
  const perEntry = useRef<number | null>(null);
  if (perEntry.current === null && w.entries.length > 0) {
    perEntry.current = slots.reduce((sum, s) => sum + s.estimate, 0) / w.entries.length;
  }
  const each = Math.min(perEntry.current ?? 0, mostPixels / Math.max(1, w.total));
  const above = w.from * each;
  const below = (w.total - end(w)) * each;

  const stand = useMemo(() => standAt(log.target, w, list, shown, running), [log.opening]); // eslint-disable-line react-hooks/exhaustive-deps

  const far = useRef<{ timer: ReturnType<typeof setTimeout>; target: Target } | null>(null);
  const stopFar = () => {
    if (far.current !== null) clearTimeout(far.current.timer);
    far.current = null;
  };
  useEffect(() => stopFar, []);
  const onSight = (s: Sight) => {
    setSight((was) => (was !== null && sameSight(was, s) ? was : s));
    const first = list[s.first];
    if (first !== undefined) reader.look(first.ordinal);
    const place = placeOf(s, w);
    stopFar();
    if (place !== null) {
      const target: Target = place >= w.total - 1 ? { kind: "end" } : { kind: "place", place };
      far.current = { target, timer: setTimeout(() => void reader.go(target), patience) };
    } else if (log.going === null) {
      const near = early * globalThis.innerHeight;
      if (above > 0 && !log.olderFailed && s.missingAbove > -near) void reader.older();
      if (below > 0 && !log.newerFailed && s.missingBelow > -near) void reader.newer();
    }
    if (s.atEnd && below === 0) setNewer(false);
  };

  // What came since the last look, for a reader who is elsewhere.
  const known = useRef<{ opening: number; total: number }>({ opening: -1, total: 0 });
  const atEnd = sight === null || (sight.atEnd && below === 0);
  useEffect(() => {
    const was = known.current;
    known.current = { opening: log.opening, total: w.total };
    if (was.opening === log.opening && w.total > was.total && !atEnd) setNewer(true);
    if (was.opening !== log.opening && atTail(w)) setNewer(false);
  }, [w, log.opening, atEnd]);

  const goTo = (entry: string) => {
    const at = shown.get(entry);
    const piece = at === undefined ? undefined : list[at];
    if (piece === undefined) void reader.go({ kind: "entry", id: entry });
    else column.current?.show(piece.id);
  };
  const hit = search.matches[search.at]?.entry_id ?? null;
  useEffect(() => {
    if (hit !== null) goTo(hit);
  }, [hit]); // eslint-disable-line react-hooks/exhaustive-deps
  const linked = log.target.kind === "entry" ? log.target.id : null;
  const marked = list[shown.get(hit ?? linked ?? "") ?? -1]?.id ?? null;
  // A match inside a fold is to be seen.
  useEffect(() => {
    if (hit !== null && marked !== null) folds.set(marked, true);
  }, [hit, marked]); // eslint-disable-line react-hooks/exhaustive-deps
  useHighlight(search.text, hit === null ? null : marked);

  const toEnd = () => {
    if (atTail(w)) column.current?.toEnd();
    else void reader.go({ kind: "end" });
  };
  const toStart = () => {
    if (w.from === 0) column.current?.toStart();
    else void reader.go({ kind: "place", place: 0 });
  };
  const going = log.going !== null || far.current !== null;
  return (
    <>
      <ConversationBar
        search={search}
        total={w.total}
        position={going ? "loading" : positionOf(sight, list, w)}
        onStart={toStart}
        onEnd={toEnd}
      >
        {choice}
      </ConversationBar>
      <Column
        slots={slots}
        indexOf={indexOf}
        above={above}
        below={below}
        opening={log.opening}
        stand={stand}
        onSight={onSight}
        handle={column}
        onStart={toStart}
        onEnd={toEnd}
        marked={marked}
        render={(i) => {
          const piece = list[i];
          return piece === undefined ? null : <Row piece={piece} working={working} folds={folds} linkTo={linkTo} hrefOf={hrefOf} onOpen={onOpen} />;
        }}
        before={w.from === 0 && !list.some((p) => p.kind === "compaction") ? before : null}
        after={
          <>
            {w.total === 0 ? (
              <p className="note">{running ? "Nothing has been said yet." : "This session has a row in the list and no conversation."}</p>
            ) : null}
            {below === 0 ? after : null}
          </>
        }
        over={
          <>
            <Trouble log={log} told={told} />
            {newer ? (
              <button type="button" className="newer" onClick={toEnd}>
                New entries below
              </button>
            ) : null}
          </>
        }
        foot={below === 0 ? foot : null}
      />
    </>
  );
}

const noWindow: LogWindow = { entries: [], from: 0, total: 0, usage: null, pod: null };

/** What did not come, and an entry that is not there. */
function Trouble({ log, told }: { log: Log; told: boolean }) {
  const { failed, olderFailed, newerFailed, missing } = log;
  const what = failed !== null ? failed.message : olderFailed ? "The older entries did not come." : newerFailed && !told ? "The newest entries did not come." : null;
  return (
    <>
      {missing === null ? null : (
        <p className="strip over" role="status">
          The entry of this link is not in this session. This is its end.
        </p>
      )}
      {what === null ? null : (
        <p className="strip strip-problem over" role="alert">
          <span>
            <ProblemText text={what} />
          </span>
          <button type="button" onClick={() => log.reader.retry()}>
            Try again
          </button>
        </p>
      )}
    </>
  );
}

/** What is shown of a log; the rule after its last run is none once the session rests. */
function shownOf(w: LogWindow, running: boolean): Piece[] {
  const list = pieces(w.entries);
  return !running && atTail(w) ? withoutRule(list) : list;
}

/**
 * Where a reader begins: at what was asked for; one that goes on, or whose
 * beginning is not held, at its end; a finished one at its beginning.
 */
function standAt(target: Target, w: LogWindow, list: Piece[], shown: Map<string, number>, running: boolean): Stand {
  if (target.kind === "entry") {
    const piece = list[shown.get(target.id) ?? -1];
    return piece === undefined ? { at: "end" } : { at: "slot", key: piece.id, middle: true };
  }
  if (target.kind === "place" && target.place >= 1) {
    const piece = list.findLast((p) => p.ordinal <= target.place) ?? list[0];
    return piece === undefined ? { at: "start" } : { at: "slot", key: piece.id, middle: false };
  }
  if (target.kind === "place" || (!running && w.from === 0 && atTail(w))) return { at: "start" };
  return { at: "end" };
}

/** The place in the log of a reader who sees nothing that is held; null for any other. */
function placeOf(s: Sight, w: LogWindow): number | null {
  if (s.inAbove !== null) return Math.floor(s.inAbove * w.from);
  if (s.inBelow !== null) return Math.floor(end(w) + s.inBelow * (w.total - end(w)));
  return null;
}

function positionOf(s: Sight | null, list: Piece[], w: LogWindow): string {
  const first = list[s?.first ?? -1];
  const last = list[s?.last ?? -1];
  if (first === undefined || last === undefined) return w.total === 0 ? "" : count(w.total, "entry", "entries");
  const n = (x: number) => grouped(String(x));
  return `${n(first.ordinal + 1)}–${n((last.entries.at(-1)?.ordinal ?? last.ordinal) + 1)} of ${n(w.total)}`;
}

function sameSight(a: Sight, b: Sight): boolean {
  return a.first === b.first && a.last === b.last && a.atEnd === b.atEnd && (a.inAbove === null) === (b.inAbove === null) && (a.inBelow === null) === (b.inBelow === null);
}
