import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { compact, cost, duration } from "../../../lib/format/format";
import { ApiError } from "../../../lib/http/problem";
import { StateShape } from "../../runs/components/StateShape";
import { displayState, stateWord } from "../../runs/state/state";
import { getRun } from "../api/session";
import type { RunDetail } from "../api/types";
import { pieces } from "../state";
import { PieceView } from "./PieceView";

/** One session: what it is, and its conversation, newest window first. */
export function SessionView({ id, now }: { id: string; now: number }) {
  const query = useInfiniteQuery({
    queryKey: ["run", id],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => getRun(id, pageParam, signal),
    getNextPageParam: (last) => last.message_next_cursor ?? undefined,
    refetchInterval: (q) => (q.state.data?.pages.length === 1 && q.state.data.pages[0]?.status === "running" ? 3_000 : false),
  });
  const windows = query.data?.pages;
  const head = windows?.[0];
  const shown = useMemo(() => (windows === undefined ? [] : conversation(windows)), [windows]);

  if (query.isPending) return <Skeleton />;
  if (head === undefined) return <Failure error={query.error} again={() => void query.refetch()} />;
  const state = displayState(head);
  return (
    <section className="session" aria-label={head.name}>
      <header className="session-head">
        <h1>{head.name}</h1>
        <p className="facts">
          <StateShape state={state} />
          <span className={`state-${state}`}>{stateWord(head)}</span>
          <Fact name="model" value={head.model} />
          <span>
            {compact(head.input_tokens)} in · {compact(head.output_tokens)} out
          </span>
          <span className="number">{cost(head.total_cost_usd)}</span>
          {head.started_at === null ? null : <span>{duration((head.ended_at ?? now) - head.started_at)}</span>}
          <Fact name="project" value={head.project} />
          {head.tags.map((t) => (
            <span key={t} className="tag">
              {t}
            </span>
          ))}
        </p>
        {head.status_reason_summary === null ? null : <p className="reason">{head.status_reason_summary}</p>}
        <p className="id">{head.id}</p>
      </header>
      <div className="conversation">
        {query.hasNextPage ? (
          <button
            type="button"
            className="more"
            aria-disabled={query.isFetchingNextPage}
            onClick={() => {
              if (!query.isFetchingNextPage) void query.fetchNextPage();
            }}
          >
            {query.isFetchingNextPage ? "Loading older messages" : "Older messages"}
          </button>
        ) : null}
        {shown.length === 0 ? <p className="note">No messages yet.</p> : shown.map((p) => <PieceView key={p.id} piece={p} />)}
      </div>
    </section>
  );
}

/** The windows came newest first; the conversation reads oldest first. */
function conversation(windows: RunDetail[]) {
  const branches = new Map<string, RunDetail["branches"][number]["messages"]>();
  for (const w of [...windows].reverse()) {
    for (const b of w.branches) branches.set(b.id, [...(branches.get(b.id) ?? []), ...b.messages]);
  }
  return [...branches.values()].flatMap(pieces);
}

function Fact({ name, value }: { name: string; value: string | null }) {
  return value === null ? null : <span title={name}>{value}</span>;
}

function Skeleton() {
  return (
    <div className="session" aria-busy="true" aria-label="Loading the session">
      <div className="bone bone-title" />
      <div className="bone" />
      <div className="bone bone-block" />
      <div className="bone bone-block" />
    </div>
  );
}

function Failure({ error, again }: { error: Error | null; again: () => void }) {
  const gone = error instanceof ApiError && error.status === 404;
  return (
    <div className="session" role="alert">
      <h1>{gone ? "No such session" : "The session could not be read"}</h1>
      <p>{error?.message}</p>
      {gone ? null : (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
