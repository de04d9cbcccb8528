import { useCallback, useState } from "react";

const key = "podium.list-width";
const least = 320;
const most = 900;
const step = 16;

function clamp(width: number): number {
  return Math.min(most, Math.max(least, Math.round(width)));
}

/** The width of the list pane in pixels, remembered. */
export function useListWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() => clamp(Number(localStorage.getItem(key)) || 480));
  const set = useCallback((to: number) => {
    const w = clamp(to);
    localStorage.setItem(key, String(w));
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
      onKeyDown={(e) => {
        if (e.key === "ArrowLeft") onWidth(width - step);
        else if (e.key === "ArrowRight") onWidth(width + step);
        else return;
        e.preventDefault();
      }}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
      }}
      onPointerMove={(e) => {
        if (e.currentTarget.hasPointerCapture(e.pointerId)) onWidth(e.clientX);
      }}
    />
  );
}
