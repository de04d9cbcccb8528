import type { Method } from "../api/pod";

/** What each method is called. */
export const names: Record<Method, string> = { run: "Send", notify: "Notify", pause: "Pause", resume: "Resume", cancel: "Cancel", compact: "Compact" };

/** What each method does. */
export const titles: Record<Method, string> = {
  run: "Give the pod this input: Enter",
  notify: "Leave a note that is no request; an idle pod starts a run for it",
  pause: "Stop the run so that it can be resumed",
  resume: "Go on with the paused run",
  cancel: "End the run",
  compact: "Summarise the conversation and go on in a new session",
};

/** What is said while a method is out. */
export const doing: Record<Method, string> = {
  run: "Sending", notify: "Sending the note", pause: "Asking it to pause", resume: "Asking it to resume", cancel: "Cancelling",
  compact: "Asking it to compact",
};

/** What is said once the pod took it. */
export const taken: Record<Method, string> = {
  run: "The pod has the message",
  notify: "The pod has the note",
  pause: "The pod stops its run",
  resume: "The pod goes on",
  cancel: "The pod ends its run",
  compact: "The pod was asked to compact",
};
