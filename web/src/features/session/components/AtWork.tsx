import { useNow } from "../../../lib/clock/useNow";
import { duration } from "../../../lib/format/format";
import { useLiving, type Work } from "../../../lib/state/living";
import { StateShape } from "../../../lib/state/StateShape";

interface Props {
  id: string;
  /** When the newest entry of the log came, in Unix seconds; null while that is not known. */
  newest: number | null;
}

/**
 * What the session's pod is at while nothing of it stands in the log yet: an
 * answer is shown once the pod has committed it, never before.
 */
export function AtWork({ id, newest }: Props) {
  const work = useLiving(id)?.work ?? null;
  return work === null ? null : <Line work={work} newest={newest} />;
}

function Line({ work, newest }: { work: Work; newest: number | null }) {
  const now = useNow(1_000);
  const state = work.kind === "run" ? "running" : "compacting";
  // What is under way began behind what is known to be done.
  const began = newest === null ? work.since : Math.max(newest, work.since ?? 0);
  return (
    <p className="at-work">
      <StateShape state={state} />
      <span className={`state-${state}`}>{state === "compacting" ? "compacting" : work.tool === null ? "answering" : "running"}</span>
      {work.tool === null ? null : <bdi className="at-work-tool">{work.tool}</bdi>}
      {began === null ? null : <span className="number">{duration(Math.max(0, now - began))}</span>}
    </p>
  );
}
