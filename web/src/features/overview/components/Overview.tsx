import { useId } from "react";
import { ApiError } from "../../../lib/problem/problem";
import { ProblemText } from "../../../lib/problem/ProblemText";
import { days } from "../api/usage";
import type { UsageBy } from "../api/types";
import { asOf } from "../state/days";
import { inWords, isEmpty } from "../state/sums";
import { useChoices } from "../state/useChoices";
import { useUsage, type Sums } from "../state/useUsage";
import { DayPlot } from "./DayPlot";
import { SpendList } from "./SpendList";
import { UsageTable } from "./UsageTable";

interface Props {
  /** The project whose sessions are listed: null for none, undefined for all. */
  project: string | null | undefined;
  /** Lists the sessions of a project, or of all again. */
  onProject: (project: string | null | undefined) => void;
}

const choices: { by: UsageBy; name: string }[] = [
  { by: "day", name: "days" },
  { by: "project", name: "projects" },
  { by: "model", name: "models" },
];

/** What the last 30 days were: sessions and spend, in a strip that folds into its first line. */
export function Overview({ project, onProject }: Props) {
  const body = useId();
  const { open, setOpen, by, setBy, asTable, setAsTable } = useChoices();
  const byDay = useUsage("day");
  const other = useUsage(by, open && by !== "day");
  const sums = by === "day" ? byDay : other;
  return (
    <section className="overview" aria-label={`The last ${days} days`}>
      <div className="overview-head">
        <button type="button" className="quiet overview-fold" aria-expanded={open} aria-controls={body} onClick={() => setOpen(!open)}>
          <span className="overview-mark" aria-hidden="true" />
          {days} days
        </button>
        <Words sums={byDay} />
        {open ? null : <Note sums={byDay} />}
      </div>
      <div id={body} hidden={!open}>
        {open ? (
          <>
            <Body sums={sums} asTable={asTable} project={project} onProject={(to) => onProject(to === project ? undefined : to)} />
            <div className="overview-foot">
              <div className="choice" role="group" aria-label="Summed up by">
                {choices.map((c) => (
                  <button key={c.by} type="button" aria-pressed={by === c.by} onClick={() => setBy(c.by)}>
                    {c.name}
                  </button>
                ))}
              </div>
              <button type="button" className="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
                as a table
              </button>
              <Note sums={sums} />
            </div>
          </>
        ) : null}
      </div>
    </section>
  );
}

/** The whole of it in a line. */
function Words({ sums: { usage, error } }: { sums: Sums }) {
  if (usage !== undefined) {
    const words = inWords(usage);
    return (
      <p className="overview-words" title={words}>
        {words}
      </p>
    );
  }
  if (error !== null) return <p className="overview-words">could not be read</p>;
  return (
    <p className="overview-words">
      <span className="bone" />
    </p>
  );
}

/** How the sums are to be read, and whether they are old. */
function Note({ sums: { usage, error, zone, retry } }: { sums: Sums }) {
  if (usage === undefined) return <p className="overview-note" />;
  if (error !== null) {
    return (
      <p className="overview-note problem" title={error.message}>
        not refreshed since {asOf(usage.as_of, new Date())}
        {needsToken(error) ? null : (
          <button type="button" className="chip" onClick={retry}>
            Look again
          </button>
        )}
      </p>
    );
  }
  const notes = [];
  if (usage.basis === "last_activity") notes.push(`by last activity, as of ${asOf(usage.as_of, new Date())}`);
  if (usage.by === "day" && usage.tz !== zone) notes.push(`days of ${usage.tz}`);
  return <p className="overview-note">{notes.join("; ")}</p>;
}

function Body({ sums, asTable, project, onProject }: { sums: Sums; asTable: boolean; project: Props["project"]; onProject: (project: string | null) => void }) {
  const { usage, error, retry } = sums;
  if (usage === undefined) {
    if (error !== null) return <Failure error={error} retry={retry} />;
    return (
      <div className="overview-body overview-bones" role="status" aria-busy="true" aria-label="Loading the overview">
        <span className="bone" />
        <span className="bone" />
      </div>
    );
  }
  if (isEmpty(usage.groups)) {
    return (
      <div className="overview-body overview-empty">
        <p>Nothing in the last {days} days. Sessions and what they cost are counted here from the first one on.</p>
      </div>
    );
  }
  if (!asTable && usage.by === "day") {
    return (
      <div className="overview-body">
        <DayPlot usage={usage} />
      </div>
    );
  }
  // What is scrolled is reached by the Tab key.
  return (
    <div className="overview-body overview-scroll" role="region" aria-label={`Sums by ${usage.by}`} tabIndex={0}>
      {asTable ? <UsageTable usage={usage} /> : <SpendList usage={usage} project={project} onProject={onProject} />}
    </div>
  );
}

function Failure({ error, retry }: { error: Error; retry: () => void }) {
  // What only the token or another store changes needs no second look.
  const useless = needsToken(error) || (error instanceof ApiError && error.status === 501);
  return (
    <div className="overview-body overview-empty">
      <p className="problem">
        <ProblemText text={error.message} />
      </p>
      {useless ? null : (
        <button type="button" onClick={retry}>
          Look again
        </button>
      )}
    </div>
  );
}

function needsToken(error: Error): boolean {
  return error instanceof ApiError && error.status === 401;
}
