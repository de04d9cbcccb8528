import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { shortId } from "../../../lib/format/names";
import { getMessages } from "../api/session";
import type { Entry, Message } from "../api/types";
import { entriesOf } from "./messages";

/** How long windows of messages are good for, in ms. */
const fresh = 15_000;

/** One of several lines of a conversation. */
export interface Strand {
  id: string;
  name: string;
  entries: Entry[];
}

/** The branches of a session as far as they were read, and the way to older parts. */
export interface Branches {
  strands: Strand[];
  loading: boolean;
  /** What went wrong while nothing was read yet. */
  error: Error | null;
  hasOlder: boolean;
  loadingOlder: boolean;
  olderFailed: boolean;
  loadOlder: () => void;
  /** What came since the newest window could not be read. */
  newerFailed: boolean;
  retry: () => void;
}

/**
 * The branches of a session that has several, in windows of messages. They
 * have no way to ask for what is new alone: a new version reads all of them
 * again.
 */
export function useBranches(id: string, version: number | null, enabled: boolean): Branches {
  const windows = useInfiniteQuery({
    queryKey: ["session", id, "messages"],
    enabled,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => getMessages(id, pageParam, signal),
    getNextPageParam: (oldest) => oldest.message_next_cursor ?? undefined,
    staleTime: fresh,
  });
  const { refetch } = windows;
  const ready = windows.data !== undefined;
  const read = useRef(version);
  useEffect(() => {
    if (!enabled || !ready || read.current === version) return;
    read.current = version;
    void refetch();
  }, [enabled, ready, version, refetch]);
  const strands = useMemo(() => {
    const names = new Map<string, string>();
    const messages = new Map<string, Message[]>();
    for (const w of [...(windows.data?.pages ?? [])].reverse()) {
      for (const b of w.branches) {
        names.set(b.id, b.name ?? b.agent_name ?? shortId(b.id));
        messages.set(b.id, [...(messages.get(b.id) ?? []), ...b.messages]);
      }
    }
    return [...messages].map(([branch, list]) => ({ id: branch, name: names.get(branch) ?? branch, entries: entriesOf(distinct(list)) }));
  }, [windows.data]);
  return {
    strands,
    loading: windows.isPending && windows.error === null,
    error: windows.data === undefined ? windows.error : null,
    hasOlder: windows.hasNextPage,
    loadingOlder: windows.isFetchingNextPage,
    olderFailed: windows.isFetchNextPageError,
    loadOlder: () => void windows.fetchNextPage({ cancelRefetch: false }),
    newerFailed: windows.isRefetchError,
    retry: () => void windows.refetch(),
  };
}

/** Windows may overlap; the first of each id counts. */
export function distinct<T extends { id: string }>(list: T[]): T[] {
  const seen = new Set<string>();
  return list.filter((one) => !seen.has(one.id) && seen.add(one.id));
}
