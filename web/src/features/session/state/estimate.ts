import type { Piece } from "./pieces";

const line = 20;
const perLine = 80;

/** About how high a piece is, in pixels, with the space below it. */
export function estimate(p: Piece): number {
  switch (p.kind) {
    case "person":
    case "notice":
      return Math.min(328, lines(p.text) * line) + 16;
    case "agent":
      return Math.min(12_000, lines(p.text) * line) + 16;
    default:
      return 34;
  }
}

function lines(text: string): number {
  const head = text.slice(0, 40_000);
  let n = 1;
  for (let at = head.indexOf("\n"); at >= 0; at = head.indexOf("\n", at + 1)) n++;
  return Math.max(n, Math.ceil(head.length / perLine));
}
