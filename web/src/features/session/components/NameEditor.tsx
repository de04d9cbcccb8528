import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { renameSession } from "../api/session";
import type { RunDetail } from "../api/types";
import { authorised } from "../state/authorised";
import { useFocusHandover } from "../state/useFocusHandover";

/** The longest name that a session can be given, in bytes. */
const longest = 200;

interface Props {
  run: RunDetail;
  heading: React.Ref<HTMLHeadingElement>;
}

/** A session's name, and the way to another one. */
export function NameEditor({ run, heading }: Props) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<string | null>(null);
  const [state, setState] = useState<{ saving: boolean; said: string }>({ saving: false, said: "" });
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const editing = draft !== null;
  useFocusHandover(editing, field, button);

  const leave = (said: string) => {
    setDraft(null);
    setState({ saving: false, said });
  };
  const save = async () => {
    const name = (draft ?? "").trim();
    if (name === "" || tooLong(name) || state.saving) return;
    setState({ saving: true, said: "" });
    try {
      const shown = await authorised(() => renameSession(run.id, name));
      queries.setQueryData<RunDetail>(["session", run.id, "head"], (old) => (old === undefined ? old : { ...old, name: shown }));
      void queries.invalidateQueries({ queryKey: ["runs"] });
      leave(shown === name ? "" : `Renamed. It is shown as ${shown}, which goes before its own name.`);
    } catch (e) {
      setState({ saving: false, said: e instanceof Error ? e.message : String(e) });
    }
  };

  return (
    <div className="name">
      {draft === null ? (
        <>
          <h2 ref={heading} tabIndex={-1} title={run.name}>
            <bdi>{run.name}</bdi>
          </h2>
          <button ref={button} type="button" className="quiet" onClick={() => setDraft(run.name)}>
            Rename
          </button>
        </>
      ) : (
        <form
          aria-label="Rename the session"
          onSubmit={(e) => {
            e.preventDefault();
            void save();
          }}
          onKeyDown={(e) => {
            if (e.key !== "Escape") return;
            e.stopPropagation();
            leave("");
          }}
        >
          <input ref={field} value={draft} aria-label="Name" dir="auto" aria-invalid={tooLong(draft)} spellCheck={false} onChange={(e) => setDraft(e.target.value)} />
          <button type="submit" aria-disabled={state.saving || draft.trim() === "" || tooLong(draft)}>
            {state.saving ? "Saving" : "Save"}
          </button>
          <button type="button" className="quiet" onClick={() => leave("")}>
            Cancel
          </button>
        </form>
      )}
      <span role="status" className="said-of">
        {draft !== null && tooLong(draft) ? `A name has at most ${longest} bytes.` : state.said}
      </span>
    </div>
  );
}

function tooLong(name: string): boolean {
  return new TextEncoder().encode(name.trim()).length > longest;
}
