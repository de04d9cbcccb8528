import { useCallback, useState } from "react";
import { recall, remember } from "../lib/memory/memory";

/** How close the rows of the list stand. */
export type Rows = "comfortable" | "compact";

/** Heights of a row in pixels. */
export const rowHeights: Record<Rows, number> = { comfortable: 32, compact: 26 };

const key = "podium.rows";

/** The choice of row height, remembered. */
export function useRows(): [Rows, (rows: Rows) => void] {
  const [rows, setRows] = useState<Rows>(() => (recall(key) === "compact" ? "compact" : "comfortable"));
  const set = useCallback((to: Rows) => {
    remember(key, to === "compact" ? to : null);
    setRows(to);
  }, []);
  return [rows, set];
}
