import { useCallback, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { useNow } from "../../../lib/clock/useNow";
import { clock } from "../../../lib/format/format";
import { ApiError } from "../../../lib/problem/problem";
import { ProblemText } from "../../../lib/problem/ProblemText";
import { useLiving } from "../../../lib/state/living";
import { noteLowerBound } from "../../../lib/state/lowerBound";
import { displayState } from "../../../lib/state/state";
import { deletions } from "../state/deletions";
import { useBranches } from "../state/useBranches";
import { useLog } from "../state/useLog";
import { useHead, useLineage } from "../state/useSession";
import { AtWork } from "./AtWork";
import { BranchesView } from "./BranchesView";
import { CompactedFrom, ContinuedIn } from "./Lineage";
import { LogView } from "./LogView";
import { SessionBones } from "./SessionBones";
import { SessionHead } from "./SessionHead";

interface Props {
  id: string;
  /** The entry that the address names: the conversation opens around it. */
  entry: string | null;
  /** Whether the session takes the focus when it opens: where the list is gone. */
  takesFocus: boolean;
  /** The address of a session, or of an entry of it. */
  hrefOf: (id: string, entry?: string) => string;
  onOpen: (id: string) => void;
  /** Shows the sessions of a filter. */
  onFilter: (filter: { tag: string[] } | { playbook: string }) => void;
  /** Stands under the conversation. */
  children?: ReactNode;
}

/** One session: what it is, and its conversation. */
export function SessionView({ id, entry, takesFocus, hrefOf, onOpen, onFilter, children }: Props) {
  const head = useHead(id);
  const run = head.data;
  const several = (run?.branches.length ?? 0) > 1;
  // A linked entry has its place in the log, not in a branch.
  const [inOrder, setInOrder] = useState(entry !== null);
  const byBranch = several && !inOrder;
  const version = run?.updated_at ?? null;
  // Nobody is at work in a session whose process is lost.
  const state = run === undefined ? null : displayState(run);
  const running = state === "running" || state === "idle";
  const living = useLiving(id);
  const working = living === undefined ? running : living.work !== null;
  const deleted = useSyncExternalStore(deletions.subscribe, deletions.snapshot).some((d) => d.id === id && d.state === "deleted");
  const there = run !== undefined && !deleted;
  // What the pod goes on to may have left something in the log.
  const log = useLog(id, entry, running, `${version} ${living?.word} ${living?.work?.tool}`, there && !byBranch);
  const branches = useBranches(id, version, there && byBranch);
  const lineage = useLineage(id).data;
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

  const unpriced = log.window?.usage?.unpriced ?? 0;
  useEffect(() => {
    if (unpriced > 0) noteLowerBound(id);
  }, [id, unpriced]);

  const linkTo = useCallback((to: string) => hrefOf(id, to), [hrefOf, id]);

  if (deleted) return <Gone title="The session is deleted" id={id} text="Its log and its spend are gone for good." />;
  if (head.isPending && head.error === null) return <SessionBones />;
  if (run === undefined) return <Failure id={id} error={head.error} retry={() => void head.refetch()} />;
  const shown = { running, working, hrefOf, onOpen };
  const choice = several ? (
    <span className="choice" role="group" aria-label="Conversation">
      <button type="button" aria-pressed={byBranch} onClick={() => setInOrder(false)}>
        by branch
      </button>
      <button type="button" aria-pressed={!byBranch} onClick={() => setInOrder(true)}>
        in order
      </button>
    </span>
  ) : null;
  const before = <CompactedFrom lineage={lineage} {...shown} />;
  const after = <ContinuedIn lineage={lineage} {...shown} />;
  const held = byBranch ? null : log.window;
  const foot = <AtWork id={id} newest={held === null ? null : (held.entries.at(-1)?.created_at ?? null)} />;
  const waiting = byBranch ? branches.loading : log.window === null && log.failed === null;
  const failed = byBranch ? branches.error : log.window === null ? log.failed : null;
  return (
    <article className="session" aria-label={run.name}>
      <SessionHead
        run={run}
        usage={log.window?.usage ?? null}
        pod={log.window?.pod ?? null}
        own={log.window?.entries.some((e) => e.pod_id != null) ?? false}
        lineage={lineage}
        until={running ? now : run.updated_at}
        onFilter={onFilter}
        heading={heading}
        hrefOf={hrefOf}
        onOpen={onOpen}
      />
      {head.error === null ? null : (
        <div className="strip strip-problem" role="alert">
          <span>
            <ProblemText text={head.error.message} /> As of {clock(head.dataUpdatedAt / 1000)}.
          </span>
          <button type="button" onClick={() => void head.refetch()}>
            Try again
          </button>
        </div>
      )}
      {waiting ? (
        <>
          <div className="conversation-bar" />
          <div className="conversation-pane" aria-busy="true" role="status" aria-label="Loading the conversation">
            <span className="bone bone-block" />
            <span className="bone bone-block" />
          </div>
        </>
      ) : failed !== null ? (
        <div className="empty" role="alert">
          <p className="problem">
            <ProblemText text={failed.message} />
          </p>
          <button type="button" onClick={byBranch ? branches.retry : () => log.reader.retry()}>
            Try again
          </button>
        </div>
      ) : byBranch ? (
        <BranchesView branches={branches} {...shown} after={after} foot={foot} choice={choice} />
      ) : (
        <LogView id={id} log={log} {...shown} linkTo={linkTo} told={head.error !== null} before={before} after={after} foot={foot} choice={choice} />
      )}
      {children}
    </article>
  );
}

function Failure({ id, error, retry }: { id: string; error: Error | null; retry: () => void }) {
  if (error instanceof ApiError && error.status === 404) {
    return <Gone title="No such session" id={id} text="It was deleted, or the link is from another store." />;
  }
  return (
    <div className="session" role="alert">
      <div className="session-head">
        <h2>The session could not be read</h2>
        <p className="problem">
          <ProblemText text={error?.message ?? ""} />
        </p>
        <button type="button" onClick={retry}>
          Try again
        </button>
      </div>
    </div>
  );
}

function Gone({ title, text, id }: { title: string; text: string; id: string }) {
  return (
    <div className="session" role="alert">
      <div className="session-head">
        <h2>{title}</h2>
        <p>{text}</p>
        <code className="id">{id}</code>
      </div>
    </div>
  );
}
