import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState, type Ref, type RefObject } from "react";
import { flushSync } from "react-dom";
import { between, mounted, sameRanges, slotAt, topsOf, type Range, type Slot } from "./slice";

/** Slots in the document besides those that are kept; with those never more than 120. */
const mostInSight = 80;
const mostKept = 30;

/** Heights that are remembered; beyond that only those of the slots that are there. */
const mostMeasured = 10_000;

/** How far around what is in sight slots are in the document, in pixels, and how near they may come to an end before more are put in. */
const ahead = 600;
const spare = 200;

/** How near the end, in pixels, still counts as being there. */
const nearEnd = 48;

/** Where a column stands when it begins anew. */
export type Stand = { at: "start" | "end" } | { at: "slot"; key: string; middle: boolean };

/** What a person sees of a column. */
export interface Sight {
  /** The first and the last slot in sight; -1 where there is none. */
  first: number;
  last: number;
  atEnd: boolean;
  /** Pixels that are missing above and below what is there: negative while there is some left. */
  missingAbove: number;
  missingBelow: number;
  /** Where in what is missing the person is, from 0 to 1; null where anything is in sight. */
  inAbove: number | null;
  inBelow: number | null;
}

export interface ColumnHandle {
  /** Puts a slot in sight. */
  show: (key: string) => void;
  toStart: () => void;
  toEnd: () => void;
}

interface Column {
  slots: readonly Slot[];
  /** The slot that shows a key now: its own, or the one it became part of. */
  indexOf: (key: string) => number | undefined;
  /** Pixels in front of the first slot and behind the last that stand for what is not there. */
  above: number;
  below: number;
  /** A new number makes the column stand at stand. */
  opening: number;
  stand: Stand;
  onSight: (sight: Sight) => void;
  handle: Ref<ColumnHandle>;
}

interface Result {
  pane: RefObject<HTMLDivElement | null>;
  list: RefObject<HTMLDivElement | null>;
  /** What is in the document, and the pixels in front of each range and behind the last. */
  ranges: Range[];
  gaps: number[];
  onScroll: () => void;
  /** Ends the following of the end: the reader begins to go up. */
  leaveEnd: () => void;
  onFocus: (e: React.FocusEvent) => void;
  onBlur: () => void;
  onClickCapture: (e: React.MouseEvent) => void;
}

/**
 * Keeps of a long column only what is near in the document. What a reader
 * looks at stays where it is, whatever comes in or changes its height above; a
 * reader at the end stays at the end. What has the focus or is selected stays
 * in the document wherever the reader is.
 */
