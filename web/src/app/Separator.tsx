import { useCallback, useState } from "react";
import { recall, remember } from "../lib/memory/memory";

const key = "podium.list-width";
const usual = 520;
const least = 320;
const most = 900;
const step = 16;

function clamp(width: number): number {
  return Math.min(most, Math.max(least, Math.round(width)));
}

/** The width of the list pane in pixels, remembered. */
export function useListWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() => clamp(Number(recall(key)) || usual));
  const set = useCallback((to: number) => {
    const w = clamp(to);
    remember(key, String(w));
    setWidth(w);
  }, []);
  return [width, set];
}

/** The line between the panes: dragged, or moved with the arrow keys. */
export function Separator({ width, onWidth }: { width: number; onWidth: (width: number) => void }) {
  return (
    <div
      className="separator"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the list"
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuetext={`${width} pixels`}
      onKeyDown={(e) => {
        const to: Record<string, number> = { ArrowLeft: width - step, ArrowRight: width + step, Home: least, End: most };
        const wanted = to[e.key];
        if (wanted === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
        e.preventDefault();
        onWidth(wanted);
      }}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={(e) => {
        if (e.currentTarget.hasPointerCapture(e.pointerId)) onWidth(e.clientX);
      }}
      onDoubleClick={() => onWidth(usual)}
    />
  );
}
