import { useEffect, useRef } from "react";

const keys: { keys: string[]; what: string }[] = [
  { keys: ["j", "k"], what: "next and previous row, through fleet and history" },
  { keys: ["Enter"], what: "open the row; in a message, send it" },
  { keys: ["Escape"], what: "back to the rows; leave the search or the message" },
  { keys: ["/"], what: "search the history" },
  { keys: ["g f", "g h"], what: "fleet; history alone" },
  { keys: ["."], what: "actions for the row that has the focus, or for what is open" },
  { keys: ["m"], what: "write to the pod of the open session" },
  { keys: ["Shift Enter"], what: "a new line in a message" },
  { keys: ["Home", "End", "Page Up", "Page Down"], what: "through the rows, while one has the focus" },
  { keys: ["Arrows"], what: "move a line between two parts of the page, while it has the focus" },
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
