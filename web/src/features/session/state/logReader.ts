import { entriesPerWindow, getEntries, type WindowAt } from "../api/session";
import type { EntryWindow } from "../api/types";
import { ApiError } from "../../../lib/problem/problem";
import { atTail, end, informed, opened, trimmed, withNewer, withOlder, type LogWindow } from "./logWindow";

/** Where a reader wants to be. */
export type Target = { kind: "end" } | { kind: "place"; place: number } | { kind: "entry"; id: string };

export interface LogState {
  /** null until the first window is there. */
  window: LogWindow | null;
  /** Counts windows that began anew; the reader is then to stand at target. */
  opening: number;
  target: Target;
  /** Where a jump leads that is on its way. */
  going: Target | null;
  /** What went wrong on the way there. */
  failed: Error | null;
  loadingOlder: boolean;
  olderFailed: boolean;
  loadingNewer: boolean;
  newerFailed: boolean;
  /** An entry that was asked for and is not in the log. */
  missing: string | null;
}

/** How a window is fetched; that of Studio, but for tests. */
export type FetchWindow = (at: WindowAt, limit: number, signal: AbortSignal) => Promise<EntryWindow>;

/**
 * Reads a log through windows: one stretch of it is held, grows at either end
 * on demand, follows the end while that is held, and is dropped for another
 * when the reader jumps. One request at a time in each direction; a jump ends
 * those under way.
 */
export class LogReader {
  private state: LogState;
  private readonly listeners = new Set<() => void>();
  private jump = new AbortController();
  private stretch = new AbortController();
  /** The place that is read: what is far from it may be dropped. */
  private reading: number | null = null;

  constructor(private readonly fetchWindow: FetchWindow) {
    this.state = {
      window: null, opening: 0, target: { kind: "end" }, going: null, failed: null, loadingOlder: false, olderFailed: false,
      loadingNewer: false, newerFailed: false, missing: null,
    };
  }

  static of(id: string): LogReader {
    return new LogReader((at, limit, signal) => getEntries(id, at, limit, signal));
  }

  readonly subscribe = (tell: () => void): (() => void) => {
    this.listeners.add(tell);
    return () => this.listeners.delete(tell);
  };

  readonly snapshot = (): LogState => this.state;

  /** Says which place is read. */
  look(place: number): void {
    this.reading = place;
  }

  /** Jumps to where the reader wants to be, and forgets what was held before. */
  async go(target: Target): Promise<void> {
    this.jump.abort();
    const jump = (this.jump = new AbortController());
    this.set({ going: target, failed: null });
    try {
      let window: LogWindow;
      let missing: string | null = null;
      let at = target;
      try {
        window = opened(await this.fetchAt(target, jump.signal));
      } catch (e) {
        if (target.kind !== "entry" || !(e instanceof ApiError) || e.status !== 404) throw e;
        missing = target.id;
        at = { kind: "end" };
        window = opened(await this.fetchAt(at, jump.signal));
      }
      if (jump.signal.aborted) return;
      this.stretch.abort();
      this.stretch = new AbortController();
      this.reading = null;
      this.set({
        window, opening: this.state.opening + 1, target: at, going: null, failed: null, missing,
        loadingOlder: false, olderFailed: false, loadingNewer: false, newerFailed: false,
      });
    } catch (e) {
      if (jump.signal.aborted) return;
      this.set({ going: null, failed: e instanceof Error ? e : new Error(String(e)), target });
    }
  }

  /** Tries again what failed last. */
  retry(): void {
    if (this.state.failed !== null) void this.go(this.state.target);
    if (this.state.olderFailed) void this.older();
    if (this.state.newerFailed) void this.newer();
  }

  /** The window in front of what is held. */
  async older(): Promise<void> {
    const w = this.state.window;
    const first = w?.entries[0];
    if (w === null || first === undefined || w.from === 0 || this.state.loadingOlder) return;
    const { signal } = this.stretch;
    this.set({ loadingOlder: true, olderFailed: false });
    try {
      // Large entries may cut a window short of what is held: then a smaller
      // one meets it, and one of a single entry always does.
      for (let limit = entriesPerWindow; ; limit = Math.ceil(limit / 8)) {
        const body = await this.fetchWindow({ before: first.id }, limit, signal);
        if (signal.aborted) return;
        const next = this.state.window === null ? null : withOlder(this.state.window, body);
        if (next === null && limit > 1) continue;
        this.set({ loadingOlder: false, ...(next === null ? {} : { window: trimmed(next, this.reading ?? next.from) }) });
        return;
      }
    } catch {
      if (!signal.aborted) this.set({ loadingOlder: false, olderFailed: true });
    }
  }

  /** The window behind what is held: at the end of the log, what came since. */
  async newer(): Promise<void> {
    const w = this.state.window;
    if (w === null || this.state.loadingNewer) return;
    const last = w.entries.at(-1);
    const { signal } = this.stretch;
    // Failures stay said until the answer is there.
    this.set({ loadingNewer: true });
    try {
      const body = await this.fetchWindow(last === undefined ? {} : { after: last.id }, entriesPerWindow, signal);
      if (signal.aborted) return;
      const held = this.state.window ?? w;
      const next = held.entries.length === 0 ? opened(body) : withNewer(held, body);
      const window = next === null || next.entries.length === held.entries.length ? informed(held, body) : trimmed(next, this.reading ?? end(next));
      this.set({ loadingNewer: false, newerFailed: false, window });
    } catch {
      if (!signal.aborted) this.set({ loadingNewer: false, newerFailed: true });
    }
  }

  /** Looks whether the log has grown: what is new is read where the end is held, counted elsewhere. */
  async poll(): Promise<void> {
    const w = this.state.window;
    if (w === null || this.state.going !== null) return;
    if (atTail(w)) return this.newer();
    const { signal } = this.stretch;
    try {
      const body = await this.fetchWindow({}, 1, signal);
      if (signal.aborted || this.state.window === null) return;
      this.set({ window: informed(this.state.window, body) });
    } catch {
      // The next look will tell; what is held stays as it is.
    }
  }

  /** Ends what is under way. */
  close(): void {
    this.jump.abort();
    this.stretch.abort();
    this.stretch = new AbortController();
    this.state = { ...this.state, going: null, loadingOlder: false, loadingNewer: false };
  }

  private async fetchAt(target: Target, signal: AbortSignal): Promise<EntryWindow> {
    if (target.kind === "end") return this.fetchWindow({}, entriesPerWindow, signal);
    if (target.kind === "place") {
      return this.fetchWindow({ from: Math.max(0, Math.floor(target.place - entriesPerWindow / 2)) }, entriesPerWindow, signal);
    }
    for (let limit = entriesPerWindow; ; limit = Math.ceil(limit / 8)) {
      const body = await this.fetchWindow({ around: target.id }, limit, signal);
      if (limit === 1 || body.entries.some((e) => e.id === target.id)) return body;
    }
  }

  private set(change: Partial<LogState>): void {
    const next = { ...this.state, ...change };
    if ((Object.keys(change) as (keyof LogState)[]).every((k) => next[k] === this.state[k])) return;
    this.state = next;
    this.listeners.forEach((tell) => tell());
  }
}
