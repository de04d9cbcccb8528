import { useFleetOf, type FleetStore } from "../features/fleet/state/store";
import { podOf } from "../features/fleet/state/fleet";
import type { Pod } from "../features/fleet/api/types";
import { callPod, type Method } from "../features/pod/api/pod";
import { refusal } from "../features/pod/state/actions";
import { names } from "../features/pod/state/words";
import type { Action, Actions } from "./ActionsDialog";

/** What the menu of actions may be about. */
export interface Subject {
  name: string;
  session: string | null;
  pod: string | null;
}

interface Ways {
  open: (subject: Subject) => void;
  write: (subject: Subject) => void;
  linkOf: (subject: Subject) => string;
}

/** The row that has the focus, if one has. */
export function focusedSubject(): Subject | null {
  const row = document.activeElement?.closest<HTMLElement>("[data-id], [data-key]");
  if (row === null || row === undefined) return null;
  const key = row.dataset["key"] ?? "";
  const session = row.dataset["id"] ?? row.dataset["session"] ?? null;
  const pod = key.startsWith("pod ") ? key.slice(4) : null;
  if (session === null && pod === null) return null;
  return { name: pod ?? row.querySelector("bdi")?.textContent ?? "", session, pod };
}

/** What may be done with a subject; it follows the pod's state while the menu is open. */
export function useActions(store: FleetStore, subject: Subject | null, ways: Ways): Actions | null {
  const pod = useFleetOf(store, (fleet) =>
    subject === null ? undefined : subject.pod !== null ? fleet.pods.get(subject.pod) : subject.session === null ? undefined : podOf(fleet, subject.session),
  );
  if (subject === null) return null;
  const copy = (label: string, text: string): Action => ({ label, act: () => navigator.clipboard.writeText(text) });
  return {
    name: subject.name,
    actions: [
      { label: "Open", keys: "Enter", act: () => ways.open(subject) },
      ...(pod === undefined ? [] : [...podActions(pod, () => ways.write(subject)), copy("Copy the command that attaches", `podium attach ${quoted(pod.name)}`)]),
      copy("Copy the link", ways.linkOf(subject)),
      ...(subject.session === null ? [] : [copy("Copy the session's id", subject.session)]),
    ],
  };
}

function podActions(pod: Pod, write: () => void): Action[] {
  const call = (method: Method): Action => ({ label: names[method], refused: refusal(pod.state, method), act: () => callPod(pod.name, method) });
  return [{ label: "Write to the pod", keys: "m", act: write }, call(pod.state === "paused" ? "resume" : "pause"), call("cancel"), call("compact")];
}

/** A word of the shell. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
