import { useEffect, useState } from "react";

/** The current time in Unix seconds, for ages; moves on every step (ms). */
export function useNow(step: number): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), step);
    return () => clearInterval(timer);
  }, [step]);
  return now;
}
