import { ApiError } from "../../../lib/problem/problem";
import type { Run, RunQuery } from "../api/types";
import { listRunsV2 } from "../api/windows";
import { answered, begin, failed, newChain, proceed, retry, storeChanged, type Chain } from "./chain";

/** Most rows that one window brings. */
export const windowRows = 100;

/** How many match, where somebody asked for it. */
export type Count =
  | { state: "unknown" }
  | { state: "counting" }
  /** at is in Unix ms: the number was right then. */
  | { state: "exact"; value: number; at: number }
  | { state: "failed"; error: ApiError };

/** Where a person was in a list. */
export interface ListPlace {
  /** Which list it was. */
  of: string;
  /** Scrolled by so many pixels. */
  top: number;
  current: string | null;
}

/** What the page shows of the history. */
export interface HistoryState {
  /** What is searched for; a chain never outlives it. */
  key: string | null;
  chain: Chain<Run>;
  count: Count;
  /** Which of the loaded rows are shown; the server knows nothing of it. */
  only: Only;
  /** A reload took away the search before this one. */
  reloaded: boolean;
}

/** Loaded rows by what became of them. */
export type Only = "all" | "completed" | "failed";

/**
 * The one search of the page's history, kept in memory while the page lives:
 * a list that comes back finds its windows, frontier and place again. Its
 * methods are what a person does; each moves the chain and asks the server
 * for what the chain then wants.
 */
export class HistoryStore {
  #state: HistoryState;
  #query: RunQuery = {};
  #context: string | null = null;
  #begun = 0;
  #request = new AbortController();
  #counting = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** Where the list was left. */
  place: ListPlace | null = null;

  constructor(reloaded = false) {
    this.#state = { key: null, chain: newChain(0), count: { state: "unknown" }, only: "all", reloaded };
  }

  readonly state = (): HistoryState => this.#state;

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  /** Shows what a query finds. Another one than before begins a new chain. */
  open(key: string, query: RunQuery): void {
    const { chain, key: before } = this.#state;
    if (key === before) return;
    this.#query = query;
    this.place = null;
    this.cancelCount();
    this.#set({ key, count: { state: "unknown" }, only: "all", reloaded: before === null && this.#state.reloaded });
    this.#move(begin(newChain(chain.generation, chain.traversal + 1)));
  }

  /** The next window: one request, and none while one is under way. */
  readonly proceed = (): void => this.#move(proceed(this.#state.chain));

  /** A new chain; its first window takes the place of everything. */
  readonly refresh = (): void => this.#move(begin(this.#state.chain));

  /** Shows some of the loaded rows, and asks for nothing. */
  readonly show = (only: Only): void => this.#set({ only });

  /** What failed, once more. */
  readonly retry = (): void => {
    if (this.#state.chain.asking === null) this.#move(retry(this.#state.chain));
  };

  /**
   * Notes which store answered at a time (Unix ms). Another one than the
   * chain's drops the chain.
   */
  context(context: string, at: number): void {
    const before = this.#context;
    if (before === null && at < this.#begun) return;
    this.#context = context;
    // A store that was not there had no rows to drop.
    if (before === null || before === absent || before === context) return;
    this.cancelCount();
    this.#request.abort();
    this.#set({ count: { state: "unknown" } });
    this.#move(storeChanged(this.#state.chain));
  }

  /** Counts all matches of the store, until it is cancelled. */
  readonly count = async (): Promise<void> => {
    if (this.#state.count.state === "counting") return;
    const counting = (this.#counting = new AbortController());
    this.#set({ count: { state: "counting" } });
    const count = await listRunsV2(this.#query, { rows: 1, exactTotal: true }, counting.signal).then(
      ({ window: { total } }): Count =>
        total.value === null
          ? { state: "failed", error: new ApiError(0, "Studio sent no count.") }
          : { state: "exact", value: total.value, at: Date.now() },
      (e: unknown): Count => ({ state: "failed", error: problem(e) }),
    );
    if (counting === this.#counting && !counting.signal.aborted) this.#set({ count });
  };

  readonly cancelCount = (): void => {
    this.#counting.abort();
    if (this.#state.count.state === "counting") this.#set({ count: { state: "unknown" } });
  };

  /** Takes over a moved chain, and asks for what it newly wants. */
  #move(chain: Chain<Run>): void {
    const before = this.#state.chain;
    if (chain === before) return;
    const asked = before.asking !== null;
    this.#set({ chain });
    const asks = chain.asking !== null && (!asked || chain.generation !== before.generation);
    if (!asks) return;
    this.#request.abort();
    // A new chain is of the store that answers it.
    if (chain.asking?.kind === "begin") {
      this.#context = null;
      this.#begun = Date.now();
    }
    if (before.stop !== null || before.dropped !== null) this.#set({ reloaded: false });
    void this.#ask(chain);
  }

  async #ask({ asking, generation }: Chain<Run>): Promise<void> {
    const request = (this.#request = new AbortController());
    try {
      const { window, reached } = await listRunsV2(this.#query, { cursor: asking?.cursor ?? null, rows: windowRows }, request.signal);
      const { pagination: p } = window;
      const found = { rows: window.runs, cursor: p.next_cursor, examined: p.examined_candidates, limit: p.candidate_limit, stop: p.stop_reason, reached };
      this.#move(answered(this.#state.chain, generation, found, Date.now()));
    } catch (e) {
      if (request.signal.aborted) return;
      this.#move(failed(this.#state.chain, generation, problem(e)));
    }
  }

  #set(part: Partial<HistoryState>): void {
    this.#state = { ...this.#state, ...part };
    this.#listeners.forEach((tell) => tell());
  }
}

/** The context of a store whose file does not exist. */
export const absent = "absent";

function problem(e: unknown): ApiError {
  return e instanceof ApiError ? e : new ApiError(0, "The answer could not be read.");
}
