import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { ApiError } from "../../../lib/problem/problem";
import { listRuns } from "../api/runs";
import type { Run, RunPage } from "../api/types";
import { queryOf, type RunFilter } from "./filter";

/** Rows of one page of the server. */
export const perPage = 200;

/** The shortest pause between two looks at the newest page, in ms. */
export const pollFloor = 3_000;

/** The list as the page shows it. */
export interface Runs {
  runs: Run[];
  /** How many match, exactly; null before the first answer. */
  total: number | null;
  /** No rows yet, and an answer is awaited. */
  loading: boolean;
  /** The rows are still those of the filter before. */
  outdated: boolean;
  /** What went wrong with the newest look; rows that were there stay. */
  error: Error | null;
  /** When the rows were last known to be right, in Unix ms. */
  asOf: number;
  hasMore: boolean;
  loadingMore: boolean;
  moreFailed: boolean;
  loadMore: () => void;
  retry: () => void;
}

/**
 * The v1 list, page by page. The newest page is looked at again and again
 * while the tab is visible, never faster than ten times what an answer took.
 * When rows came into it, all pages behind it have moved and are read again,
 * at the same measure; until then the rows that were pushed out of it stay.
 * Nothing is asked while the list is not the one that is shown.
 */
export function useRuns(filter: RunFilter, enabled = true): Runs {
  const pages = useInfiniteQuery({
    enabled,
    queryKey: ["runs", "pages", filter],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) => listRuns(queryOf(filter), pageParam, perPage, signal),
    getNextPageParam: (last) => (last.has_next ? last.page + 1 : undefined),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    // A daemon that is not there yet is waited for.
    refetchInterval: (q) => (q.state.data === undefined && passing(q.state.error) ? pollFloor : false),
  });
  const settled = pages.data !== undefined && !pages.isPlaceholderData;
  const took = useRef(0);
  const newest = useQuery({
    queryKey: ["runs", "newest", filter],
    enabled: enabled && settled,
    retry: false,
    queryFn: async ({ signal }) => {
      const begun = performance.now();
      const page = await listRuns(queryOf(filter), 1, perPage, signal);
      took.current = performance.now() - begun;
      return page;
    },
    initialData: () => (settled ? pages.data.pages[0] : undefined),
    initialDataUpdatedAt: pages.dataUpdatedAt,
    staleTime: pollFloor,
    refetchInterval: (q) => (q.state.error === null || passing(q.state.error) ? Math.max(pollFloor, 10 * took.current) : false),
  });

  const loaded = pages.data?.pages;
  const fresh = settled && newest.data !== undefined && newest.dataUpdatedAt >= pages.dataUpdatedAt ? newest.data : undefined;
  const first = fresh ?? loaded?.[0];
  const moved =
    fresh !== undefined && loaded !== undefined && (loaded.length > 1 ? !sameRows(fresh, loaded[0]) : fresh.has_next !== loaded[0]?.has_next);
  const { refetch } = pages;
  const reread = useRef({ ended: 0, took: 0 });
  useEffect(() => {
    if (!moved || !enabled) return;
    const { ended, took } = reread.current;
    const timer = setTimeout(
      () => {
        const begun = Date.now();
        void refetch({ cancelRefetch: false }).then(() => (reread.current = { ended: Date.now(), took: Date.now() - begun }));
      },
      Math.max(0, ended + 10 * took - Date.now()),
    );
    return () => clearTimeout(timer);
    // A look at the newest page that succeeded is a reason to try again.
  }, [moved, enabled, newest.dataUpdatedAt, refetch]);

  const runs = useMemo(() => {
    if (first === undefined || loaded === undefined) return [];
    return loaded.length > 1 ? dedupe([first, ...loaded]) : first.runs;
  }, [first, loaded]);
  return {
    runs,
    total: first?.total ?? null,
    loading: pages.isPending && pages.error === null,
    outdated: pages.isPlaceholderData,
    // That more did not come is said where more was asked for.
    error: settled ? (newest.error ?? (pages.isFetchNextPageError ? null : pages.error)) : pages.error,
    asOf: Math.max(pages.dataUpdatedAt, newest.dataUpdatedAt),
    hasMore: pages.hasNextPage,
    loadingMore: pages.isFetchingNextPage,
    moreFailed: pages.isFetchNextPageError,
    loadMore: () => void pages.fetchNextPage({ cancelRefetch: false }),
    retry: () => void (settled && newest.error !== null ? newest.refetch() : pages.refetch()),
  };
}

function passing(error: Error | null): boolean {
  return error instanceof ApiError && error.passing;
}

/** Whether two readings of a page hold the same sessions, in any order. */
export function sameRows(a: RunPage, b: RunPage | undefined): boolean {
  if (b === undefined || a.runs.length !== b.runs.length || a.total !== b.total) return false;
  const ids = new Set(a.runs.map((r) => r.id));
  return b.runs.every((r) => ids.has(r.id));
}

/** Rows may move between two pages while they are read: the first one counts. */
export function dedupe(pages: RunPage[]): Run[] {
  const seen = new Set<string>();
  return pages.flatMap((p) => p.runs).filter((r) => !seen.has(r.id) && seen.add(r.id));
}
