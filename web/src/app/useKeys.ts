import { useEffect, useEffectEvent, useRef } from "react";
import type { View } from "./place";

/** What the page's keys do. */
export interface KeyActions {
  /** Moves the focus by rows. */
  move: (by: number) => void;
  search: () => void;
  help: () => void;
  /** What may be done with the row that has the focus, or with what is open. */
  actions: () => void;
  /** Puts the focus where one writes to a pod. */
  message: () => void;
  view: (view: View) => void;
  /** Leaves what is open. */
  back: () => void;
}

/** How long the second key of a pair is waited for, in ms. */
export const pairPause = 1_500;

const views: Record<string, View> = { f: "fleet", h: "history" };

/** The page's keys. Nothing happens while a person types or holds a modifier. */
export function useKeys(actions: KeyActions): void {
  const begun = useRef(-Infinity);
  const onKey = useEffectEvent((e: KeyboardEvent) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    if (document.querySelector("dialog[open]") !== null || isTyping(e.target)) return;
    const second = e.timeStamp - begun.current < pairPause;
    begun.current = -Infinity;
    const view = second ? views[e.key] : undefined;
    if (view !== undefined) actions.view(view);
    else if (e.key === "g") begun.current = e.timeStamp;
    else if (e.key === "j") actions.move(1);
    else if (e.key === "k") actions.move(-1);
    else if (e.key === "/") actions.search();
    else if (e.key === "?") actions.help();
    else if (e.key === ".") actions.actions();
    else if (e.key === "m") actions.message();
    else if (e.key === "Escape") actions.back();
    else return;
    e.preventDefault();
  });
  useEffect(() => {
    const listen = (e: KeyboardEvent) => onKey(e);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}
