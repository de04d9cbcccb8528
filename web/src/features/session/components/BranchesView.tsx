import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { count } from "../../../lib/format/format";
import { estimate } from "../state/estimate";
import { pieces, type Piece } from "../state/pieces";
import type { Branches } from "../state/useBranches";
import type { ColumnHandle, Stand } from "../state/useColumn";
import { useFolds } from "../state/useFolds";
import { Column } from "./Column";
import { Row } from "./Row";

interface Props {
  branches: Branches;
  running: boolean;
  working: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
  after: ReactNode;
  foot: ReactNode;
  choice: ReactNode;
}

type Line = { key: string; estimate: number } & ({ heading: string } | { piece: Piece });

/** The branches of a session one below the other. */
export function BranchesView({ branches, running, working, hrefOf, onOpen, after, foot, choice }: Props) {
  const { strands, hasOlder } = branches;
  const lines = useMemo<Line[]>(
    () =>
      strands.flatMap((s) => [
        { key: `branch ${s.id}`, estimate: 44, heading: s.name },
        // A message may stand in several branches.
        ...pieces(s.entries).map((piece) => ({ key: `${s.id} ${piece.id}`, estimate: estimate(piece), piece: { ...piece, id: `${s.id} ${piece.id}` } })),
      ]),
    [strands],
  );
  const index = useMemo(() => new Map(lines.map((l, i) => [l.key, i])), [lines]);
  const indexOf = useCallback((key: string) => index.get(key), [index]);
  const column = useRef<ColumnHandle>(null);
  const folds = useFolds();

  const length = strands.reduce((n, s) => n + s.entries.length, 0);
  const first = strands.map((s) => s.entries[0]?.id ?? "").join();
  const last = strands.map((s) => s.entries.at(-1)?.id ?? "").join();
  const seen = useRef({ first, last, length });
  const atEnd = useRef(true);
  const [newer, setNewer] = useState(false);
  const [told, setTold] = useState("");
  useEffect(() => {
    const was = seen.current;
    seen.current = { first, last, length };
    if (first !== was.first) setTold(count(length - was.length, "older entry", "older entries"));
    else if (last !== was.last && !atEnd.current) setNewer(true);
  }, [first, last, length]);

  const stand: Stand = { at: running || hasOlder ? "end" : "start" };
  return (
    <>
      <div className="conversation-bar">
        <div className="ends">{choice}</div>
      </div>
      <Column
        slots={lines}
        indexOf={indexOf}
        above={0}
        below={0}
        opening={0}
        stand={stand}
        handle={column}
        onStart={() => column.current?.toStart()}
        onEnd={() => column.current?.toEnd()}
        marked={null}
        onSight={(s) => {
          atEnd.current = s.atEnd;
          if (s.atEnd) setNewer(false);
        }}
        render={(i) => {
          const line = lines[i];
          if (line === undefined) return null;
          if ("piece" in line) return <Row piece={line.piece} working={working} folds={folds} linkTo={null} hrefOf={hrefOf} onOpen={onOpen} />;
          return (
            <h3 className="strand-name">
              Branch <bdi>{line.heading}</bdi>
            </h3>
          );
        }}
        before={
          <>
            <Older branches={branches} />
            <span role="status" className="unseen">
              {told}
            </span>
          </>
        }
        after={
          <>
            {length === 0 ? <p className="note">{running ? "Nothing has been said yet." : "This session has a row in the list and no conversation."}</p> : null}
            {after}
          </>
        }
        over={
          <>
            {branches.newerFailed ? (
              <p className="strip strip-problem over" role="alert">
                <span>The newest entries did not come.</span>
                <button type="button" onClick={branches.retry}>
                  Try again
                </button>
              </p>
            ) : null}
            {newer ? (
              <button type="button" className="newer" onClick={() => column.current?.toEnd()}>
                New entries below
              </button>
            ) : null}
          </>
        }
        foot={foot}
      />
    </>
  );
}

function Older({ branches }: { branches: Branches }) {
  const { hasOlder, loadingOlder, olderFailed, loadOlder } = branches;
  if (!hasOlder) return null;
  return (
    <div className="older">
      <button type="button" aria-disabled={loadingOlder} onClick={loadOlder}>
        {loadingOlder ? "Loading" : olderFailed ? "Try again" : "Older entries"}
      </button>
      {olderFailed ? (
        <span role="alert" className="problem">
          The older entries did not come.
        </span>
      ) : null}
    </div>
  );
}
