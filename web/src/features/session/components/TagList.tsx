import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { addTag, removeTag } from "../api/session";
import type { RunDetail } from "../api/types";
import { authorised } from "../state/authorised";
import { useFocusHandover } from "../state/useFocusHandover";

interface Props {
  run: RunDetail;
  onTag: (tag: string) => void;
}

/** A session's tags: each leads to the sessions that have it, and can be taken away. */
export function TagList({ run, onTag }: Props) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<string | null>(null);
  const [state, setState] = useState<{ busy: boolean; said: string }>({ busy: false, said: "" });
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const adding = draft !== null;
  useFocusHandover(adding, field, button);

  const change = async (send: () => Promise<string[]>, said: string): Promise<boolean> => {
    if (state.busy) return false;
    setState({ busy: true, said: "" });
    try {
      const tags = await authorised(send);
      queries.setQueryData<RunDetail>(["session", run.id, "head"], (old) => (old === undefined ? old : { ...old, tags }));
      void queries.invalidateQueries({ queryKey: ["runs"] });
      setState({ busy: false, said });
      return true;
    } catch (e) {
      setState({ busy: false, said: e instanceof Error ? e.message : String(e) });
      return false;
    }
  };
  const leave = () => setDraft(null);

  return (
    <span className="tags">
      {run.tags.map((tag) => (
        <span key={tag} className="tag">
          <button type="button" className="chip" title={tag} onClick={() => onTag(tag)} aria-label={`Show sessions tagged ${tag}`}>
            <bdi>{tag}</bdi>
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={`Remove the tag ${tag}`}
            onClick={() => {
              void change(() => removeTag(run.id, tag), `${tag} removed`).then((done) => {
                if (done) button.current?.focus({ preventScroll: true });
              });
            }}
          >
            ×
          </button>
        </span>
      ))}
      {draft === null ? (
        <button ref={button} type="button" className="quiet" onClick={() => setDraft("")}>
          Add tag
        </button>
      ) : (
        <form
          aria-label="Add a tag"
          onSubmit={(e) => {
            e.preventDefault();
            const tag = draft.trim();
            if (tag === "") return;
            void change(() => addTag(run.id, tag), `${tag} added`).then((done) => {
              if (done) leave();
            });
          }}
          onKeyDown={(e) => {
            if (e.key !== "Escape") return;
            e.stopPropagation();
            leave();
          }}
        >
          <input ref={field} value={draft} aria-label="Tag" dir="auto" spellCheck={false} autoComplete="off" onChange={(e) => setDraft(e.target.value)} />
          <button type="submit" aria-disabled={state.busy || draft.trim() === ""}>
            Add
          </button>
          <button type="button" className="quiet" onClick={leave}>
            Cancel
          </button>
        </form>
      )}
      <span role="status" className="said-of">
        {state.said}
      </span>
    </span>
  );
}
