import { useEffect } from "react";

const name = "found";

/**
 * Marks where a text stands in a slot, without changing the document. Browsers
 * that cannot leave the slot's own mark alone.
 */
export function useHighlight(text: string, key: string | null): void {
  useEffect(() => {
    const highlights = typeof CSS === "undefined" ? undefined : CSS.highlights;
    if (highlights === undefined || key === null || text === "") return;
    const draw = () => {
      const slot = document.querySelector(`.slot[data-key="${CSS.escape(key)}"]`);
      if (slot !== null) highlights.set(name, new Highlight(...rangesOf(slot, text)));
    };
    draw();
    // What is in the slot comes with a fold that opens, or as Markdown.
    const pane = document.querySelector(".conversation");
    const observer = new MutationObserver(draw);
    if (pane !== null) observer.observe(pane, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      highlights.delete(name);
    };
  }, [text, key]);
}

/** Ranges beyond the first few hundred help nobody. */
const mostRanges = 300;

function rangesOf(slot: Element, text: string): Range[] {
  const wanted = text.trim().toLowerCase();
  const out: Range[] = [];
  const walk = document.createTreeWalker(slot, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null && out.length < mostRanges; node = walk.nextNode()) {
    const here = (node.nodeValue ?? "").toLowerCase();
    // Lower case may be longer; then places are not the same.
    if (here.length !== (node.nodeValue ?? "").length) continue;
    for (let at = here.indexOf(wanted); at >= 0 && out.length < mostRanges; at = here.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      out.push(range);
    }
  }
  return out;
}
