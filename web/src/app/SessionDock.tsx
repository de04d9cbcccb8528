import { useState } from "react";
import { usePodNamed, usePodOf, useFleetOf, type FleetStore } from "../features/fleet/state/store";
import { PodDock } from "../features/pod/components/PodDock";
import { shortId } from "../lib/format/names";

interface Props {
  store: FleetStore;
  /** The open session, or null for the pod by the name. */
  session: string | null;
  pod: string | null;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/**
 * Where one talks to the pod of what is open. A pod that left stays where it
 * was, with what was typed, and with where it went.
 */
export function SessionDock({ store, session, pod: named, hrefOf, onOpen }: Props) {
  const holding = usePodOf(store, session);
  const [held, setHeld] = useState(holding);
  // What was last known of a pod stays when it leaves.
  if (holding !== undefined && holding !== held) setHeld(holding);
  const kept = usePodNamed(store, session === null ? named : (held?.name ?? null));
  const known = useFleetOf(store, (fleet) => fleet.heard !== null);
  const pod = session === null ? kept : holding;
  const [last, setLast] = useState(pod);
  if (pod !== undefined && pod !== last) setLast(pod);
  if (last === undefined) return null;
  const moved = pod === undefined && kept?.session_id ? kept.session_id : null;
  return (
    <PodDock
      key={last.name}
      pod={pod ?? { ...last, state: "gone", tool: null }}
      closed={
        pod !== undefined ? (
          pod.state === "dead" ? (
            <>
              The process of pod <bdi>{last.name}</bdi> is gone. <code>podium run {last.name}</code> starts it again, with this session.
            </>
          ) : null
        ) : !known ? (
          <>Nothing is known of the pod without Studio's token.</>
        ) : moved !== null ? (
          <>
            Pod <bdi>{last.name}</bdi> went on in session{" "}
            <a
              className="number"
              href={hrefOf(moved)}
              onClick={(e) => {
                if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
                e.preventDefault();
                onOpen(moved);
              }}
            >
              {shortId(moved)}
            </a>
            .
          </>
        ) : (
          <>
            Pod <bdi>{last.name}</bdi> ended. <code>podium run {last.name}</code> starts it again, with this session.
          </>
        )
      }
    />
  );
}
