import type { DisplayState } from "./state";

/** The shape of a state; the word stands beside it, so it is hidden from readers. */
export function StateShape({ state }: { state: DisplayState }) {
  return (
    <svg className={`shape shape-${state}${moving.has(state) ? " turns" : ""}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
      {shapes[state]}
    </svg>
  );
}

/** These turn as a whole: a part of a picture that moved would lay it out anew in every frame. */
const moving = new Set<DisplayState>(["running", "compacting"]);

const stroke = { fill: "none", stroke: "currentColor", strokeWidth: 2 } as const;

const shapes: Record<DisplayState, React.ReactNode> = {
  waiting: <path d="M8 1 15 8 8 15 1 8z" fill="currentColor" />,
  running: (
    <>
      <circle cx="8" cy="8" r="6" {...stroke} opacity="0.3" />
      <path d="M8 2a6 6 0 0 1 6 6" {...stroke} strokeLinecap="round" />
    </>
  ),
  compacting: <path d="M13.2 5A6 6 0 1 0 14 8" {...stroke} strokeLinecap="round" />,
  paused: <path d="M5 3v10M11 3v10" {...stroke} strokeWidth="3" />,
  idle: <circle cx="8" cy="8" r="3" fill="currentColor" />,
  unresponsive: <path d="M8 2.5 14.5 14h-13z" {...stroke} strokeLinejoin="round" />,
  failed: <path d="M3.5 3.5l9 9M12.5 3.5l-9 9" {...stroke} strokeLinecap="round" />,
  completed: <path d="M2.5 8.5 6.5 12.5 13.5 4" {...stroke} strokeLinecap="round" strokeLinejoin="round" />,
  cancelled: <path d="M3 8h10" {...stroke} strokeLinecap="round" />,
  queued: <circle cx="8" cy="8" r="5" {...stroke} strokeDasharray="2 3" />,
};
