import { useEffect, useRef } from "react";

const keys: [string, string][] = [
  ["j / k", "next, previous session"],
  ["Enter", "open the focused session"],
  ["/", "search"],
  ["Escape", "leave the search; back to the list"],
  ["Left / Right on the separator", "move it"],
  ["?", "this list"],
];

/** All keys of the page. */
export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keyboard shortcuts">
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
