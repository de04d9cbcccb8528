import type { ReactNode } from "react";
import type { Folds } from "../state/useFolds";

interface Props {
  id: string;
  folds: Folds;
  name: string;
  /** What the closed fold tells. */
  about: ReactNode;
  children: ReactNode;
}

/** One line that opens; what is in it is made when it does. */
export function Fold({ id, folds, name, about, children }: Props) {
  const open = folds.has(id);
  return (
    <details className="piece fold" open={open} onToggle={(e) => folds.set(id, e.currentTarget.open)}>
      <summary>
        <span className="fold-name">{name}</span> <span className="fold-first">{about}</span>
      </summary>
      {open ? <div className="fold-body">{children}</div> : null}
    </details>
  );
}
