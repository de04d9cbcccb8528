/** What stands in a column of things that are not all in the document. */
export interface Slot {
  key: string;
  /** Its height in pixels as long as nobody has measured it. */
  estimate: number;
}

/** From the first to behind the last of some slots. */
export interface Range {
  from: number;
  to: number;
}

/** Where each slot begins, and behind the last where the column ends. */
export function topsOf(slots: readonly Slot[], heights: ReadonlyMap<string, number>, start: number): number[] {
  const tops = [start];
  for (const s of slots) tops.push((tops.at(-1) ?? 0) + (heights.get(s.key) ?? s.estimate));
  return tops;
}

/** The slot at a height: the first one that ends below it; the last one behind the end. */
export function slotAt(tops: readonly number[], y: number): number {
  let lo = 0;
  let hi = Math.max(0, tops.length - 2);
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if ((tops[mid + 1] ?? 0) > y) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

/** The slots between two heights, at most so many; those at the top win. */
export function between(tops: readonly number[], top: number, bottom: number, most: number): Range {
  const n = tops.length - 1;
  if (n <= 0) return { from: 0, to: 0 };
  const from = slotAt(tops, top);
  let to = from;
  while (to < n && to - from < most && (tops[to] ?? 0) < bottom) to++;
  return { from, to: Math.max(to, Math.min(n, from + 1)) };
}

/**
 * What is in the document: the slots in sight and those kept for a reason (the
 * focus, a selection), as ranges in order that do not touch.
 */
export function mounted(sight: Range, kept: readonly Range[]): Range[] {
  const all = [sight, ...kept].filter((r) => r.to > r.from).sort((a, b) => a.from - b.from);
  const out: Range[] = [];
  for (const r of all) {
    const last = out.at(-1);
    if (last !== undefined && r.from <= last.to) last.to = Math.max(last.to, r.to);
    else out.push({ ...r });
  }
  return out;
}

export function sameRanges(a: readonly Range[], b: readonly Range[]): boolean {
  return a.length === b.length && a.every((r, i) => r.from === b[i]?.from && r.to === b[i].to);
}