export function useColumn({ slots, indexOf, above, below, opening, stand, onSight, handle }: Column): Result {
  const pane = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  // By their slots' keys, so that what comes in above moves no slot out of the
  // document and in again.
  const [spans, setSpans] = useState<Span[]>([]);
  const ranges = useMemo(() => resolve(spans, indexOf), [spans, indexOf]);
  const setRanges = (next: Range[]) => setSpans(next.map((r) => ({ first: slots[r.from]?.key ?? "", last: slots[r.to - 1]?.key ?? "" })));

  /** What the reader looks at: a slot and how far below the pane's top it is. */
  const anchor = useRef<{ key: string; offset: number } | null>(null);
  const following = useRef(false);
  // Somebody who opens a fold wants to see its beginning.
  const folding = useRef(false);
  const focused = useRef<string | null>(null);
  const stood = useRef(-1);
  const drawn = useRef<Range[]>(ranges);
  drawn.current = ranges;

  const column = () => topsOf(slots, heights.current, (list.current?.offsetTop ?? 0) + above);

  const kept = (): Range[] => {
    const keys = [focused.current, ...selectedKeys(list.current)];
    const at = keys.map((k) => (k === null ? undefined : indexOf(k)));
    const [focus, from, to] = at;
    const out: Range[] = focus === undefined ? [] : [{ from: focus, to: focus + 1 }];
    if (from === undefined || to === undefined) return out;
    const [lo, hi] = from <= to ? [from, to] : [to, from];
    return hi - lo < mostKept ? [...out, { from: lo, to: hi + 1 }] : [...out, { from: lo, to: lo + 1 }, { from: hi, to: hi + 1 }];
  };

  /** The ranges that are wanted, if what is drawn does not do. */
  const wanted = (tops: number[]): Range[] | null => {
    const p = pane.current;
    if (p === null) return null;
    const top = p.scrollTop;
    const bottom = top + p.clientHeight;
    const covered = drawn.current.some((r) => {
      const begins = r.from === 0 || (tops[r.from] ?? 0) <= top - spare;
      const ends = r.to === slots.length || (tops[r.to] ?? 0) >= bottom + spare;
      return begins && ends && r.to - r.from <= mostInSight + mostKept;
    });
    if (covered) return null;
    const next = mounted(between(tops, top - ahead, bottom + ahead, mostInSight), kept());
    return sameRanges(next, drawn.current) ? null : next;
  };

  const report = (tops: number[]) => {
    const p = pane.current;
    if (p === null) return;
    const top = p.scrollTop;
    const bottom = top + p.clientHeight;
    const n = slots.length;
    const [first = 0, last = 0] = [tops[0], tops[n]];
    const outside = n > 0 && (bottom <= first || top >= last);
    onSight({
      first: n === 0 || outside ? -1 : slotAt(tops, top), last: n === 0 || outside ? -1 : slotAt(tops, bottom - 1),
      atEnd: isAtEnd(p), missingAbove: first - top, missingBelow: bottom - last,
      inAbove: above > 0 && bottom <= first ? share(top - (first - above), above) : null,
      inBelow: below > 0 && top >= last ? share(top - last, below) : null,
    });
  };

  /** Measures what is drawn and puts the reader back to where they were. */
  const settle = () => {
    const p = pane.current;
    const l = list.current;
    if (p === null || l === null) return;
    for (const el of l.children) {
      const key = (el as HTMLElement).dataset["key"];
      const height = el.getBoundingClientRect().height;
      if (key !== undefined && height > 0) heights.current.set(key, height);
    }
    if (heights.current.size > mostMeasured) {
      heights.current = new Map(slots.flatMap(({ key }) => (heights.current.has(key) ? [[key, heights.current.get(key) ?? 0]] : [])));
    }
    const tops = column();
    if (stood.current !== opening && slots.length > 0) {
      stood.current = opening;
      following.current = stand.at === "end";
      const i = stand.at === "slot" ? indexOf(stand.key) : stand.at === "start" ? 0 : slots.length - 1;
      const s = slots[i ?? 0];
      anchor.current = s === undefined ? null : { key: s.key, offset: stand.at === "slot" ? (stand.middle ? p.clientHeight / 4 : 0) : l.offsetTop };
    }
    place(p, tops);
    const next = wanted(column());
    if (next !== null) setRanges(next);
    // A slot that had the focus and is gone leaves it to the pane.
    if (focused.current !== null && indexOf(focused.current) === undefined) {
      focused.current = null;
      p.focus({ preventScroll: true });
    }
    report(tops);
  };

  const place = (p: HTMLDivElement, tops: number[]) => {
    if (following.current && below === 0) {
      p.scrollTop = p.scrollHeight;
      return;
    }
    if (anchor.current === null) return;
    const { key, offset } = anchor.current;
    const i = indexOf(key);
    if (i === undefined) return;
    const el = elementOf(list.current, slots[i]?.key ?? key);
    const at = el === null ? (tops[i] ?? 0) - p.scrollTop : el.getBoundingClientRect().top - p.getBoundingClientRect().top;
    // jsdom has no layout: there everything is at 0 and nothing moves.
    if (Math.abs(at - offset) > 0.5) p.scrollTop += at - offset;
  };

  /** Notes what the reader looks at now. */
  const look = (tops: number[]) => {
    const p = pane.current;
    if (p === null) return;
    following.current = below === 0 && isAtEnd(p);
    const i = slotAt(tops, p.scrollTop);
    const s = slots[i];
    const outside = p.scrollTop >= (tops[slots.length] ?? 0) || p.scrollTop + p.clientHeight <= (tops[0] ?? 0);
    if (s === undefined || outside) {
      anchor.current = null;
      return;
    }
    const el = elementOf(list.current, s.key);
    const offset = el === null ? (tops[i] ?? 0) - p.scrollTop : el.getBoundingClientRect().top - p.getBoundingClientRect().top;
    anchor.current = { key: s.key, offset };
  };

  const latest = useRef({ settle, look, wanted, report, column, setRanges });
  latest.current = { settle, look, wanted, report, column, setRanges };

  useLayoutEffect(() => latest.current.settle(), [slots, above, below, opening, ranges]);

  // What is shown may change its height without a new slot: a fold that opens,
  // words that become Markdown, a pane that becomes narrower.
  useEffect(() => {
    const l = list.current;
    const p = pane.current;
    if (l === null || p === null) return;
    const observer = new ResizeObserver(() => {
      if (folding.current) {
        folding.current = false;
        following.current = false;
      }
      latest.current.settle();
    });
    observer.observe(l);
    observer.observe(p);
    return () => observer.disconnect();
  }, []);

  const onScroll = useCallback(() => {
    const { look, wanted, report, column, setRanges } = latest.current;
    const tops = column();
    look(tops);
    const next = wanted(tops);
    // At once, or the reader would see what is not drawn yet.
    if (next !== null) flushSync(() => setRanges(next));
    report(tops);
  }, []);

  useImperativeHandle(handle, () => {
    const stands = (key: string | null, offset: number) => {
      anchor.current = key === null ? null : { key, offset };
      following.current = false;
      latest.current.settle();
    };
    return {
      show: (key) => stands(key, (pane.current?.clientHeight ?? 0) / 4),
      toStart: () => {
        anchor.current = null;
        following.current = false;
        if (pane.current !== null) pane.current.scrollTop = 0;
        onScroll();
      },
      toEnd: () => {
        following.current = true;
        latest.current.settle();
      },
    };
  }, [onScroll]);

  const tops = topsOf(slots, heights.current, above);
  const gaps = ranges.map((r, i) => (tops[r.from] ?? 0) - (i === 0 ? 0 : (tops[ranges[i - 1]?.to ?? 0] ?? 0)));
  gaps.push((tops[slots.length] ?? 0) - (ranges.length === 0 ? 0 : (tops[ranges.at(-1)?.to ?? 0] ?? 0)) + below);

  return {
    pane, list, ranges, gaps, onScroll,
    leaveEnd: useCallback(() => {
      if ((pane.current?.scrollTop ?? 0) > 0) following.current = false;
    }, []),
    onFocus: useCallback((e: React.FocusEvent) => {
      focused.current = keyOf(e.target);
    }, []),
    onBlur: useCallback(() => {
      focused.current = null;
    }, []),
    onClickCapture: useCallback((e: React.MouseEvent) => {
      folding.current = e.target instanceof Element && e.target.closest("summary") !== null;
    }, []),
  };
}

