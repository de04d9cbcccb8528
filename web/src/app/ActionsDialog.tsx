import { useEffect, useRef, useState } from "react";

/** One thing that may be done. */
export interface Action {
  label: string;
  keys?: string;
  /** Why it has no use now. */
  refused?: string | null;
  /** Does it. A failure is said, and the menu stays. */
  act: () => void | Promise<unknown>;
}

/** What the menu is about. */
export interface Actions {
  name: string;
  actions: Action[];
}

/** What may be done with a row or with what is open. */
export function ActionsDialog({ of, onClose }: { of: Actions | null; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState("");
  const open = of !== null;
  useEffect(() => {
    setProblem("");
    if (!open) {
      dialog.current?.close();
      return;
    }
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, [open]);

  const move = (by: number) => {
    const items = [...(dialog.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + by + items.length) % items.length]?.focus();
  };
  const act = async (action: Action) => {
    if (action.refused) return;
    setProblem("");
    try {
      await action.act();
      onClose();
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    }
  };
  return (
    <dialog
      ref={dialog}
      className="actions"
      onClose={onClose}
      aria-labelledby="actions-title"
      onKeyDown={(e) => {
        if (e.ctrlKey || e.metaKey || e.altKey) return;
        if (e.key === "ArrowDown" || e.key === "j") move(1);
        else if (e.key === "ArrowUp" || e.key === "k") move(-1);
        else if (e.key === ".") onClose();
        else return;
        e.preventDefault();
      }}
    >
      <h2 id="actions-title">
        <bdi>{of?.name}</bdi>
      </h2>
      <div role="menu" aria-labelledby="actions-title">
        {of?.actions.map((action) => (
          <button
            key={action.label}
            type="button"
            role="menuitem"
            className="quiet"
            aria-disabled={Boolean(action.refused)}
            title={action.refused ?? undefined}
            onClick={() => void act(action)}
          >
            <span>{action.label}</span>
            {action.keys === undefined ? null : <kbd>{action.keys}</kbd>}
          </button>
        ))}
      </div>
      <p role="status" className="problem">
        {problem}
      </p>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
