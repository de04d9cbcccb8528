/** A line of a change: taken out, put in, or on both sides. */
export interface DiffLine {
  sign: "-" | "+" | " ";
  text: string;
}

/** A text before and after a call. */
export interface Change {
  before: string;
  after: string;
}

/** Lines on both sides that are shown around a change. */
const context = 3;

/** Pairs of lines beyond which a change is shown as everything old, then everything new. */
const mostPairs = 250_000;

/**
 * The changes that a call makes to a file, and its other arguments: one for an
 * edit, several where it carries several, the whole text for a file that is
 * written.
 */
export function changesOf(tool: string, args: Record<string, unknown>): { changes: Change[]; rest: Record<string, unknown> } {
  const one = changeOf(args);
  if (one !== null) {
    const { old_string: _, new_string: __, ...rest } = args;
    return { changes: [one], rest };
  }
  if (Array.isArray(args["edits"])) {
    const changes = args["edits"].map((e: unknown) => (typeof e === "object" && e !== null ? changeOf(e as Record<string, unknown>) : null));
    if (changes.length > 0 && changes.every((c) => c !== null)) {
      const { edits: _, ...rest } = args;
      return { changes, rest };
    }
  }
  if (tool === "Write" && typeof args["content"] === "string") {
    const { content, ...rest } = args;
    return { changes: [{ before: "", after: content as string }], rest };
  }
  return { changes: [], rest: args };
}

function changeOf(args: Record<string, unknown>): Change | null {
  const { old_string: before, new_string: after } = args;
  return typeof before === "string" && typeof after === "string" ? { before, after } : null;
}

/**
 * The change from one text to another as lines, with a little of what is the
 * same around each part of it.
 */
export function diff(before: string, after: string): DiffLine[] {
  const a = lines(before);
  const b = lines(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (part: string[]): DiffLine[] => part.map((text) => ({ sign: " ", text }));
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...same(a.slice(Math.max(0, head - context), head)), ...shortened(middle), ...same(a.slice(a.length - tail, a.length - tail + context))];
}

/** The longest common lines of both stay; the rest is taken out or put in. */
function between(a: string[], b: string[]): DiffLine[] {
  if (a.length * b.length > mostPairs) {
    return [...a.map((text): DiffLine => ({ sign: "-", text })), ...b.map((text): DiffLine => ({ sign: "+", text }))];
  }
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const here = i * width + j;
      common[here] = a[i] === b[j] ? (common[here + width + 1] ?? 0) + 1 : Math.max(common[here + width] ?? 0, common[here + 1] ?? 0);
    }
  }
  const out: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const here = i * width + j;
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ sign: " ", text: a[i++] ?? "" });
      j++;
    } else if (i < a.length && (j === b.length || (common[here + width] ?? 0) >= (common[here + 1] ?? 0))) out.push({ sign: "-", text: a[i++] ?? "" });
    else out.push({ sign: "+", text: b[j++] ?? "" });
  }
  return out;
}

/** Long stretches without a change are left out. */
function shortened(list: DiffLine[]): DiffLine[] {
  const near = new Uint8Array(list.length);
  list.forEach((line, at) => {
    if (line.sign !== " ") near.fill(1, Math.max(0, at - context), at + context + 1);
  });
  return list.filter((_, at) => near[at] === 1);
}

function lines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
