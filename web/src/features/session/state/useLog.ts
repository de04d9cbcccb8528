import { useEffect, useState, useSyncExternalStore } from "react";
import { onAsked, readAsked } from "../../../lib/http/token";
import { LogReader, type LogState, type Target } from "./logReader";

/** How often a session that runs, and any other, is asked for new entries, in ms. */
const livePoll = 1_000;
const restPoll = 15_000;

export interface Log extends LogState {
  reader: LogReader;
}

/**
 * The log of a session. It opens around an entry, else at its end. version is
 * anything that changes when the log may have grown.
 */
export function useLog(id: string, entry: string | null, running: boolean, version: string, enabled: boolean): Log {
  const [reader] = useState(() => LogReader.of(id));
  const state = useSyncExternalStore(reader.subscribe, reader.snapshot);

  useEffect(() => {
    if (!enabled) return;
    const target: Target = entry === null ? { kind: "end" } : { kind: "entry", id: entry };
    // A linked entry that is left does not move the reader.
    if (entry !== null || reader.snapshot().window === null) void reader.go(target);
  }, [reader, enabled, entry]);
  useEffect(() => () => reader.close(), [reader]);

  useEffect(() => {
    if (!enabled) return;
    const look = () => {
      if (document.visibilityState === "visible") void reader.poll();
    };
    look();
    const timer = setInterval(look, running ? livePoll : restPoll);
    return () => clearInterval(timer);
  }, [reader, enabled, running, version]);

  // A token that came in lets through what was refused without it.
  useEffect(() => onAsked(() => void (readAsked().state === "no" && reader.retry())), [reader]);

  return { ...state, reader };
}
