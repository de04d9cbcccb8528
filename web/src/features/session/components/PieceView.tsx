import { memo } from "react";
import { grouped, moment, shrinking } from "../../../lib/format/format";
import { shortId } from "../../../lib/format/names";
import type { Piece } from "../state/pieces";
import { speaker } from "../state/speaker";
import { summaryCost } from "../state/spend";
import type { Folds } from "../state/useFolds";
import { Fold } from "./Fold";
import { head, LongText, ShowAll, shownAtOnce } from "./LongText";
import { ToolView } from "./ToolView";
import { Words } from "./Words";

interface Props {
  piece: Piece;
  /** A call without a result may still be at work. */
  working: boolean;
  folds: Folds;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/** Characters beyond which a text may have to scroll, and be reached to do so. */
const longText = 1_000;

/** One piece of a conversation. */
export const PieceView = memo(function PieceView({ piece, working, folds, hrefOf, onOpen }: Props) {
  const all = { all: folds.has(`${piece.id}/all`), onAll: () => folds.set(`${piece.id}/all`, true) };
  switch (piece.kind) {
    case "person":
      return (
        <Speech {...speaker(piece.who)} time={piece.time}>
          <div className="said" dir="auto" tabIndex={piece.text.length > longText ? 0 : undefined} data-withdrawn={piece.withdrawn}>
            {all.all ? piece.text : head(piece.text)}
          </div>
          {all.all || piece.text.length <= shownAtOnce ? null : <ShowAll length={piece.text.length} onAll={all.onAll} />}
          {piece.withdrawn ? <p className="note">Taken back: the model does not see it.</p> : null}
        </Speech>
      );
    case "notice":
      return (
        <Speech who="notice" time={piece.time}>
          <div className="noticed" dir="auto" data-withdrawn={piece.withdrawn}>
            {all.all ? piece.text : head(piece.text)}
          </div>
          {all.all || piece.text.length <= shownAtOnce ? null : <ShowAll length={piece.text.length} onAll={all.onAll} />}
        </Speech>
      );
    case "agent":
      return (
        <Speech who="agent" time={piece.time}>
          {piece.text.length > shownAtOnce ? <LongText text={piece.text} {...all} /> : <Words text={piece.text} />}
        </Speech>
      );
    case "reasoning":
      return (
        <Fold id={piece.id} folds={folds} name="reasoning" about={<bdi>{firstLine(piece.text)}</bdi>}>
          {piece.text.length > shownAtOnce ? <LongText text={piece.text} {...all} /> : <Words text={piece.text} />}
        </Fold>
      );
    case "system":
      return (
        <Fold id={piece.id} folds={folds} name="system" about={<bdi>{firstLine(piece.text)}</bdi>}>
          <LongText text={piece.text} {...all} />
        </Fold>
      );
    case "raw":
      return (
        <Fold id={piece.id} folds={folds} name={piece.name} about="not known to this page">
          <LongText text={piece.text} {...all} />
        </Fold>
      );
    case "tool":
      return <ToolView piece={piece} working={working} folds={folds} />;
    case "cut":
      return <p className="piece mark">{piece.why}</p>;
    case "end":
      return <RunEnd result={piece.result} problem={piece.problem} />;
    case "compaction":
      return (
        <p className="piece mark mark-compaction">
          <span>
            compacted: {shrinking(piece.before, piece.after)}, {summaryCost(piece.cost)}
            {piece.from === "" ? null : (
              <>
                , continues <SessionLink id={piece.from} hrefOf={hrefOf} onOpen={onOpen} />
              </>
            )}
          </span>
        </p>
      );
    case "withheld":
      return (
        <p className="piece note">
          {piece.what}: too large to show here{piece.size === null ? "" : ` (${grouped(String(piece.size))} characters)`}. The export has it whole.
        </p>
      );
  }
});

function Speech({ who, by, time, children }: { who: string; by?: string; time: number; children: React.ReactNode }) {
  return (
    <div className="piece speech">
      <div className="who" title={by === undefined ? moment(time) : `${moment(time)}, ${by}`}>
        <bdi>{who}</bdi>
      </div>
      <div className="speech-body">{children}</div>
    </div>
  );
}

const ends: Record<string, string> = {
  failed: "the run failed",
  cancelled: "the run was cancelled",
  limit_reached: "the run stopped at its limit of turns",
  paused: "the run was paused",
  rolled_back: "the run was taken back",
};

/** A rule between runs; one that did not go well says so. */
function RunEnd({ result, problem }: { result: string; problem: string }) {
  if (result === "finished" && problem === "") return <hr className="piece" />;
  const state = result === "failed" ? "failed" : "cancelled";
  return (
    <p className={`piece mark state-${state}`}>
      <span>
        {ends[result] ?? (result === "finished" ? "the run finished" : `the run ended: ${result}`)}
        {problem === "" ? "" : `: ${problem}`}
      </span>
    </p>
  );
}

/** A session by its short id. */
export function SessionLink({ id, hrefOf, onOpen }: { id: string } & Pick<Props, "hrefOf" | "onOpen">) {
  return (
    <a
      className="number"
      href={hrefOf(id)}
      title={id}
      onClick={(e) => {
        if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
        e.preventDefault();
        onOpen(id);
      }}
    >
      {shortId(id)}
    </a>
  );
}

function firstLine(text: string): string {
  return text.slice(0, 2_000).trimStart().split("\n", 1)[0] ?? "";
}
