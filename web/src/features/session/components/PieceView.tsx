import type { Piece } from "../state";
import { Words } from "./Words";

/** One piece of a conversation. */
export function PieceView({ piece }: { piece: Piece }) {
  switch (piece.kind) {
    case "person":
      return (
        <article className="piece piece-person" aria-label="you">
          <div className="who">you</div>
          <div className="said">{piece.text}</div>
        </article>
      );
    case "agent":
      return (
        <article className="piece piece-agent" aria-label="agent">
          <div className="who">agent</div>
          <Words text={piece.text} />
        </article>
      );
    case "reasoning":
      return (
        <details className="piece fold">
          <summary>reasoning</summary>
          <Words text={piece.text} />
        </details>
      );
    case "system":
      return (
        <details className="piece fold">
          <summary>system · {piece.text.split("\n", 1)[0]}</summary>
          <pre>{piece.text}</pre>
        </details>
      );
    case "tool":
      return (
        <details className="piece fold fold-tool" data-failed={piece.failed}>
          <summary>
            <span className="tool-name">{piece.name}</span> <span className="tool-about">{piece.about}</span>
            <span className="tool-outcome">{outcome(piece)}</span>
          </summary>
          <h4>input</h4>
          <pre>{piece.input}</pre>
          {piece.output === null ? null : (
            <>
              <h4>output</h4>
              <pre>{piece.output}</pre>
            </>
          )}
        </details>
      );
    case "withheld":
      return <p className="piece note">A message too large to show here. The export has it whole.</p>;
  }
}

function outcome(piece: Extract<Piece, { kind: "tool" }>): string {
  if (piece.output === null) return "no result";
  if (piece.failed) return "failed";
  const lines = piece.output.split("\n").length;
  return lines === 1 ? "1 line" : `${lines} lines`;
}
