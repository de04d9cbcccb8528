import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { listRuns } from "../api/runs";
import type { Run, RunFilter } from "../api/types";

const perPage = 100;
const pollFloor = 3_000;

/**
 * The v1 list, page by page. The first pages refresh while the tab is visible,
 * never faster than ten times what the last answer took.
 */
export function useRuns(filter: RunFilter) {
  const [lastTook, setLastTook] = useState(0);
  const query = useInfiniteQuery({
    queryKey: ["runs", filter],
    initialPageParam: 1,
    queryFn: async ({ pageParam, signal }) => {
      const begun = performance.now();
      const page = await listRuns(filter, pageParam, perPage, signal);
      setLastTook(performance.now() - begun);
      return page;
    },
    getNextPageParam: (last) => (last.has_next ? last.page + 1 : undefined),
    placeholderData: (old) => old,
    refetchInterval: (q) => ((q.state.data?.pages.length ?? 1) > 2 ? false : Math.max(pollFloor, 10 * lastTook)),
    refetchIntervalInBackground: false,
  });
  const runs = useMemo(() => dedupe(query.data?.pages.flatMap((p) => p.runs) ?? []), [query.data]);
  return { ...query, runs, total: query.data?.pages[0]?.total ?? null };
}

/** Rows may move between two pages while they are read: the first one counts. */
export function dedupe(runs: Run[]): Run[] {
  const seen = new Set<string>();
  return runs.filter((r) => !seen.has(r.id) && seen.add(r.id));
}

/** The current time in Unix seconds, for ages; ticks every ten seconds. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
