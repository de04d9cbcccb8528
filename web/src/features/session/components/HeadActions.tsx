import { lazy, Suspense, useId, useState } from "react";
import { exportLog } from "../api/session";
import type { RunDetail } from "../api/types";
import { authorised } from "../state/authorised";
import { commandsFor } from "../state/commands";
import { deletions } from "../state/deletions";
import { CopyButton } from "./CopyButton";
import { LongText } from "./LongText";

// Rarely opened, so not part of what the page needs to begin.
const FilesPanel = lazy(() => import("./FilesPanel").then((m) => ({ default: m.FilesPanel })));

interface Props {
  run: RunDetail;
  pod: string | null;
  own: boolean;
}

type Panel = "" | "raw" | "files";

/** What can be done with a session: copy, keep, look behind it, delete. */
export function HeadActions({ run, pod, own }: Props) {
  const [open, setOpen] = useState(false);
  const [panel, setPanel] = useState<Panel>("");
  const [said, setSaid] = useState("");
  const group = useId();
  const [first, ...others] = commandsFor({ id: run.id, pod, own });

  const toggle = (to: Panel) => setPanel((was) => (was === to ? "" : to));
  const remove = async () => {
    setSaid("");
    try {
      // The token first: nobody wants to be asked when the ten seconds are over.
      await authorised(() => Promise.resolve());
      deletions.start(run.id, run.name);
    } catch (e) {
      setSaid(e instanceof Error ? e.message : String(e));
    }
  };
  return (
    <>
      <div className="facts keep">
        <code className="id">{run.id}</code>
        <CopyButton text={run.id} what="id" />
        {first === undefined ? null : <CopyButton text={first.text} what={first.what} title={first.text} />}
        <button type="button" className="quiet" aria-expanded={open} aria-controls={group} onClick={() => setOpen(!open)}>
          Actions
        </button>
      </div>
      <div className="facts keep" id={group} hidden={!open} role="group" aria-label="Actions">
        {others.map((c) => (
          <CopyButton key={c.what} text={c.text} what={c.what} title={c.text} />
        ))}
        <Export id={run.id} format="md" what="Markdown" />
        <Export id={run.id} format="jsonl" what="JSON Lines" />
        <button type="button" className="quiet" aria-expanded={panel === "files"} onClick={() => toggle("files")}>
          Files
        </button>
        <button type="button" className="quiet" aria-expanded={panel === "raw"} onClick={() => toggle("raw")}>
          Raw JSON
        </button>
        <button type="button" className="quiet danger" onClick={() => void remove()}>
          Delete
        </button>
        <span role="status" className="said-of">
          {said}
        </span>
      </div>
      {!open || panel === "" ? null : panel === "files" ? (
        <Suspense fallback={<span className="bone" />}>
          <FilesPanel run={run} />
        </Suspense>
      ) : (
        <RawRow run={run} />
      )}
    </>
  );
}

/** The session's row as Studio sent it, without its conversation. */
function RawRow({ run }: { run: RunDetail }) {
  const [all, setAll] = useState(false);
  const text = JSON.stringify({ ...run, branches: run.branches.map(({ messages: _, ...b }) => b), steps: undefined }, null, 2);
  return (
    <div className="panel">
      <LongText text={text} label="Raw JSON of the session" all={all} onAll={() => setAll(true)} />
    </div>
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
