import { useEffect, useRef, useState } from "react";

/** How long typing has to rest before it counts, in ms. */
export const typingPause = 300;

/**
 * A text as it is typed; apply gets it when typing rests, or at once with now.
 * A change of applied from elsewhere takes its place.
 */
export function useTyped(applied: string, apply: (text: string) => void): { text: string; type: (text: string) => void; now: () => void } {
  const [text, setText] = useState(applied);
  // What was applied from here must not overwrite what was typed since.
  const own = useRef(applied);
  useEffect(() => {
    if (applied === own.current) return;
    own.current = applied;
    setText(applied);
  }, [applied]);
  useEffect(() => {
    if (text === applied || text === own.current) return;
    const timer = setTimeout(() => {
      own.current = text;
      apply(text);
    }, typingPause);
    return () => clearTimeout(timer);
  }, [text, applied, apply]);
  const now = () => {
    if (text === applied) return;
    own.current = text;
    apply(text);
  };
  return { text, type: setText, now };
}
