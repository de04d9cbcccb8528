import { useCallback, useState } from "react";
import { useMedia } from "../../../lib/media/useMedia";
import { recall, remember } from "../../../lib/memory/memory";
import type { UsageBy } from "../api/types";

/** Where the strip would take too much of the list away. */
const small = "(max-width: 599px), (max-height: 719px)";

const openKey = "podium.overview";
const byKey = "podium.overview.by";
const tableKey = "podium.overview.table";

/** What somebody chose to see of the overview; all of it is remembered. */
export interface Choices {
  open: boolean;
  setOpen: (open: boolean) => void;
  by: UsageBy;
  setBy: (by: UsageBy) => void;
  asTable: boolean;
  setAsTable: (asTable: boolean) => void;
}

/** Unfolded, by day, as a plot, unless chosen otherwise; folded on a small screen. */
export function useChoices(): Choices {
  const isSmall = useMedia(small);
  const [open, setOpen] = useRemembered(openKey);
  const [by, setBy] = useRemembered(byKey);
  const [table, setTable] = useRemembered(tableKey);
  return {
    open: open === null ? !isSmall : open === "open",
    setOpen: (to) => setOpen(to ? "open" : "folded"),
    by: by === "project" || by === "model" ? by : "day",
    setBy: (to) => setBy(to === "day" ? null : to),
    asTable: table === "yes",
    setAsTable: (to) => setTable(to ? "yes" : null),
  };
}

function useRemembered(key: string): [string | null, (to: string | null) => void] {
  const [value, setValue] = useState(() => recall(key));
  const set = useCallback(
    (to: string | null) => {
      remember(key, to);
      setValue(to);
    },
    [key],
  );
  return [value, set];
}
