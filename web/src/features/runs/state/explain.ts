import type { ApiError } from "../../../lib/problem/problem";

/** A failure for a person: what is wrong, why, and what helps. */
export interface Explained {
  what: string;
  why?: string;
  /** Commands that mend it, in the order to try them. */
  commands?: readonly string[];
  /** The one useful action of the page. */
  action: "retry" | "restart" | "clear" | "pages" | "none";
}

const lacking: Record<string, { why: string; commands: readonly string[] }> = {
  structure: { why: "An index that it needs is missing.", commands: ["podium store migrate"] },
  identity: { why: "The store has no identity that a continuation could name.", commands: ["podium store rotate-identity"] },
  keyring: { why: "There is no usable key to sign continuations with.", commands: ["podium keyring status", "podium keyring rotate"] },
};

/** Says what a failure of the bounded listing means. */
export function explain(error: ApiError): Explained {
  switch (error.code) {
    case "listing_cursor_invalid":
      return { what: "This search cannot go on: Studio did not issue its cursor.", action: "restart" };
    case "listing_cursor_restart_required":
      return { what: "This search cannot go on.", why: "It began more than 24 hours ago, or the store is another now. Its rows were put away.", action: "restart" };
    case "listing_not_ready": {
      const { why, commands } = lacking[error.lacks ?? ""] ?? {
        why: "An index, the store's identity or the keyring is missing.",
        commands: ["podium store status", "podium keyring status"],
      };
      return { what: "Windows are not available for this store.", why, commands, action: "retry" };
    }
    case "listing_store_order_invalid":
      return {
        what: "The store holds a session that cannot be put in order.",
        why: "Its id, time or cost is no usable value. Numbered pages still work.",
        commands: ["podium store check"],
        action: "pages",
      };
    case "listing_request_invalid":
      return { what: "Studio refused these filters.", why: "A text has at most 1,024 bytes, a filter at most 64 values.", action: "clear" };
  }
  if (error.unreachable) return { what: error.message, why: "Is it running?", commands: ["podium studio"], action: "retry" };
  return { what: error.message, action: error.status === 501 ? "none" : error.status === 422 ? "clear" : "retry" };
}
