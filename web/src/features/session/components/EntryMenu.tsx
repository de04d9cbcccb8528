import { moment } from "../../../lib/format/format";
import type { Entry } from "../api/types";
import type { Piece } from "../state/pieces";
import type { Folds } from "../state/useFolds";
import { CopyButton } from "./CopyButton";
import { LongText } from "./LongText";

interface Props {
  piece: Piece;
  folds: Folds;
  /** The address of an entry; null where entries have none. */
  linkTo: ((entry: string) => string) | null;
}

/** What can be done with one piece: its link, and its entries as they are stored. */
export function EntryMenu({ piece, folds, linkTo }: Props) {
  const menu = `${piece.id}/menu`;
  const raw = `${piece.id}/raw`;
  const open = folds.has(menu);
  return (
    <>
      <button
        type="button"
        className="quiet entry-more"
        aria-expanded={open}
        aria-label={`Entry ${piece.ordinal + 1}: link and raw JSON`}
        title={moment(piece.time)}
        onClick={() => folds.set(menu, !open)}
      >
        ···
      </button>
      {open ? (
        <div className="entry-menu">
          <span className="number">
            entry {piece.ordinal + 1} · {moment(piece.time)}
          </span>
          {linkTo === null ? null : <CopyButton text={new URL(linkTo(piece.id), window.location.href).href} what="link" />}
          <button type="button" className="quiet" aria-expanded={folds.has(raw)} onClick={() => folds.set(raw, !folds.has(raw))}>
            Raw JSON
          </button>
          {folds.has(raw) ? (
            <LongText
              text={piece.entries.map((e) => JSON.stringify(rawOf(e), null, 2)).join("\n")}
              label="Raw JSON"
              all={folds.has(`${raw}/all`)}
              onAll={() => folds.set(`${raw}/all`, true)}
            />
          ) : null}
        </div>
      ) : null}
    </>
  );
}

/** An entry as Studio sent it. */
function rawOf(e: Entry): unknown {
  return e.source ?? e;
}
