import { count, duration, moment, shrinking } from "../../../lib/format/format";
import { useLiving } from "../../../lib/state/living";
import { displayState, stateWord } from "../../../lib/state/state";
import { StateShape } from "../../../lib/state/StateShape";
import type { Lineage, RunDetail, Usage } from "../api/types";
import { spendOf } from "../state/spend";
import { HeadActions } from "./HeadActions";
import { NameEditor } from "./NameEditor";
import { SessionLink } from "./PieceView";
import { TagList } from "./TagList";

interface Props {
  run: RunDetail;
  /** What its log counted; null where it has none of its own. */
  usage: Usage | null;
  /** The pod that holds it. */
  pod: string | null;
  /** Whether it is a pod's session. */
  own: boolean;
  lineage: Lineage | undefined;
  /** Up to when it has run if it has no end: now, or its last sign of life. */
  until: number | null;
  onFilter: (filter: { tag: string[] } | { playbook: string }) => void;
  heading: React.Ref<HTMLHeadingElement>;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/** What a session is, at a glance, and what can be done with it. */
export function SessionHead({ run, usage, pod, own, lineage, until, onFilter, heading, hrefOf, onOpen }: Props) {
  const living = useLiving(run.id);
  const state = living?.state ?? displayState(run);
  const spend = spendOf(run, usage);
  const files = run.message_stats.files.length;
  const from = lineage?.compacted_from.at(-1);
  const next = lineage?.continued_in[0];
  return (
    <header className="session-head">
      <NameEditor run={run} heading={heading} />
      <div className="facts">
        <span className="state">
          <StateShape state={state} />
          <span className={`state-${state}`}>{living?.word ?? stateWord(run)}</span>
        </span>
        {run.started_at === null ? null : <span title={`started ${moment(run.started_at)}`}>{spent(run, until)}</span>}
        <span className="number" title={spend.costTitle}>
          {spend.cost}
        </span>
        <Fact name="model" value={run.model} />
        {spend.tokens === null ? null : <span title={spend.tokensTitle}>{spend.tokens}</span>}
        <Fact name="project" value={run.project} />
        <Fact name="agent" value={run.agent_name} />
        {pod === null ? null : <Fact name="pod" value={pod} />}
        <span>{count(run.message_count, "message")}</span>
        {files > 0 ? <span title={run.message_stats.files.join("\n")}>{count(files, "file")}</span> : null}
        {from === undefined ? null : (
          <span title={shrinking(from.tokens_before, from.tokens_after)}>
            compacted from <SessionLink id={from.session_id} hrefOf={hrefOf} onOpen={onOpen} />
          </span>
        )}
        {next === undefined ? null : (
          <span title={shrinking(next.tokens_before, next.tokens_after)}>
            continues in <SessionLink id={next.session_id} hrefOf={hrefOf} onOpen={onOpen} />
          </span>
        )}
        {run.playbook_name === null ? null : (
          <button type="button" className="chip" title={run.playbook_name} onClick={() => onFilter({ playbook: run.playbook_name ?? "" })} aria-label={`Show sessions of playbook ${run.playbook_name}`}>
            <bdi>{run.playbook_name}</bdi>
          </button>
        )}
        <TagList run={run} onTag={(tag) => onFilter({ tag: [tag] })} />
      </div>
      {run.status_reason_summary === null ? null : (
        <p className="reason" dir="auto" title={run.status_reason_summary}>
          {run.status_reason_summary}
        </p>
      )}
      <HeadActions run={run} pod={pod} own={own} />
    </header>
  );
}

/** How long it ran; an end that was only reconstructed gives no length. */
function spent(run: RunDetail, until: number | null): string {
  const end = run.ended_at ?? until;
  if (run.started_at === null || end === null || (run.ended_at !== null && run.ended_at_is_approximate)) return "—";
  return duration(end - run.started_at);
}

function Fact({ name, value }: { name: string; value: string | null }) {
  return value === null ? null : (
    <span className="fact" title={`${name}: ${value}`}>
      <bdi>{value}</bdi>
    </span>
  );
}
