import { useEffect, useState, useSyncExternalStore } from "react";
import { onAsked, readToken } from "../../../lib/http/token";
import { noFleet, podOf, reduceFleet, type Fleet, type FleetEvent } from "./fleet";
import { followFleet } from "./follow";
import { sameLiving, type Living, type LivingSource } from "../../../lib/state/living";
import { noteLowerBound } from "../../../lib/state/lowerBound";
import type { Pod } from "../api/types";
import { podLiving } from "./view";

/** A fleet that lasts as long as the page. */
export interface FleetStore {
  read: () => Fleet;
  subscribe: (tell: () => void) => () => void;
  take: (event: FleetEvent) => void;
}

export function createFleet(): FleetStore {
  let fleet = noFleet;
  const listeners = new Set<() => void>();
  return {
    read: () => fleet,
    subscribe: (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    take: (event) => {
      const next = reduceFleet(fleet, event);
      if (next === fleet) return;
      fleet = next;
      for (const pod of fleet.pods.values()) if (pod.cost_partial && pod.session_id !== null) noteLowerBound(pod.session_id);
      listeners.forEach((tell) => tell());
    },
  };
}

/** The fleet of the page, followed while there is a token. */
export function useFleet(): FleetStore {
  const [store] = useState(createFleet);
  const token = useToken();
  useEffect(() => {
    if (token === null) return;
    const stop = followFleet(store.take);
    return () => {
      stop();
      store.take({ type: "forgotten" });
    };
  }, [store, token]);
  return store;
}

/** The token, as far as the page has one. */
export function useToken(): string | null {
  return useSyncExternalStore(onAsked, readToken);
}

/** What select gives of the fleet; it must give the same for the same fleet. */
export function useFleetOf<T>(store: FleetStore, select: (fleet: Fleet) => T): T {
  return useSyncExternalStore(store.subscribe, () => select(store.read()));
}

/** The live pod that holds a session. */
export function usePodOf(store: FleetStore, session: string | null): Pod | undefined {
  return useFleetOf(store, (fleet) => (session === null ? undefined : podOf(fleet, session)));
}

/** A live pod by its name. */
export function usePodNamed(store: FleetStore, name: string | null): Pod | undefined {
  return useFleetOf(store, (fleet) => (name === null ? undefined : fleet.pods.get(name)));
}

/** The fleet for whoever shows a session. */
export function livingIn(store: FleetStore): LivingSource {
  const known = new Map<string, Living>();
  return {
    subscribe: store.subscribe,
    of: (session) => {
      const pod = podOf(store.read(), session);
      if (pod === undefined) {
        known.delete(session);
        return undefined;
      }
      const now = podLiving(pod);
      const was = known.get(session);
      if (was !== undefined && sameLiving(was, now)) return was;
      known.set(session, now);
      return now;
    },
  };
}
