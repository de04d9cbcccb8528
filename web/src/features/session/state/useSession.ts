import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { getEntries, getHead, getLineage, getMessages } from "../api/session";
import type { Entry, Message } from "../api/types";
import { entriesOf } from "./messages";

/** How often a running session, and any other, is asked for news, in ms. */
const livePoll = 3_000;
const restPoll = 15_000;

/** What stands above a conversation; kept fresh while the tab is visible. */
export function useHead(id: string) {
  return useQuery({
    queryKey: ["session", id, "head"],
    queryFn: ({ signal }) => getHead(id, signal),
    refetchInterval: (q) => (q.state.error !== null && q.state.data === undefined ? false : q.state.data?.status === "running" ? livePoll : restPoll),
  });
}

export function useLineage(id: string) {
  return useQuery({ queryKey: ["session", id, "lineage"], queryFn: ({ signal }) => getLineage(id, signal), staleTime: 60_000 });
}

/** A line of conversation: the log, or one branch of several. */
export interface Strand {
  id: string;
  /** null when there is only one. */
  name: string | null;
  entries: Entry[];
}

/** A conversation as far as it was read, and the way to older parts. */
export interface Conversation {
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
  loadNewer: () => void;
  retry: () => void;
}

/**
 * The log of a session in windows, the newest first; older ones on request.
 * version is anything that changes when the log may have grown: then what came
 * since is read, and nothing else.
 */
export function useLog(id: string, version: number | null, enabled: boolean): Conversation {
  const client = useQueryClient();
  const windows = useInfiniteQuery({
    queryKey: ["session", id, "entries"],
    enabled,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => getEntries(id, pageParam === null ? {} : { before: pageParam }, signal),
    getNextPageParam: (oldest) => oldest.before ?? undefined,
    staleTime: Infinity,
  });
  const newest = windows.data?.pages[0];
  const tailKey = ["session", id, "tail"];
  const tail = useQuery({
    queryKey: tailKey,
    enabled: false,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Entry[]> => {
      const known = client.getQueryData<Entry[]>(tailKey) ?? [];
      const last = known.at(-1) ?? newest?.entries.at(-1);
      const next = await getEntries(id, last === undefined ? {} : { after: last.id }, signal);
      return [...known, ...next.entries];
    },
  });
  const ready = windows.data !== undefined;
  const { refetch } = tail;
  const grown = tail.data?.length ?? 0;
  // One window after the other until one brings nothing.
  useEffect(() => {
    if (ready && enabled) void refetch();
  }, [ready, enabled, version, grown, refetch]);

  const strands = useMemo(
    () => [{ id: "log", name: null, entries: distinct([...[...(windows.data?.pages ?? [])].reverse().flatMap((w) => w.entries), ...(tail.data ?? [])]) }],
    [windows.data, tail.data],
  );
  return { strands, ...controls(windows), newerFailed: tail.isError, loadNewer: () => void refetch() };
}

/**
 * The branches of a session that has several, in windows of messages. They
 * have no way to ask for what is new alone: a new version reads all of them
 * again.
 */
export function useBranches(id: string, version: number | null, enabled: boolean): Conversation {
  const windows = useInfiniteQuery({
    queryKey: ["session", id, "messages"],
    enabled,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => getMessages(id, pageParam, signal),
    getNextPageParam: (oldest) => oldest.message_next_cursor ?? undefined,
    staleTime: restPoll,
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
        names.set(b.id, b.name ?? b.agent_name ?? b.id.slice(0, 8));
        messages.set(b.id, [...(messages.get(b.id) ?? []), ...b.messages]);
      }
    }
    return [...messages].map(([branch, list]) => ({ id: branch, name: names.get(branch) ?? branch, entries: entriesOf(distinct(list)) }));
  }, [windows.data]);
  return { strands, ...controls(windows), newerFailed: windows.isRefetchError, loadNewer: () => void refetch() };
}

/** What the controls need of a query by windows. */
interface Windows {
  isPending: boolean;
  error: Error | null;
  data: object | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<unknown>;
  refetch: () => Promise<unknown>;
}

function controls(windows: Windows): Omit<Conversation, "strands" | "newerFailed" | "loadNewer"> {
  return {
    loading: windows.isPending && windows.error === null,
    error: windows.data === undefined ? windows.error : null,
    hasOlder: windows.hasNextPage,
    loadingOlder: windows.isFetchingNextPage,
    olderFailed: windows.isFetchNextPageError,
    loadOlder: () => void windows.fetchNextPage({ cancelRefetch: false }),
    retry: () => void windows.refetch(),
  };
}

/** Windows may overlap; the first of each id counts. */
export function distinct<T extends { id: string }>(list: T[]): T[] {
  const seen = new Set<string>();
  return list.filter((one) => !seen.has(one.id) && seen.add(one.id));
}
