import { useState } from "react";
import { count, grouped } from "../../../lib/format/format";
import { ApiError } from "../../../lib/problem/problem";
import { getFile } from "../api/session";
import type { FileText, RunDetail } from "../api/types";
import { artifactsOf, type Artifact } from "../state/artifacts";
import { authorised } from "../state/authorised";
import { LongText } from "./LongText";

/** Touched files that are named. */
const mostNamed = 200;

type Shown = { state: "none" } | { state: "loading" | "there" | "failed"; path: string; file?: FileText; problem?: string };

/** The files of a run: what it was to make, what it touched, and the text of one. */
export function FilesPanel({ run }: { run: RunDetail }) {
  const [shown, setShown] = useState<Shown>({ state: "none" });
  const [all, setAll] = useState(false);
  const [path, setPath] = useState("");
  const artifacts = artifactsOf(run);
  const touched = run.message_stats.files;

  const show = async (wanted: string) => {
    setAll(false);
    setShown({ state: "loading", path: wanted });
    try {
      const file = await authorised(() => getFile(run.id, wanted));
      setShown((now) => (now.state !== "none" && now.path === wanted ? { state: "there", path: wanted, file } : now));
    } catch (e) {
      setShown((now) => (now.state !== "none" && now.path === wanted ? { state: "failed", path: wanted, problem: problemOf(e) } : now));
    }
  };
  return (
    <section className="panel" aria-label="Files">
      {artifacts.length === 0 ? <p className="note">{run.artifact_root === null ? "This run has no folder for artifacts." : "No artifact of this run is recorded."}</p> : null}
      {artifacts.length === 0 ? null : (
        <ul className="files">
          {artifacts.map((a) => (
            <li key={a.path}>
              <button type="button" className="quiet" aria-disabled={a.state === "missing"} onClick={() => a.state !== "missing" && void show(a.path)}>
                <bdi>{a.path}</bdi>
              </button>
              <span className="note">{wordOf(a)}</span>
            </li>
          ))}
        </ul>
      )}
      {run.artifact_root === null ? null : (
        <form
          className="file-path"
          onSubmit={(e) => {
            e.preventDefault();
            if (path.trim() !== "") void show(path.trim());
          }}
        >
          <input value={path} aria-label="Path of an artifact" placeholder="path of an artifact" dir="ltr" spellCheck={false} autoComplete="off" onChange={(e) => setPath(e.target.value)} />
          <button type="submit">Show</button>
        </form>
      )}
      <div role="status">
        {shown.state === "loading" ? <p className="note">Reading it.</p> : null}
        {shown.state === "failed" ? (
          <p className="problem">
            <bdi>{shown.path}</bdi>: {shown.problem}
          </p>
        ) : null}
        {shown.state === "there" && shown.file !== undefined ? (
          <p className="note">
            <bdi>{shown.file.path}</bdi>, {count(shown.file.size, "byte")}
            {shown.file.truncated ? "; only the first 2,000,000 are shown" : ""}
          </p>
        ) : null}
      </div>
      {shown.state === "there" && shown.file !== undefined ? (
        <LongText text={shown.file.content || "(an empty file)"} label="File" all={all} onAll={() => setAll(true)} />
      ) : null}
      {touched.length === 0 ? null : (
        <details className="fold">
          <summary>
            <span className="fold-name">touched</span> <span className="fold-first">{count(touched.length, "file")}</span>
          </summary>
          <ul className="files fold-body">
            {touched.slice(0, mostNamed).map((f) => (
              <li key={f}>
                <bdi className="tool-about">{f}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function wordOf(a: Artifact): string {
  if (a.state === "missing") return "was to be made and is not there";
  return a.size === null ? "" : `${grouped(String(a.size))} bytes`;
}

/** Why a file is not shown, and what to do about it. */
function problemOf(e: unknown): string {
  if (!(e instanceof ApiError)) return String(e);
  switch (e.status) {
    case 403:
      return `Studio shows no file from there: it is outside the run's artifacts, or their folder is not among studio.artifact_roots. (${e.message})`;
    case 404:
      return `There is no such file. (${e.message})`;
    case 415:
      return `It is no text. (${e.message})`;
    default:
      return e.message;
  }
}
