import { act, render } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { LivingContext, type Living, type Work } from "../../../lib/state/living";
import { AtWork } from "./AtWork";

beforeEach(() => void vi.useFakeTimers({ now: 2_000_000 }));

function show(work: Work | null, newest: number | null = null) {
  const living: Living = { state: "running", word: "running", work };
  const { container } = render(
    <LivingContext value={{ subscribe: () => () => undefined, of: (id) => (id === "s" ? living : undefined) }}>
      <AtWork id="s" newest={newest} />
    </LivingContext>,
  );
  return container;
}

describe("what a pod is at", () => {
  it.each<[string, Work, number | null, string]>([
    ["an answer, since the newest entry", { kind: "run", tool: null, since: 1_900 }, 1_988, "answering12s"],
    ["an answer, since the run began", { kind: "run", tool: null, since: 1_995 }, 1_000, "answering5s"],
    ["a tool", { kind: "run", tool: "Bash", since: null }, 1_930, "runningBash1m 10s"],
    ["a compaction", { kind: "compaction", tool: null, since: 1_998 }, 1_000, "compacting2s"],
    ["what began at a time that nobody knows", { kind: "run", tool: null, since: null }, null, "answering"],
    ["what a clock that is ahead says", { kind: "run", tool: null, since: null }, 2_009, "answering0s"],
  ])("is said: %s", (_, work, newest, text) => {
    expect(show(work, newest).textContent).toBe(text);
  });

  it("counts on", () => {
    const page = show({ kind: "run", tool: null, since: 1_990 });
    act(() => void vi.advanceTimersByTime(3_000));
    expect(page.textContent).toBe("answering13s");
  });

  it("is nothing while it does not work, or no pod is known", () => {
    expect(show(null, 1_900).innerHTML).toBe("");
    expect(render(<AtWork id="elsewhere" newest={null} />).container.innerHTML).toBe("");
  });
});
