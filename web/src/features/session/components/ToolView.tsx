import { took } from "../../../lib/format/format";
import { changesOf, diff } from "../state/diff";
import { outcome, type Piece, type ToolPiece, type ToolResult } from "../state/pieces";
import type { Folds } from "../state/useFolds";
import { asText } from "../state/values";
import { LongText } from "./LongText";

interface Props {
  piece: Piece & ToolPiece;
  working: boolean;
  folds: Folds;
}

/** A tool call: one line until it is opened, then what went in and came out. */
export function ToolView({ piece, working, folds }: Props) {
  const { result } = piece;
  const [state, word] = result !== null ? [ended(result), outcome(result)] : working ? ["running", "running"] : piece.held ? ["paused", "paused"] : ["cancelled", outcome(null)];
  const open = folds.has(piece.id);
  return (
    <details className="piece fold tool" open={open} onToggle={(e) => folds.set(piece.id, e.currentTarget.open)}>
      <summary>
        <span className="tool-call">
          <span className="tool-name">
            <bdi>{piece.name}</bdi>
          </span>{" "}
          <bdi className="tool-about">{piece.about}</bdi>
        </span>
        <span className="tool-took number">{piece.took === null || result?.stopped === "not run" ? "" : took(piece.took)}</span>
        <span className={`tool-outcome ${state === "" ? "" : `state-${state}`}`}>{word}</span>
      </summary>
      {open ? (
        <div className="fold-body">
          {piece.args === null ? (
            <p className="note">{piece.withheld ? "The call is too large to show here. The export has it whole." : "The call itself is further up, among older entries."}</p>
          ) : (
            <Arguments name={piece.name} args={piece.args} id={piece.id} folds={folds} />
          )}
          {result === null ? null : <Result result={result} id={piece.id} folds={folds} />}
        </div>
      ) : null}
    </details>
  );
}

/** The state that a result speaks of; most need no colour. */
function ended(result: ToolResult): string {
  return result.stopped !== null ? "cancelled" : result.failed ? "failed" : "";
}

/** What went in: an edit as a change, everything else name by name. */
function Arguments({ name, args, id, folds }: { name: string; args: Record<string, unknown>; id: string; folds: Folds }) {
  const { changes, rest } = changesOf(name, args);
  const named = Object.entries(rest);
  return (
    <>
      {named.length > 0 ? (
        <dl className="arguments">
          {named.map(([key, value]) => (
            <div key={key}>
              <dt>
                <bdi>{key}</bdi>
              </dt>
              <dd>
                <LongText text={asText(value) || "(empty)"} all={folds.has(`${id}/${key}`)} onAll={() => folds.set(`${id}/${key}`, true)} />
              </dd>
            </div>
          ))}
        </dl>
      ) : changes.length > 0 ? null : (
        <p className="note">No arguments.</p>
      )}
      {changes.map((c, n) => (
        <Change key={n} before={c.before} after={c.after} />
      ))}
    </>
  );
}

/** Lines of a change that are shown. */
const mostLines = 2_000;

function Change({ before, after }: { before: string; after: string }) {
  const lines = diff(before, after);
  return (
    <>
      <pre className="diff" tabIndex={0} aria-label="Change">
        {lines.slice(0, mostLines).map((line, i) => (
          <span key={i} data-sign={line.sign}>
            {line.sign} {line.text}
            {"\n"}
          </span>
        ))}
      </pre>
      {lines.length > mostLines ? (
        <p className="note cut">
          {mostLines} of {lines.length} lines. The raw JSON has them all.
        </p>
      ) : null}
    </>
  );
}

function Result({ result, id, folds }: { result: ToolResult; id: string; folds: Folds }) {
  if (result.withheld) {
    const size = result.size === null ? "" : ` (${result.size.toLocaleString("en-GB")} characters)`;
    return <p className="note">The result is too large to show here{size}. The export has it whole.</p>;
  }
  return (
    <>
      {result.content === "" ? null : <p className="tool-summary">{result.summary}</p>}
      <LongText
        text={(result.content === "" ? result.summary : result.content) || "(no output)"}
        label="Output"
        all={folds.has(`${id}/output`)}
        onAll={() => folds.set(`${id}/output`, true)}
      />
    </>
  );
}
