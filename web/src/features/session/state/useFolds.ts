import { useMemo, useState } from "react";

/** What a reader has opened: it stays open when it leaves the document and comes back. */
export interface Folds {
  has: (key: string) => boolean;
  set: (key: string, open: boolean) => void;
}

export function useFolds(): Folds {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      has: (key) => open.has(key),
      set: (key, on) =>
        setOpen((was) => {
          if (was.has(key) === on) return was;
          const next = new Set(was);
          if (on) next.add(key);
          else next.delete(key);
          return next;
        }),
    }),
    [open],
  );
}
