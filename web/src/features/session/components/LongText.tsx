import { grouped } from "../../../lib/format/format";

/** Characters that are shown of a long text before somebody asks for all of it. */
export const shownAtOnce = 100_000;

interface Props {
  text: string;
  label?: string;
  all: boolean;
  onAll: () => void;
}

/** A text as it is; of a very long one the beginning, and the rest on request. */
export function LongText({ text, label, all, onAll }: Props) {
  const whole = all || text.length <= shownAtOnce;
  return (
    <>
      <pre tabIndex={0} dir="auto" aria-label={label}>
        {whole ? text : head(text)}
      </pre>
      {whole ? null : <ShowAll length={text.length} onAll={onAll} />}
    </>
  );
}

/** Says that a text is cut, and shows the rest. */
export function ShowAll({ length, onAll }: { length: number; onAll: () => void }) {
  return (
    <p className="note cut">
      The first {grouped(String(shownAtOnce))} of {grouped(String(length))} characters.{" "}
      <button type="button" onClick={onAll}>
        Show all
      </button>
    </p>
  );
}

/** The beginning of a text, never half a character. */
export function head(text: string): string {
  const last = text.charCodeAt(shownAtOnce - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? shownAtOnce - 1 : shownAtOnce);
}
