import type { KeyboardEvent, ReactNode, Ref } from "react";
import type { Slot } from "../state/slice";
import { useColumn, type ColumnHandle, type Sight, type Stand } from "../state/useColumn";

interface Props {
  slots: readonly Slot[];
  indexOf: (key: string) => number | undefined;
  above: number;
  below: number;
  opening: number;
  stand: Stand;
  onSight: (sight: Sight) => void;
  handle: Ref<ColumnHandle>;
  /** What a slot shows. */
  render: (index: number) => ReactNode;
  /** A slot that is to be found at a glance. */
  marked: string | null;
  /** The ways to both ends: keys take them at once, so that nothing that comes in meanwhile stops a slow scroll. */
  onStart: () => void;
  onEnd: () => void;
  /** What stands in front of the first slot, behind the last, over the pane, and in the room below all. */
  before?: ReactNode;
  after?: ReactNode;
  over?: ReactNode;
  foot?: ReactNode;
}

/** A pane that scrolls through a long column, of which only a part is in the document. */
export function Column({ render, marked, before, after, over, foot, onStart, onEnd, ...column }: Props) {
  const { pane, list, ranges, gaps, onScroll, leaveEnd, ...events } = useColumn(column);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "ArrowUp" || e.key === "PageUp") leaveEnd();
    if (e.target !== e.currentTarget || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || (e.key !== "Home" && e.key !== "End")) return;
    e.preventDefault();
    (e.key === "Home" ? onStart : onEnd)();
  };
  return (
    <div
      className="conversation-pane"
      ref={pane}
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onWheel={(e) => {
        if (e.deltaY < 0) leaveEnd();
      }}
    >
      {before}
      <div className="conversation" ref={list} {...events}>
        {ranges.flatMap((r, n) => [
          <Gap key={`gap ${n}`} height={gaps[n] ?? 0} />,
          ...column.slots.slice(r.from, r.to).map((s, i) => (
            <div key={s.key} className="slot" data-key={s.key} data-marked={s.key === marked}>
              {render(r.from + i)}
            </div>
          )),
        ])}
        <Gap key="gap end" height={gaps.at(-1) ?? 0} />
      </div>
      {after}
      {over}
      {foot}
    </div>
  );
}

/** Stands for what is not in the document. */
function Gap({ height }: { height: number }) {
  return <div className="gap" style={{ height }} aria-hidden="true" />;
}
