import { useState } from "react";

/** Says that a one-time link opened nothing, and how one gets in. */
export function LinkNotice({ spent }: { spent: boolean }) {
  const [dismissed, setDismissed] = useState(false);
  if (!spent || dismissed) return null;
  return (
    <div className="strip">
      <span role="status">
        This link was used before, or it is older than a minute. <code>podium studio token</code> prints the token to enter instead.
      </span>
      <button type="button" className="quiet" onClick={() => setDismissed(true)}>
        Dismiss
      </button>
    </div>
  );
}
