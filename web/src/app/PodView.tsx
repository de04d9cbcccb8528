import { useEffect } from "react";
import { usePodNamed, useFleetOf, type FleetStore } from "../features/fleet/state/store";

/** A pod that has no session yet; as soon as it has one, that is shown. */
export function PodView({ store, name, onSession }: { store: FleetStore; name: string; onSession: (id: string) => void }) {
  const pod = usePodNamed(store, name);
  const known = useFleetOf(store, (fleet) => fleet.heard !== null);
  const session = pod?.session_id ?? null;
  useEffect(() => {
    if (session !== null) onSession(session);
  }, [session, onSession]);
  return (
    <article className="session" aria-label={`Pod ${name}`}>
      <header className="session-head">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {pod === undefined ? (
          <p>{known ? "No pod of this name lives." : "Nothing is known of this pod yet."}</p>
        ) : (
          <p className="facts">
            <span>{pod.state}</span>
            {pod.model === null ? null : <bdi>{pod.model}</bdi>}
            <bdi className="number">{pod.cwd}</bdi>
          </p>
        )}
      </header>
      <p className="hint note">{pod === undefined ? <code>podium ps --all</code> : "It has no session yet. What it is told begins one."}</p>
    </article>
  );
}
