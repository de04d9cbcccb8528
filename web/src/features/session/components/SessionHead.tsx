import { useState } from "react";
import { compact, cost, count, duration, moment } from "../../../lib/format/format";
import { displayState, stateWord } from "../../../lib/state/state";
import { StateShape } from "../../../lib/state/StateShape";
import { exportLog } from "../api/session";
import type { RunDetail } from "../api/types";

interface Props {
  run: RunDetail;
  /** Up to when it has run if it has no end: now, or its last sign of life. */
  until: number | null;
  onFilter: (filter: { tag: string[] } | { playbook: string }) => void;
  heading: React.Ref<HTMLHeadingElement>;
}

/** What a session is, at a glance. */
export function SessionHead({ run, until, onFilter, heading }: Props) {
  const state = displayState(run);
  const tokens = run.input_tokens !== null || run.output_tokens !== null;
  const files = run.message_stats.files.length;
  return (
    <header className="session-head">
      <h2 ref={heading} tabIndex={-1}>
        <bdi>{run.name}</bdi>
      </h2>
      <p className="facts">
        <span className="state">
          <StateShape state={state} />
          <span className={`state-${state}`}>{stateWord(run)}</span>
        </span>
        {run.started_at === null ? null : <span title={`started ${moment(run.started_at)}`}>{spent(run, until)}</span>}
        <span className="number" title="cost">
          {cost(run.total_cost_usd)}
        </span>
        <Fact name="model" value={run.model} />
        {tokens ? (
          <span title="tokens">
            {compact(run.input_tokens)} in, {compact(run.output_tokens)} out
          </span>
        ) : null}
        <Fact name="project" value={run.project} />
        <Fact name="agent" value={run.agent_name} />
        <span>{count(run.message_count, "message")}</span>
        {files > 0 ? <span title={run.message_stats.files.join("\n")}>{count(files, "file")}</span> : null}
        {run.playbook_name === null ? null : (
          <Chip text={run.playbook_name} what={`of playbook ${run.playbook_name}`} onClick={() => onFilter({ playbook: run.playbook_name ?? "" })} />
        )}
        {run.tags.map((t) => (
          <Chip key={t} text={t} what={`tagged ${t}`} onClick={() => onFilter({ tag: [t] })} />
        ))}
      </p>
      {run.status_reason_summary === null ? null : (
        <p className="reason" dir="auto">
          {run.status_reason_summary}
        </p>
      )}
      <p className="facts keep">
        <code className="id">{run.id}</code>
        <Copy text={run.id} what="id" />
        <Export id={run.id} format="md" what="Markdown" />
        <Export id={run.id} format="jsonl" what="JSON Lines" />
      </p>
    </header>
  );
}

/** How long it ran; an end that was only reconstructed gives no length. */
function spent(run: RunDetail, until: number | null): string {
  const end = run.ended_at ?? until;
  if (run.started_at === null || end === null || (run.ended_at !== null && run.ended_at_is_approximate)) return "—";
  return duration(end - run.started_at);
}

function Chip({ text, what, onClick }: { text: string; what: string; onClick: () => void }) {
  return (
    <button type="button" className="chip" onClick={onClick} aria-label={`Show sessions ${what}`}>
      <bdi>{text}</bdi>
    </button>
  );
}

function Fact({ name, value }: { name: string; value: string | null }) {
  return value === null ? null : (
    <span title={name}>
      <bdi>{value}</bdi>
    </span>
  );
}

function Copy({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState<"" | "copied" | "not copied">("");
  return (
    <>
      <button
        type="button"
        className="quiet"
        onClick={() => {
          void navigator.clipboard.writeText(text).then(
            () => setDone("copied"),
            () => setDone("not copied"),
          );
        }}
        onBlur={() => setDone("")}
      >
        Copy {what}
      </button>
      <span role="status">{done}</span>
    </>
  );
}

/** Keeps the whole log as a file. A plain link could not carry the token. */
function Export({ id, format, what }: { id: string; format: "md" | "jsonl"; what: string }) {
  const [state, setState] = useState<"rest" | "works" | "failed">("rest");
  return (
    <button
      type="button"
      className="quiet"
      aria-disabled={state === "works"}
      onClick={() => {
        if (state === "works") return;
        setState("works");
        exportLog(id, format).then(
          (blob) => {
            keep(blob, `${id}.${format}`);
            setState("rest");
          },
          () => setState("failed"),
        );
      }}
    >
      {state === "works" ? "Exporting" : state === "failed" ? `${what}: failed, try again` : `Export ${what}`}
    </button>
  );
}

function keep(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
