import { useQuery } from "@tanstack/react-query";
import { getHead, getLineage } from "../api/session";

/** How often a running session, and any other, is asked for news, in ms. */
const livePoll = 3_000;
const restPoll = 15_000;

/** What stands above a conversation; kept fresh while the tab is visible. */
export function useHead(id: string) {
  return useQuery({
    queryKey: ["session", id, "head"],
    queryFn: ({ signal }) => getHead(id, signal),
    // What is gone does not come back.
    refetchInterval: (q) => (q.state.error !== null && (q.state.data === undefined || (q.state.error as { status?: number }).status === 404) ? false : q.state.data?.status === "running" ? livePoll : restPoll),
  });
}

export function useLineage(id: string) {
  return useQuery({ queryKey: ["session", id, "lineage"], queryFn: ({ signal }) => getLineage(id, signal), staleTime: 60_000 });
}
