import { deleteSession } from "../api/session";

/** How long a deletion can be undone before it is sent, in ms. */
export const grace = 10_000;

export interface Deletion {
  id: string;
  name: string;
  /** When it is sent, in ms since 1970. */
  due: number;
  state: "waiting" | "deleting" | "deleted" | "failed";
  /** Why it failed. */
  problem: string;
}

/**
 * Deletions of sessions. Each waits before it is sent, whichever session is
 * looked at meanwhile; closing the page ends the wait and nothing is deleted.
 */
export class Deletions {
  private all: readonly Deletion[] = [];
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly send: (id: string) => Promise<void>) {}

  readonly subscribe = (tell: () => void): (() => void) => {
    this.listeners.add(tell);
    return () => this.listeners.delete(tell);
  };

  readonly snapshot = (): readonly Deletion[] => this.all;

  start(id: string, name: string): void {
    clearTimeout(this.timers.get(id));
    const others = this.all.filter((d) => d.id !== id);
    this.set([...others, { id, name, due: Date.now() + grace, state: "waiting", problem: "" }]);
    this.timers.set(id, setTimeout(() => void this.delete(id), grace));
  }

  /** Takes back a deletion that was not sent yet, or forgets one that is over. */
  drop(id: string): void {
    if (this.all.some((d) => d.id === id && d.state === "deleting")) return;
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.set(this.all.filter((d) => d.id !== id));
  }

  private async delete(id: string): Promise<void> {
    this.change(id, { state: "deleting" });
    try {
      await this.send(id);
      this.change(id, { state: "deleted" });
    } catch (e) {
      this.change(id, { state: "failed", problem: e instanceof Error ? e.message : String(e) });
    }
  }

  private change(id: string, to: Partial<Deletion>): void {
    this.set(this.all.map((d) => (d.id === id ? { ...d, ...to } : d)));
  }

  private set(all: readonly Deletion[]): void {
    this.all = all;
    this.listeners.forEach((tell) => tell());
  }
}

/** Those of this page. */
export const deletions = new Deletions(deleteSession);
