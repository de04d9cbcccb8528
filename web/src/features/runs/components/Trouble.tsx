import { ProblemText } from "../../../lib/problem/ProblemText";
import { unfiltered, type RunFilter } from "../state/filter";
import type { Explained } from "../state/explain";

interface Props {
  of: Explained;
  filter: RunFilter;
  onFilter: (filter: RunFilter) => void;
}

/** A failure with what mends it. Trying again is what the list's button does. */
export function Trouble({ of: { what, why, commands = [], action }, filter, onFilter }: Props) {
  const { list: _, ...pages } = filter;
  return (
    <div className="empty" role="alert">
      <p className="problem">
        <ProblemText text={what} />
      </p>
      {why === undefined ? null : <p>{why}</p>}
      {commands.length === 0 ? null : <pre>{commands.join("\n")}</pre>}
      {action === "clear" ? (
        <button type="button" onClick={() => onFilter(unfiltered(filter))}>
          Clear the filters
        </button>
      ) : action === "pages" ? (
        <button type="button" onClick={() => onFilter(pages)}>
          Show numbered pages
        </button>
      ) : null}
    </div>
  );
}
