import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { onAsked, readAsked } from "../../../lib/http/token";
import { queryOf, type RunFilter } from "./filter";
import { readReadiness } from "../api/windows";
import { newChain } from "./chain";
import { absent, HistoryStore, type HistoryState } from "./history";

/** How often the page asks which store answers, in ms; only while it is seen. */
const contextStep = 30_000;

// One memory a page: what asks with the same client shares it.
const memories = new WeakMap<QueryClient, HistoryStore>();

/**
 * The history in windows: its state, and what a person can do. Nothing is
 * asked while it is not what is shown.
 */
export function useHistory(filter: RunFilter, enabled: boolean): { state: HistoryState; store: HistoryStore } {
  const client = useQueryClient();
  const store = useMemo(() => memoryOf(client), [client]);
  const query = queryOf(filter);
  const key = JSON.stringify(query);
  const held = useSyncExternalStore(store.subscribe, store.state);
  useEffect(() => {
    if (!enabled) return;
    store.open(key, JSON.parse(key));
    // A count nobody looks at is nobody's wish.
    return () => store.cancelCount();
  }, [store, key, enabled]);

  // Rows of the query before are not shown for one moment.
  const state = held.key === key ? held : { ...held, key, chain: waiting, count: { state: "unknown" as const } };
  useStoreContext(store, state.chain.traversal, enabled);
  useToken(store);
  return { state, store };
}

const waiting = { ...newChain<never>(0), asking: { kind: "begin", cursor: null } as const };

/** Tells the history which store answers: at each new chain, and now and then. */
function useStoreContext(store: HistoryStore, traversal: number, enabled: boolean): void {
  const { data, dataUpdatedAt, refetch } = useQuery({
    queryKey: ["readiness"],
    queryFn: ({ signal }) => readReadiness(signal),
    enabled,
    retry: false,
    staleTime: contextStep,
    refetchInterval: contextStep,
  });
  useEffect(() => {
    if (enabled) void refetch({ cancelRefetch: false });
  }, [refetch, traversal, enabled]);
  useEffect(() => {
    if (!enabled) return;
    if (data?.status === "healthy") store.context(data.store_context ?? "none", dataUpdatedAt);
    else if (data?.store_present === false) store.context(absent, dataUpdatedAt);
  }, [store, data, dataUpdatedAt, enabled]);
}

/** Asks again for what was refused, once the token is there. */
function useToken(store: HistoryStore): void {
  useEffect(
    () =>
      onAsked(() => {
        if (readAsked().state === "no" && store.state().chain.failure?.error.status === 401) store.retry();
      }),
    [store],
  );
}

function memoryOf(client: QueryClient): HistoryStore {
  let memory = memories.get(client);
  if (memory === undefined) memories.set(client, (memory = new HistoryStore(wasReloaded())));
  return memory;
}

/** Whether this page took the place of one that may have had a search. */
function wasReloaded(): boolean {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation?.type === "reload" || navigation?.type === "back_forward";
}
