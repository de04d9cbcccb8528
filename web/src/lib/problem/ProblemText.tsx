/** What went wrong, in the words of whoever says it: what stands between backticks is a command. */
export function ProblemText({ text }: { text: string }) {
  return text.split(/`([^`\n]+)`/).map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}
