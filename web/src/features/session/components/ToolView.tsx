import { took } from "../../../lib/format/format";
import { diff } from "../state/diff";
import { outcome, type ToolPiece } from "../state/pieces";
import { asText } from "../state/values";

/** A tool call: one line until it is opened, then what went in and came out. */
export function ToolView({ piece, running }: { piece: ToolPiece; running: boolean }) {
  const { result } = piece;
  const state = result === null ? (running ? "running" : "cancelled") : result.failed ? "failed" : "";
  return (
    <details className="piece fold tool">
      <summary>
        <span className="tool-call">
          <span className="tool-name">{piece.name}</span> <bdi className="tool-about">{piece.about}</bdi>
        </span>
        <span className="tool-took number">{piece.took === null ? "" : took(piece.took)}</span>
        <span className={`tool-outcome ${state === "" ? "" : `state-${state}`}`}>{result === null && running ? "running" : outcome(result)}</span>
      </summary>
      <div className="fold-body">
        {piece.args === null ? (
          <p className="note">{piece.withheld ? "The call is too large to show here. The export has it whole." : "The call itself is further up, among older entries."}</p>
        ) : (
          <Arguments args={piece.args} />
        )}
        {result === null ? null : <Result result={result} />}
      </div>
    </details>
  );
}

/** What went in: an edit as a change, everything else name by name. */
function Arguments({ args }: { args: Record<string, unknown> }) {
  const { old_string: before, new_string: after, ...rest } = args;
  const change = typeof before === "string" && typeof after === "string";
  const named = Object.entries(change ? rest : args);
  return (
    <>
      {named.length > 0 ? (
        <dl className="arguments">
          {named.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <pre tabIndex={0}>{asText(value) || "(empty)"}</pre>
              </dd>
            </div>
          ))}
        </dl>
      ) : change ? null : (
        <p className="note">No arguments.</p>
      )}
      {change ? (
        <pre className="diff" tabIndex={0} aria-label="Change">
          {diff(before, after).map((line, i) => (
            <span key={i} data-sign={line.sign}>
              {line.sign} {line.text}
              {"\n"}
            </span>
          ))}
        </pre>
      ) : null}
    </>
  );
}

function Result({ result }: { result: NonNullable<ToolPiece["result"]> }) {
  if (result.withheld) return <p className="note">The result is too large to show here. The export has it whole.</p>;
  return (
    <>
      {result.content === "" ? null : <p className="tool-summary">{result.summary}</p>}
      <pre tabIndex={0} aria-label="Output">
        {(result.content === "" ? result.summary : result.content) || "(no output)"}
      </pre>
    </>
  );
}
