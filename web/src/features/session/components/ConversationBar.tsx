import { useState, type ReactNode } from "react";
import { count, grouped } from "../../../lib/format/format";
import { goesOn } from "../state/search";
import type { SearchControl } from "../state/useSearch";

interface Props {
  search: SearchControl;
  /** Entries of the whole log. */
  total: number;
  /** What is in sight. */
  position: string;
  onStart: () => void;
  onEnd: () => void;
  children?: ReactNode;
}

/** The longest text that Studio looks for, in bytes. */
const longest = 1_024;

/** Above a conversation: a search inside it, where the reader is, and the way to both ends. */
export function ConversationBar({ search, total, position, onStart, onEnd, children }: Props) {
  const [text, setText] = useState("");
  const tooLong = new TextEncoder().encode(text).length > longest;
  return (
    <div className="conversation-bar">
      <form
        role="search"
        aria-label="Search inside the session"
        onSubmit={(e) => {
          e.preventDefault();
          if (text.trim() === "") search.end();
          else if (!tooLong) search.find(text);
        }}
      >
        <input
          type="search"
          value={text}
          placeholder="search inside"
          aria-label="Search inside"
          aria-invalid={tooLong}
          spellCheck={false}
          autoComplete="off"
          onChange={(e) => {
            setText(e.target.value);
            if (e.target.value === "") search.end();
          }}
          onKeyDown={(e) => {
            if (e.key === "Enter" && e.shiftKey) {
              e.preventDefault();
              search.back();
            } else if (e.key === "Escape") {
              setText("");
              search.end();
              e.currentTarget.closest("article")?.querySelector<HTMLElement>(".conversation-pane")?.focus({ preventScroll: true });
            }
          }}
        />
        {search.text === "" ? null : (
          <>
            <button type="button" className="quiet" aria-disabled={search.at <= 0} onClick={search.back}>
              Previous
            </button>
            <button type="button" className="quiet" aria-disabled={search.at >= search.matches.length - 1 && !goesOn(search)} onClick={search.forward}>
              Next
            </button>
          </>
        )}
        <span role="status" className="found">
          {tooLong ? `Studio looks for at most ${grouped(String(longest))} bytes.` : said(search, total)}
        </span>
        {search.error !== null ? (
          <button type="button" onClick={search.goOn}>
            Try again
          </button>
        ) : search.next !== null ? (
          <button type="button" aria-disabled={search.loading} onClick={search.goOn}>
            Continue search
          </button>
        ) : null}
      </form>
      <div className="ends">
        {children}
        <span className="number position">{position}</span>
        <button type="button" className="quiet" onClick={onStart}>
          Beginning
        </button>
        <button type="button" className="quiet" onClick={onEnd}>
          End
        </button>
      </div>
    </div>
  );
}

/** How far a search came, and never more than that. */
function said(s: SearchControl, total: number): string {
  if (s.text === "") return "";
  if (s.error !== null) return s.error.message;
  const n = (x: number) => grouped(String(x));
  const found = s.matches.length === 0 ? "no match" : `${n(s.at + 1)} of ${n(s.matches.length)}`;
  if (s.loading) return s.examined === 0 ? "Searching" : `${found} so far, searching on`;
  const all = Math.max(total, s.examined);
  if (s.next === null) return s.matches.length === 0 ? `${found} in ${count(s.examined, "entry", "entries")}` : found;
  return `${found} · searched ${n(s.examined)} of ${n(all)}`;
}
