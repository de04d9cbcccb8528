import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { useNow } from "../../../lib/clock/useNow";
import { deletions, grace, type Deletion } from "../state/deletions";

/** Deletions that wait, fail or are done: each can be undone while it waits. */
export function DeletionStrips() {
  const list = useSyncExternalStore(deletions.subscribe, deletions.snapshot);
  const queries = useQueryClient();
  const done = list.filter((d) => d.state === "deleted").length;
  useEffect(() => {
    if (done > 0) void queries.invalidateQueries({ queryKey: ["runs"] });
  }, [done, queries]);
  return list.map((d) => <Strip key={d.id} deletion={d} />);
}

function Strip({ deletion: d }: { deletion: Deletion }) {
  return (
    <div className={`strip ${d.state === "failed" ? "strip-problem" : ""} deletion`}>
      <span role="status">
        <bdi className="deletion-name">{d.name}</bdi> <Words of={d} />
      </span>
      {d.state === "waiting" ? <Left due={d.due} /> : null}
      {d.state === "waiting" ? (
        <button type="button" onClick={() => deletions.drop(d.id)}>
          Undo
        </button>
      ) : null}
      {d.state === "deleted" || d.state === "failed" ? (
        <button type="button" className="quiet" onClick={() => deletions.drop(d.id)}>
          Dismiss
        </button>
      ) : null}
    </div>
  );
}

function Words({ of: d }: { of: Deletion }) {
  switch (d.state) {
    case "waiting":
      // The seconds that are left are seen beside it.
      return (
        <>
          will be deleted<span className="unseen"> in {grace / 1000} seconds</span>. Closing the page keeps it.
        </>
      );
    case "deleting":
      return "is being deleted.";
    case "deleted":
      return "is deleted.";
    case "failed":
      return `was not deleted: ${d.problem}`;
  }
}

/** The seconds that are left; readers are told once, not every second. */
function Left({ due }: { due: number }) {
  const now = useNow(250);
  return (
    <span className="number" aria-hidden="true">
      {Math.max(0, Math.ceil(due / 1000 - now))} s
    </span>
  );
}
