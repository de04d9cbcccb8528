import { useId, useRef, useState } from "react";
import type { RunFilter } from "../state/filter";
import { useTyped } from "../state/useTyped";

interface Props {
  filter: RunFilter;
  onChange: (filter: RunFilter, how: "push" | "replace") => void;
}

/** The filters that are words of one's own: playbook and tags. */
export function MoreFilters({ filter, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const set = (filter.playbook ? 1 : 0) + (filter.tag?.length ?? 0);
  return (
    <div
      className="more"
      onBlur={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget)) setOpen(false);
      }}
      onKeyDown={(e) => {
        if (e.key !== "Escape" || !open) return;
        e.preventDefault();
        e.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button ref={button} type="button" aria-expanded={open} aria-controls={id} data-set={set > 0} onClick={() => setOpen(!open)}>
        more filters{set > 0 ? ` (${set})` : ""}
      </button>
      {open ? (
        // A click between the fields is no reason to close.
        <div id={id} className="more-panel" role="group" aria-label="More filters" tabIndex={-1}>
          <Playbook filter={filter} onChange={onChange} />
          <Tag filter={filter} onChange={onChange} />
        </div>
      ) : null}
    </div>
  );
}

function Playbook({ filter, onChange }: Props) {
  const { playbook = "", ...rest } = filter;
  const { text, type, now } = useTyped(playbook, (t) => onChange(t === "" ? rest : { ...rest, playbook: t }, "replace"));
  return (
    <label>
      <span>playbook contains</span>
      <input value={text} onChange={(e) => type(e.target.value)} onBlur={now} onKeyDown={(e) => e.key === "Enter" && now()} autoComplete="off" spellCheck={false} maxLength={1000} />
    </label>
  );
}

function Tag({ filter, onChange }: Props) {
  const [text, setText] = useState("");
  const tags = filter.tag ?? [];
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        const tag = text.trim();
        setText("");
        if (tag !== "" && !tags.includes(tag)) onChange({ ...filter, tag: [...tags, tag] }, "push");
      }}
    >
      <label>
        <span>has the tag</span>
        <input value={text} onChange={(e) => setText(e.target.value)} autoComplete="off" spellCheck={false} maxLength={1000} />
      </label>
      <button type="submit" aria-disabled={text.trim() === ""}>
        Add
      </button>
    </form>
  );
}
