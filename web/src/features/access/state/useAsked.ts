import { useSyncExternalStore } from "react";
import { onAsked, readAsked, type Asked } from "../../../lib/http/token";

/** Whether Studio has asked for its token. */
export function useAsked(): Asked {
  return useSyncExternalStore(onAsked, readAsked);
}
