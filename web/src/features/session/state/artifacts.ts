import type { RunDetail } from "../api/types";
import { asNumber, asRecord, asText } from "./values";

/** A file that a run made, or was to make. */
export interface Artifact {
  path: string;
  /** Bytes; null where nobody looked. */
  size: number | null;
  state: "there" | "missing" | "unknown";
}

/** The files that a run's verification and contract speak of, each once. */
export function artifactsOf(run: Pick<RunDetail, "artifact_contract_json" | "artifact_verification_json">): Artifact[] {
  const verified = asRecord(run.artifact_verification_json);
  const contract = asRecord(run.artifact_contract_json);
  const out = new Map<string, Artifact>();
  const add = (list: unknown, state: Artifact["state"]) => {
    for (const one of Array.isArray(list) ? list : []) {
      const path = asText(asRecord(one)?.["path"]);
      if (path !== "" && !out.has(path)) out.set(path, { path, size: asNumber(asRecord(one)?.["size"]), state });
    }
  };
  add(verified?.["produced"], "there");
  add(verified?.["missing_required"], "missing");
  add(verified?.["missing_optional"], "missing");
  add(contract?.["expected"], "unknown");
  return [...out.values()];
}
