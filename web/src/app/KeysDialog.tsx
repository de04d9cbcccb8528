import { useEffect, useRef } from "react";

const keys: { keys: string[]; what: string }[] = [
  { keys: ["j", "k"], what: "next and previous session in the list" },
  { keys: ["Enter"], what: "open the session" },
  { keys: ["Escape"], what: "back to the list; leave the search" },
  { keys: ["/"], what: "search" },
  { keys: ["Home", "End", "Page Up", "Page Down"], what: "through the list, while it has the focus" },
  { keys: ["Left", "Right"], what: "move the line between list and session, while it has the focus" },
  { keys: ["?"], what: "this list" },
];

/** All keys of the page. */
export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keys.map((k) => (
          <div key={k.what}>
            <dt>
              {k.keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{k.what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
