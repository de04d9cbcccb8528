import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useCallback, useImperativeHandle, useMemo, useRef, useState } from "react";
import { useNow } from "../../../lib/clock/useNow";
import { groupKey, lineKey, steady, type Line, type Member } from "../state/view";
import { GroupRow, MemberRow } from "./FleetRow";

/** What rows need to be links. */
export interface MemberLinks {
  /** Whether a member is open. */
  isOpen: (member: Member) => boolean;
  hrefOf: (member: Member) => string;
  onOpen: (member: Member) => void;
}

/** What may be asked of the fleet from outside. */
export interface FleetHandle {
  /** Moves the focus by rows; false where there is no row. From outside it goes to the first or the last. */
  move: (by: number) => boolean;
  /** Puts the focus on the current row; false without rows. */
  focus: () => boolean;
  /** Whether the focus is on one of the rows. */
  holds: () => boolean;
}

interface Props extends MemberLinks {
  lines: Line[];
  rowHeight: number;
  onToggle: (key: string) => void;
}

/** The rows of the fleet. While a pointer or the focus is among them, none moves away within its section. */
export function FleetList({ lines: fresh, rowHeight, onToggle, isOpen, hrefOf, onOpen, ref }: Props & { ref: React.Ref<FleetHandle> }) {
  const [watched, setWatched] = useState({ pointer: false, focus: false });
  const before = useRef<Line[]>([]);
  const still = watched.pointer || watched.focus;
  const lines = useMemo(() => (still ? steady(before.current, fresh) : fresh), [still, fresh]);
  before.current = lines;

  const now = useNow(1_000);
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | null>(null);
  const found = lines.findIndex((line) => lineKey(line) === current);
  const opened = lines.findIndex((line) => line.kind === "member" && isOpen(line.member));
  const at = found >= 0 ? found : Math.max(0, opened);
  const range = useCallback(
    (r: Range) => {
      const shown = defaultRangeExtractor(r);
      return at >= r.count || shown.includes(at) ? shown : [...shown, at].sort((a, b) => a - b);
    },
    [at],
  );
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (i) => (lines[i] === undefined ? i : lineKey(lines[i])),
    rangeExtractor: range,
    overscan: 8,
    useFlushSync: false,
  });
  const measured = useRef(rowHeight);
  if (measured.current !== rowHeight) {
    measured.current = rowHeight;
    rows.measure();
  }

  const holds = () => scroller.current?.contains(document.activeElement) ?? false;
  const go = (to: number): boolean => {
    const line = lines[to];
    if (line === undefined) return false;
    const key = lineKey(line);
    setCurrent(key);
    rows.scrollToIndex(to, { align: "auto" });
    const focus = () => {
      const row = scroller.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
      row?.focus({ preventScroll: true });
      return row !== null && row !== undefined;
    };
    // A row that was out of sight is in the document only after the next render.
    if (!focus()) requestAnimationFrame(focus);
    return true;
  };
  useImperativeHandle(ref, () => ({
    move: (by) => (holds() ? go(at + by) : go(by < 0 ? lines.length - 1 : found >= 0 || opened >= 0 ? at : 0)),
    focus: () => go(at),
    holds,
  }));

  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
  return (
    <div
      className="fleet-list"
      ref={scroller}
      role="list"
      aria-label="What lives"
      onPointerEnter={() => setWatched((w) => ({ ...w, pointer: true }))}
      onPointerLeave={() => setWatched((w) => ({ ...w, pointer: false }))}
      onFocus={() => setWatched((w) => (w.focus ? w : { ...w, focus: true }))}
      onBlur={() => setWatched((w) => ({ ...w, focus: false }))}
      onKeyDown={(e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
        const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page(), PageUp: at - page(), Home: 0, End: lines.length - 1 };
        const to = steps[e.key];
        if (to === undefined) return;
        e.preventDefault();
        go(Math.min(lines.length - 1, Math.max(0, to)));
      }}
    >
      <div className="run-list-space" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (line === undefined) return null;
          return (
            <div
              key={item.key}
              role="listitem"
              className="run-row-place"
              aria-setsize={lines.length}
              aria-posinset={item.index + 1}
              style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
            >
              {line.kind === "group" ? (
                <GroupRow line={line} now={now} reachable={item.index === at} onFocus={setCurrent} onToggle={() => onToggle(groupKey(line.group))} />
              ) : (
                <MemberRow
                  member={line.member}
                  now={now}
                  href={hrefOf(line.member)}
                  open={isOpen(line.member)}
                  reachable={item.index === at}
                  onFocus={setCurrent}
                  onOpen={onOpen}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
