import type { FleetStore } from "../features/fleet/state/store";
import { SessionView } from "../features/session/components/SessionView";
import { PodView } from "./PodView";
import { SessionDock } from "./SessionDock";

export { prepareWords } from "../features/session/components/Words";

interface Props {
  store: FleetStore;
  /** The open session, or null for the pod by the name. */
  session: string | null;
  pod: string | null;
  /** The entry that the address names. */
  entry: string | null;
  takesFocus: boolean;
  hrefOf: (id: string, entry?: string | null) => string;
  onOpen: (id: string) => void;
  /** The pod has a session by now. */
  onSession: (id: string) => void;
  onFilter: (filter: { tag: string[] } | { playbook: string }) => void;
}

/** What is open: a session, or a pod without one, and where one talks to the pod. */
export function Opened({ store, session, pod, entry, takesFocus, hrefOf, onOpen, onSession, onFilter }: Props) {
  return (
    <>
      {session === null ? (
        <PodView store={store} name={pod ?? ""} onSession={onSession} />
      ) : (
        <SessionView key={session} id={session} entry={entry} takesFocus={takesFocus} hrefOf={hrefOf} onOpen={onOpen} onFilter={onFilter} />
      )}
      <SessionDock key={`dock ${session ?? pod}`} store={store} session={session} pod={pod} hrefOf={hrefOf} onOpen={onOpen} />
    </>
  );
}
