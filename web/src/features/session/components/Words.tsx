import { lazy, memo, Suspense } from "react";

/** Reading Markdown is a third of the page's script and not needed for a list. */
const load = () => import("./Markdown").catch(() => ({ default: Plain }));
const Markdown = lazy(load);

/** Stands in until the reading of Markdown is there, and where it never comes. */
function Plain({ text }: { text: string }) {
  return <p className="plain">{text}</p>;
}

/** Fetches what Words needs before the first of them is shown. */
export function prepareWords(): void {
  void load();
}

/** Words of a conversation. */
export const Words = memo(function Words({ text }: { text: string }) {
  return (
    <div className="words" dir="auto">
      <Suspense fallback={<Plain text={text} />}>
        <Markdown text={text} />
      </Suspense>
    </div>
  );
});
