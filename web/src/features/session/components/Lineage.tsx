import { shrinking } from "../../../lib/format/format";
import type { Lineage, LineageStep } from "../api/types";
import { summaryCost } from "../state/spend";
import { SessionLink } from "./PieceView";

interface Props {
  lineage: Lineage | undefined;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/** Which session this one continues: in front of its first entry. */
export function CompactedFrom({ lineage, ...link }: Props) {
  const from = lineage?.compacted_from.at(-1);
  if (from === undefined) return null;
  return (
    <Mark step={from}>
      continues <SessionLink id={from.session_id} {...link} />
    </Mark>
  );
}

/** Where a compacted session went on: behind its last entry. */
export function ContinuedIn({ lineage, ...link }: Props) {
  const next = lineage?.continued_in[0];
  if (next === undefined) return null;
  return (
    <Mark step={next}>
      continues in <SessionLink id={next.session_id} {...link} />
    </Mark>
  );
}

function Mark({ step, children }: { step: LineageStep; children: React.ReactNode }) {
  return (
    <p className="piece mark mark-compaction">
      <span>
        compacted: {shrinking(step.tokens_before, step.tokens_after)}, {summaryCost(step.cost_usd)}, {children}
      </span>
    </p>
  );
}
