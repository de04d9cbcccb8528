/** A line of a change: taken out, put in, or on both sides. */
export interface DiffLine {
  sign: "-" | "+" | " ";
  text: string;
}

/** Lines on both sides that are shown around a change. */
const context = 3;

/**
 * The change from one text to another as lines: what both begin and end with,
 * shortened, and between that everything old before everything new. Edits are
 * small and of one piece, so nothing finer is needed.
 */
export function diff(before: string, after: string): DiffLine[] {
  const a = lines(before);
  const b = lines(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (part: string[]): DiffLine[] => part.map((text) => ({ sign: " ", text }));
  return [
    ...same(a.slice(Math.max(0, head - context), head)),
    ...a.slice(head, a.length - tail).map((text): DiffLine => ({ sign: "-", text })),
    ...b.slice(head, b.length - tail).map((text): DiffLine => ({ sign: "+", text })),
    ...same(a.slice(a.length - tail, a.length - tail + context)),
  ];
}

function lines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
