import { useEffect } from "react";
import type { Run } from "../features/runs/api/types";

interface Actions {
  runs: Run[];
  selected: string | null;
  select: (id: string | null) => void;
  help: () => void;
}

/** The page's keys. Nothing happens while a person types or holds a modifier. */
export function useKeys({ runs, selected, select, help }: Actions): void {
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const target = e.target instanceof HTMLElement ? e.target : null;
      const typing = target !== null && (target.matches("input, textarea, select") || target.isContentEditable);
      if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]") !== null) return;
      if (typing) {
        if (e.key === "Escape") target.blur();
        return;
      }
      const at = runs.findIndex((r) => r.id === selected);
      const step = (to: number) => {
        const run = runs[Math.max(0, Math.min(runs.length - 1, to))];
        if (run !== undefined) select(run.id);
      };
      switch (e.key) {
        case "j":
          step(at + 1);
          break;
        case "k":
          step(at < 0 ? 0 : at - 1);
          break;
        case "/":
          document.getElementById("search")?.focus();
          break;
        case "?":
          help();
          break;
        case "Escape":
          select(null);
          break;
        default:
          return;
      }
      e.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [runs, selected, select, help]);
}
