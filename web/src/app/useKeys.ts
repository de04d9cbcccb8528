import { useEffect, useEffectEvent } from "react";

/** What the page's keys do. */
export interface KeyActions {
  /** Moves the focus in the list by rows. */
  move: (by: number) => void;
  search: () => void;
  help: () => void;
  /** Leaves what is open. */
  back: () => void;
}

/** The page's keys. Nothing happens while a person types or holds a modifier. */
export function useKeys(actions: KeyActions): void {
  const onKey = useEffectEvent((e: KeyboardEvent) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    if (document.querySelector("dialog[open]") !== null || isTyping(e.target)) return;
    switch (e.key) {
      case "j":
        actions.move(1);
        break;
      case "k":
        actions.move(-1);
        break;
      case "/":
        actions.search();
        break;
      case "?":
        actions.help();
        break;
      case "Escape":
        actions.back();
        break;
      default:
        return;
    }
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
