import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { count } from "../../../lib/format/format";
import { pieces, type Piece } from "../state/pieces";
import type { Conversation, Strand } from "../state/useSession";
import { PieceView } from "./PieceView";

interface Props {
  conversation: Conversation;
  running: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
  /** What stands after the last piece. */
  children?: React.ReactNode;
}

/** How near the end, in pixels, still counts as being there. */
const nearEnd = 48;

/**
 * A conversation in a pane that scrolls. One that goes on, or whose beginning
 * is not loaded, opens at its end; a finished one at its beginning. Older parts
 * come in above without moving what is read; newer ones move it only for a
 * reader who is at the end.
 */
export function ConversationView({ conversation, running, hrefOf, onOpen, children }: Props) {
  const { strands, hasOlder } = conversation;
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => strands.map((s) => ({ ...s, pieces: pieces(s.entries) })), [strands]);
  const length = strands.reduce((n, s) => n + s.entries.length, 0);
  const first = strands[0]?.entries[0]?.id;
  const last = strands.at(-1)?.entries.at(-1)?.id;

  const seen = useRef<{ first: string | undefined; last: string | undefined; height: number; length: number } | null>(null);
  const atEnd = useRef(false);
  // Somebody who opens a fold wants to see its beginning.
  const folding = useRef(false);
  const [newer, setNewer] = useState(false);
  const [told, setTold] = useState("");
  useLayoutEffect(() => {
    const pane = scroller.current;
    if (pane === null || first === undefined) return;
    const was = seen.current;
    if (was === null) {
      if (running || hasOlder) pane.scrollTop = pane.scrollHeight;
      atEnd.current = isAtEnd(pane);
    } else if (first !== was.first) {
      pane.scrollTop += pane.scrollHeight - was.height;
      setTold(count(length - was.length, "older entry", "older entries"));
    } else if (last !== was.last) {
      if (atEnd.current) pane.scrollTop = pane.scrollHeight;
      else setNewer(true);
    }
    seen.current = { first, last, height: pane.scrollHeight, length };
  }, [first, last, length, running, hasOlder]);
  // What is shown may grow without a new piece: a fold that opens, words that
  // become Markdown. A reader at the end stays there.
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const pane = scroller.current;
    if (pane === null || content.current === null) return;
    const observer = new ResizeObserver(() => {
      if (atEnd.current && !folding.current) pane.scrollTop = pane.scrollHeight;
      folding.current = false;
      if (seen.current !== null) seen.current.height = pane.scrollHeight;
    });
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div
      className="conversation-pane"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      onScroll={(e) => {
        atEnd.current = isAtEnd(e.currentTarget);
        if (atEnd.current) setNewer(false);
      }}
      onClickCapture={(e) => {
        folding.current = e.target instanceof Element && e.target.closest("summary") !== null;
      }}
    >
      <div ref={content}>
        <Older conversation={conversation} />
        <span role="status" className="unseen">
          {told}
        </span>
        {length === 0 ? (
          <p className="note">{running ? "Nothing has been said yet." : "This session has a row in the list and no conversation."}</p>
        ) : (
          shown.map((s) => <StrandView key={s.id} strand={s} running={running} hrefOf={hrefOf} onOpen={onOpen} />)
        )}
        {children}
        {conversation.newerFailed ? (
          <p className="strip strip-problem" role="alert">
            <span>The newest entries did not come.</span>
            <button type="button" onClick={conversation.loadNewer}>
              Try again
            </button>
          </p>
        ) : null}
      </div>
      {newer ? (
        <button
          type="button"
          className="newer"
          onClick={() => {
            const pane = scroller.current;
            if (pane !== null) pane.scrollTop = pane.scrollHeight;
          }}
        >
          New entries below
        </button>
      ) : null}
    </div>
  );
}

function isAtEnd(pane: HTMLElement): boolean {
  return pane.scrollHeight - pane.scrollTop - pane.clientHeight < nearEnd;
}

function Older({ conversation }: { conversation: Conversation }) {
  const { hasOlder, loadingOlder, olderFailed, loadOlder } = conversation;
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

interface StrandProps extends Pick<Props, "running" | "hrefOf" | "onOpen"> {
  strand: Strand & { pieces: Piece[] };
}

function StrandView({ strand, running, hrefOf, onOpen }: StrandProps) {
  const list = strand.pieces;
  // The rule after a run stands between runs only.
  const upTo = !running && list.at(-1)?.kind === "end" && isPlain(list.at(-1)) ? list.length - 1 : list.length;
  const body = list.slice(0, upTo).map((p) => <PieceView key={p.id} piece={p} running={running} hrefOf={hrefOf} onOpen={onOpen} />);
  if (strand.name === null) return <div className="conversation">{body}</div>;
  return (
    <section className="conversation" aria-label={`Branch ${strand.name}`}>
      <h3 className="strand-name">
        <bdi>{strand.name}</bdi>
      </h3>
      {body}
    </section>
  );
}

function isPlain(p: Piece | undefined): boolean {
  return p?.kind === "end" && p.result === "finished" && p.problem === "";
}
