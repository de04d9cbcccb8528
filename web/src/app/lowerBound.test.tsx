import { render } from "@testing-library/react";
import { it } from "vitest";
import { createFleet } from "../features/fleet/state/store";
import { aFleet, aPod } from "../test/fleet";
import { aDetail, aWindow, fakeStudio, renderPage } from "../test/studio";
import { SessionView } from "../features/session/components/SessionView";
import { useLowerBound } from "../lib/state/lowerBound";

const Known = ({ of }: { of: string }) => <i>{useLowerBound(of) ? "at least" : "exact"}</i>;

it("a pod of which some requests have no price tells it of its session", async () => {
  const { findByText, getByText } = render(<Known of="s1" />);
  getByText("exact");
  createFleet().take({ type: "frame", frame: { type: "reset", ...aFleet([aPod({ session_id: "s2" }), aPod({ name: "b", session_id: "s1", cost_partial: true })]) }, at: 1 });
  await findByText("at least");
});

it.each([
  [2, "at least"],
  [0, "exact"],
])("a log with %i requests without a price says that its session's cost is %s", async (unpriced, word) => {
  const usage = { input_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 1, reasoning_tokens: 0, cost_usd: 0.5, priced: 3, unpriced };
  fakeStudio((r) => ({
    body: r.path.endsWith("/entries") ? aWindow([], { usage }) : r.path.endsWith("/lineage") ? { session_id: "s", compacted_from: [], continued_in: [] } : aDetail({ id: "s" }),
  }));
  const { findByText } = renderPage(
    <>
      <Known of="s" />
      <SessionView id="s" entry={null} takesFocus={false} hrefOf={() => ""} onOpen={() => undefined} onFilter={() => undefined} />
    </>,
  );
  await findByText(word === "exact" ? "$0.50" : "≥ $0.50");
  await findByText(word);
});
