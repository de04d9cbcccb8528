import { ApiError } from "../../../lib/problem/problem";
import { getFleet, streamFleet } from "../api/fleet";
import { ForeignFrame, readFrame } from "../api/frame";
import { beat, type FleetEvent } from "./fleet";

/** The pause between two polls while no stream is held, in ms. */
export const pollEvery = 3_000;

/** How often the fleet's age is looked at, in ms. */
const tickEvery = 1_000;

/** Pauses before the stream is tried again, in ms: after a break, and the longest. */
const soon = 250;
const longest = 15_000;

/** A refusal does not pass by itself; the stream is asked for again after this, in ms. */
const refusedPause = 60_000;

/**
 * Follows the fleet until the returned function is called: over the stream,
 * which goes on behind the last frame that was taken; by polls while no stream
 * can be held. A hidden page asks for nothing.
 */
export function followFleet(tell: (event: FleetEvent) => void): () => void {
  let session: AbortController | null = null;
  let lastId = "";

  const begin = () => {
    if (session !== null || document.hidden) return;
    session = new AbortController();
    const signal = session.signal;
    const ticking = setInterval(() => tell({ type: "tick", at: Date.now() }), tickEvery);
    signal.addEventListener("abort", () => clearInterval(ticking));
    void hold(signal);
  };
  const end = () => {
    session?.abort();
    session = null;
    tell({ type: "dropped" });
  };

  async function hold(signal: AbortSignal): Promise<void> {
    const alarm = new Alarm(signal);
    const polls = new Polls(tell, signal, () => alarm.ring());
    for (let failures = 0; !signal.aborted; ) {
      const begun = Date.now();
      const end = await stream(signal, polls);
      if (signal.aborted || end === "unauthorized") return;
      tell({ type: "dropped" });
      // One that broke after a while is taken up at once, and only when that
      // fails Studio is polled.
      failures = end === "broken" && Date.now() - begun >= beat ? 0 : failures + 1;
      if (end !== "broken") polls.start();
      await alarm.wait(end === "refused" ? refusedPause : Math.min(longest, soon * 2 ** failures));
    }
  }

  /** Takes frames while they come, and tells why they ended. */
  async function stream(signal: AbortSignal, polls: Polls): Promise<"broken" | "failed" | "refused" | "unauthorized"> {
    let taken = false;
    try {
      for await (const event of streamFleet(lastId, signal)) {
        const frame = readFrame(event.data);
        if (signal.aborted) break;
        if (frame === null) continue;
        tell({ type: "frame", frame, at: Date.now() });
        lastId = event.id;
        taken = true;
        polls.stop();
      }
      return taken ? "broken" : "failed";
    } catch (e) {
      if (signal.aborted) return "broken";
      if (e instanceof ForeignFrame) lastId = "";
      else if (!(e instanceof ApiError)) throw e;
      else if (e.status === 401) return "unauthorized"; // another token begins anew
      else if (!e.passing) return "refused";
      return taken ? "broken" : "failed";
    }
  }

  const onVisibility = () => {
    if (document.hidden) return end();
    tell({ type: "woke", at: Date.now() });
    begin();
  };
  document.addEventListener("visibilitychange", onVisibility);
  begin();
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    end();
  };
}

/** Asks for the whole fleet again and again; a poll that is due while one is out is dropped. */
class Polls {
  private running: AbortController | null = null;
  private out = false;
  private failing = false;

  constructor(
    private readonly tell: (event: FleetEvent) => void,
    private readonly signal: AbortSignal,
    /** Studio answers again. */
    private readonly back: () => void,
  ) {
    signal.addEventListener("abort", () => this.stop());
  }

  start(): void {
    if (this.running !== null || this.signal.aborted) return;
    const running = new AbortController();
    this.running = running;
    const timer = setInterval(() => void this.poll(running.signal), pollEvery);
    running.signal.addEventListener("abort", () => clearInterval(timer));
    void this.poll(running.signal);
  }

  stop(): void {
    this.running?.abort();
    this.running = null;
    this.out = false;
    this.failing = false;
  }

  private async poll(signal: AbortSignal): Promise<void> {
    if (this.out) return;
    this.out = true;
    try {
      const body = await getFleet(signal);
      if (signal.aborted) return;
      this.tell({ type: "polled", body, at: Date.now() });
      if (this.failing) this.back();
      this.failing = false;
    } catch (e) {
      if (signal.aborted) return;
      this.failing = true;
      this.tell({ type: "failed", message: e instanceof Error ? e.message : String(e) });
    } finally {
      if (!signal.aborted) this.out = false;
    }
  }
}

/** A pause that can be cut short. */
class Alarm {
  private wake: (() => void) | null = null;

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener("abort", () => this.ring());
  }

  ring(): void {
    this.wake?.();
  }

  wait(ms: number): Promise<void> {
    if (this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
