import { useEffect, useRef } from "react";
import { useNow } from "../../../lib/clock/useNow";
import { clock } from "../../../lib/format/format";
import { ApiError } from "../../../lib/problem/problem";
import { displayState } from "../../../lib/state/state";
import { useBranches, useHead, useLineage, useLog } from "../state/useSession";
import { ConversationView } from "./ConversationView";
import { SessionLink } from "./PieceView";
import { SessionHead } from "./SessionHead";

interface Props {
  id: string;
  /** Whether the session takes the focus when it opens: where the list is gone. */
  takesFocus: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
  /** Shows the sessions of a filter. */
  onFilter: (filter: { tag: string[] } | { playbook: string }) => void;
}

/** One session: what it is, and its conversation. */
export function SessionView({ id, takesFocus, hrefOf, onOpen, onFilter }: Props) {
  const head = useHead(id);
  const run = head.data;
  const several = (run?.branches.length ?? 0) > 1;
  const version = run?.updated_at ?? null;
  const log = useLog(id, version, run !== undefined && !several);
  const branches = useBranches(id, version, run !== undefined && several);
  const conversation = several ? branches : log;
  // Nobody is at work in a session whose process is lost.
  const state = run === undefined ? null : displayState(run);
  const running = state === "running" || state === "idle";
  const ticked = useNow(running ? 1_000 : 60_000);
  const now = Math.max(ticked, head.dataUpdatedAt / 1000);

  const heading = useRef<HTMLHeadingElement>(null);
  const loaded = run !== undefined;
  useEffect(() => {
    if (loaded && takesFocus) heading.current?.focus({ preventScroll: true });
  }, [loaded, takesFocus]);

  const name = run?.name;
  useEffect(() => {
    if (name === undefined) return;
    document.title = `${name} · Podium`;
    return () => void (document.title = "Podium");
  }, [name]);

  if (head.isPending && head.error === null) return <Bones />;
  if (run === undefined) return <Failure id={id} error={head.error} retry={() => void head.refetch()} />;
  return (
    <article className="session" aria-label={run.name}>
      <SessionHead run={run} until={running ? now : run.updated_at} onFilter={onFilter} heading={heading} />
      {head.error === null ? null : (
        <div className="strip strip-problem" role="alert">
          <span>
            {head.error.message} As of {clock(head.dataUpdatedAt / 1000)}.
          </span>
          <button type="button" onClick={() => void head.refetch()}>
            Try again
          </button>
        </div>
      )}
      {conversation.loading ? (
        <div className="conversation-pane" aria-busy="true" role="status" aria-label="Loading the conversation">
          <span className="bone bone-block" />
          <span className="bone bone-block" />
        </div>
      ) : conversation.error !== null ? (
        <div className="empty" role="alert">
          <p>{conversation.error.message}</p>
          <button type="button" onClick={conversation.retry}>
            Try again
          </button>
        </div>
      ) : (
        <ConversationView conversation={conversation} running={running} hrefOf={hrefOf} onOpen={onOpen}>
          <Continued id={id} hrefOf={hrefOf} onOpen={onOpen} />
        </ConversationView>
      )}
    </article>
  );
}

/** Where a compacted session went on. */
function Continued({ id, hrefOf, onOpen }: Pick<Props, "id" | "hrefOf" | "onOpen">) {
  const next = useLineage(id).data?.continued_in[0];
  if (next === undefined) return null;
  return (
    <p className="piece mark mark-compaction">
      <span>
        compacted, continues in <SessionLink id={next.session_id} hrefOf={hrefOf} onOpen={onOpen} />
      </span>
    </p>
  );
}

function Bones() {
  return (
    <div className="session" aria-busy="true" role="status" aria-label="Loading the session">
      <div className="session-head">
        <span className="bone bone-title" />
        <span className="bone" />
      </div>
      <div className="conversation-pane">
        <span className="bone bone-block" />
        <span className="bone bone-block" />
      </div>
    </div>
  );
}

function Failure({ id, error, retry }: { id: string; error: Error | null; retry: () => void }) {
  const gone = error instanceof ApiError && error.status === 404;
  return (
    <div className="session" role="alert">
      <div className="session-head">
        <h2>{gone ? "No such session" : "The session could not be read"}</h2>
        <p>{gone ? "It was deleted, or the link is from another store." : error?.message}</p>
        {gone ? (
          <code className="id">{id}</code>
        ) : (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}
