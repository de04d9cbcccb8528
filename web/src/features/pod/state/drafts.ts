const drafts = new Map<string, string>();

/** What was typed to a pod and not sent, while the page is open. */
export function draftOf(pod: string): string {
  return drafts.get(pod) ?? "";
}

export function keepDraft(pod: string, text: string): void {
  if (text === "") drafts.delete(pod);
  else drafts.set(pod, text);
}
