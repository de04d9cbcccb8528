import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../../lib/problem/problem";
import { getUsage, viewerZone } from "../api/usage";
import type { Usage, UsageBy } from "../api/types";

/** How long sums are good for, in ms. */
export const kept = 60_000;

/** How soon a daemon that does not answer is asked again, in ms. */
export const lookAgain = 5_000;

/** Sums as the overview shows them. */
export interface Sums {
  usage: Usage | undefined;
  /** What went wrong with the newest look; sums that were there stay. */
  error: Error | null;
  /** The zone that days were asked for in. */
  zone: string;
  retry: () => void;
}

/**
 * Sums by day, project or model, looked at again every minute while the tab is
 * visible and somebody can see them.
 */
export function useUsage(by: UsageBy, wanted = true): Sums {
  const zone = viewerZone();
  const query = useQuery({
    queryKey: ["usage", by, zone],
    enabled: wanted,
    queryFn: ({ signal }) => getUsage(by, zone, signal),
    staleTime: kept,
    refetchInterval: (q) => (q.state.error instanceof ApiError && q.state.error.unreachable ? lookAgain : kept),
  });
  return { usage: query.data, error: query.error, zone, retry: () => void query.refetch() };
}
