import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useCallback, useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { Run } from "../api/types";
import { RunRow } from "./RunRow";

interface Props {
  /** Says which list this is: another one begins at its top. */
  of: string;
  runs: Run[];
  now: number;
  /** Height of a row in pixels. */
  rowHeight: number;
  /** The open session. */
  selected: string | null;
  /** The rows belong to an older filter. */
  outdated: boolean;
  /** The address of a session, for links. */
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
  /** More rows than these are behind them, and nobody knows how many. */
  openEnded?: boolean;
  /** Where this list was left before, if it was. */
  place?: { top: number; current: string | null } | null;
  /** The list goes away: where it was left. */
  onLeave?: (place: { of: string; top: number; current: string | null }) => void;
}

/** What may be asked of a list from outside. */
export interface ListHandle {
  /** Moves the focus by rows, from outside the list to the current row first; false at its top, where nothing is above. */
  move: (by: number) => boolean;
  /** Whether the focus is on one of the rows. */
  holds: () => boolean;
  /** Puts the focus on the current row; false without rows. */
  focus: () => boolean;
}

/**
 * The rows of the list, of which only those in sight are in the document. One
 * of them, the current one, can be reached with Tab and stays in the document;
 * keys move from it.
 */
export function RunList({ of, runs, now, rowHeight, selected, outdated, hrefOf, onOpen, openEnded = false, place = null, onLeave, ref }: Props & { ref: React.Ref<ListHandle> }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | null>(place?.current ?? selected);
  const found = runs.findIndex((r) => r.id === current);
  const at = found < 0 ? 0 : found;

  const range = useCallback(
    (r: Range) => {
      const shown = defaultRangeExtractor(r);
      if (at >= r.count || shown.includes(at)) return shown;
      return [...shown, at].sort((a, b) => a - b);
    },
    [at],
  );
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (i) => runs[i]?.id ?? i,
    rangeExtractor: range,
    overscan: 12,
    initialOffset: place?.top ?? 0,
    useFlushSync: false,
  });
  useEffect(() => rows.measure(), [rows, rowHeight]);

  // A row that is to be focused may first have to be scrolled into the document.
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(wanted.current)}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });

  const begun = useRef(of);
  useEffect(() => {
    if (begun.current === of) return;
    begun.current = of;
    setCurrent(null);
    rows.scrollToOffset(0);
  }, [of, rows]);

  // A row that goes takes the focus with it; the list passes it on.
  const focused = useRef(false);
  useEffect(() => {
    if (!focused.current || document.activeElement !== document.body) return;
    scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  });

  const go = useCallback(
    (index: number) => {
      const to = Math.max(0, Math.min(runs.length - 1, index));
      const run = runs[to];
      if (run === undefined) return false;
      wanted.current = run.id;
      setCurrent(run.id);
      rows.scrollToIndex(to, { align: "auto" });
      // The row may be there already, and nothing render again.
      const row = scroller.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(run.id)}"]`);
      row?.focus({ preventScroll: true });
      return true;
    },
    [runs, rows],
  );
  const inside = () => scroller.current?.contains(document.activeElement) ?? false;
  useImperativeHandle(ref, () => ({
    move: (by) => {
      if (inside() && at + by < 0) return false;
      go(inside() ? at + by : at);
      return true;
    },
    focus: () => go(at),
    holds: inside,
  }));

  // Opening and going back and forth move the current row along, if it is
  // loaded. Only a new selection scrolls; rows that arrive do not.
  const selectedAt = runs.findIndex((r) => r.id === selected);
  const followed = useRef<string | null>(place === null ? null : selected);
  useEffect(() => {
    if (selected === followed.current || (selected !== null && selectedAt < 0)) return;
    followed.current = selected;
    if (selected === null) return;
    setCurrent(selected);
    rows.scrollToIndex(selectedAt, { align: "auto" });
  }, [selected, selectedAt, rows]);

  const left = useEffectEvent((top: number) => onLeave?.({ of, top, current }));
  useLayoutEffect(() => {
    const at = scroller.current;
    return () => left(at?.scrollTop ?? 0);
  }, []);

  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
  return (
    <div
      className="run-list"
      ref={scroller}
      role="list"
      aria-label="Sessions"
      aria-busy={outdated}
      data-outdated={outdated}
      onFocus={() => {
        focused.current = true;
      }}
      onBlur={() => {
        focused.current = false;
      }}
      onKeyDown={(e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
        const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page(), PageUp: at - page(), Home: 0, End: runs.length - 1 };
        const to = steps[e.key];
        if (to === undefined) return;
        e.preventDefault();
        go(to);
      }}
    >
      <div className="run-list-space" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => {
          const run = runs[item.index];
          if (run === undefined) return null;
          return (
            <div
              key={item.key}
              role="listitem"
              className="run-row-place"
              aria-setsize={openEnded ? -1 : runs.length}
              aria-posinset={item.index + 1}
              style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
            >
              <RunRow
                run={run}
                now={now}
                href={hrefOf(run.id)}
                selected={run.id === selected}
                reachable={item.index === at}
                onFocus={setCurrent}
                onOpen={onOpen}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
