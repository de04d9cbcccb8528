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

const shareKey = "podium.fleet-share";
const usualShare = 38;
const leastShare = 12;
const mostShare = 75;

function clampShare(share: number): number {
  return Math.min(mostShare, Math.max(leastShare, Math.round(share)));
}

/** The part of the left pane's height that the fleet has, in percent, remembered. */
export function useFleetShare(): [number, (share: number) => void] {
  const [share, setShare] = useState(() => clampShare(Number(recall(shareKey)) || usualShare));
  const set = useCallback((to: number) => {
    const s = clampShare(to);
    remember(shareKey, String(s));
    setShare(s);
  }, []);
  return [share, set];
}

/** The line between the panes: dragged, or moved with the arrow keys. */
export function Separator({ width, onWidth }: { width: number; onWidth: (width: number) => void }) {
  return (
    <Line
      orientation="vertical"
      label="Width of the list"
      value={width}
      bounds={[least, most]}
      text={`${width} pixels`}
      keys={{ ArrowLeft: width - step, ArrowRight: width + step }}
      onValue={onWidth}
      onReset={() => onWidth(usual)}
      valueAt={(e) => e.clientX}
    />
  );
}

/** The line between fleet and history. */
export function FleetSeparator({ share, onShare }: { share: number; onShare: (share: number) => void }) {
  return (
    <Line
      orientation="horizontal"
      label="Height of the fleet"
      value={share}
      bounds={[leastShare, mostShare]}
      text={`${share} percent`}
      keys={{ ArrowUp: share - 2, ArrowDown: share + 2 }}
      onValue={onShare}
      onReset={() => onShare(usualShare)}
      valueAt={(e) => {
        const pane = e.currentTarget.parentElement?.getBoundingClientRect();
        const above = e.currentTarget.previousElementSibling?.getBoundingClientRect();
        if (pane === undefined || above === undefined || pane.height === 0) return share;
        return ((e.clientY - above.top) / pane.height) * 100;
      }}
    />
  );
}

interface LineProps {
  orientation: "vertical" | "horizontal";
  label: string;
  value: number;
  bounds: [number, number];
  /** The value in words. */
  text: string;
  /** Values that keys lead to, besides Home and End. */
  keys: Record<string, number>;
  onValue: (value: number) => void;
  onReset: () => void;
  valueAt: (e: React.PointerEvent<HTMLElement>) => number;
}

function Line({ orientation, label, value, bounds, text, keys, onValue, onReset, valueAt }: LineProps) {
  return (
    <div
      className={`separator separator-${orientation}`}
      role="separator"
      tabIndex={0}
      aria-orientation={orientation}
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={bounds[0]}
      aria-valuemax={bounds[1]}
      aria-valuetext={text}
      onKeyDown={(e) => {
        const wanted = { ...keys, Home: bounds[0], End: bounds[1] }[e.key];
        if (wanted === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
        e.preventDefault();
        onValue(wanted);
      }}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={(e) => {
        if (e.currentTarget.hasPointerCapture(e.pointerId)) onValue(valueAt(e));
      }}
      onDoubleClick={onReset}
    />
  );
}
