import type { Piece } from "../state/pieces";
import type { Folds } from "../state/useFolds";
import { EntryMenu } from "./EntryMenu";
import { PieceView } from "./PieceView";

interface Props {
  piece: Piece;
  working: boolean;
  folds: Folds;
  linkTo: ((entry: string) => string) | null;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/** A piece with what can be done with it. */
export function Row({ linkTo, ...props }: Props) {
  return (
    <>
      <PieceView {...props} />
      <EntryMenu piece={props.piece} folds={props.folds} linkTo={linkTo} />
    </>
  );
}