/** A range by the keys of its first and its last slot. */
interface Span {
  first: string;
  last: string;
}

/** Where spans are now; one of which an end is gone is what is left of it. */
function resolve(spans: readonly Span[], indexOf: (key: string) => number | undefined): Range[] {
  const out: Range[] = [];
  for (const { first, last } of spans) {
    const a = indexOf(first) ?? indexOf(last);
    const b = indexOf(last) ?? a;
    if (a === undefined || b === undefined || b < a) continue;
    const before = out.at(-1);
    // Slots that grew together belong to one range.
    if (before !== undefined && a <= before.to) before.to = Math.max(before.to, b + 1);
    else out.push({ from: a, to: b + 1 });
  }
  return out;
}

function isAtEnd(pane: HTMLElement): boolean {
  return pane.scrollHeight - pane.scrollTop - pane.clientHeight < nearEnd;
}

function share(part: number, whole: number): number {
  return Math.min(1, Math.max(0, part / whole));
}

function elementOf(list: HTMLElement | null, key: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`:scope > [data-key="${CSS.escape(key)}"]`) ?? null;
}

function keyOf(node: Node | null): string | null {
  const el = node instanceof Element ? node : (node?.parentElement ?? null);
  return el?.closest<HTMLElement>("[data-key]")?.dataset["key"] ?? null;
}

/** The slots in which a selection begins and ends. */
function selectedKeys(list: HTMLElement | null): [string | null, string | null] {
  const selection = document.getSelection();
  if (list === null || selection === null || selection.isCollapsed) return [null, null];
  const inside = (n: Node | null) => n !== null && list.contains(n);
  const from = inside(selection.anchorNode) ? keyOf(selection.anchorNode) : null;
  const to = inside(selection.focusNode) ? keyOf(selection.focusNode) : null;
  return [from ?? to, to ?? from];
}
