/** A command for the terminal, and what it does. */
export interface Command {
  what: string;
  text: string;
}

/**
 * How a session is taken up in a terminal: through the pod that holds it, else
 * by its id. own tells that it is a pod's session, which can be continued.
 */
export function commandsFor({ id, pod, own }: { id: string; pod: string | null; own: boolean }): Command[] {
  const history = { what: "history command", text: `podium history ${quoted(id)}` };
  if (pod !== null) return [{ what: "attach command", text: `podium attach ${quoted(pod)}` }, history];
  return own ? [{ what: "continue command", text: `podium run --session ${quoted(id)}` }, history] : [history];
}

/** A word as a shell takes it for one. */
function quoted(word: string): string {
  return /^[\w.@%+=:,/][\w.@%+=:,/-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
