import { TimeoutError } from './errors/TimeoutError.js';

/** How late the end of a call may be noticed. */
const TICK_MS = 50;

/** The calls with a limit. One timer for all of them: a timer each took up to a tenth of the processor time of a request. */
const limited = new Set<Wait>();
let ticker: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  for (const wait of limited) wait.check();
  if (limited.size > 0) return;
  clearInterval(ticker);
  ticker = undefined;
}

/** The time that one call may take: its signal is aborted by the caller's signal and at the end of the time. */
export class Wait {
  readonly #abort = new AbortController();
  readonly #endsAtMs: number;
  readonly #onAbort = () => this.#abort.abort(this.outer?.reason);

  /** @param timeoutMs 0: no limit */
  constructor(
    private readonly timeoutMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.#endsAtMs = timeoutMs > 0 ? Date.now() + timeoutMs : Infinity;
    if (timeoutMs > 0) {
      limited.add(this);
      ticker ??= setInterval(tick, TICK_MS);
    }
    if (outer?.aborted === true) this.#onAbort();
    outer?.addEventListener('abort', this.#onAbort);
  }

  /** Ends the call if its time has passed. */
  check(): void {
    if (!this.has(0)) this.#abort.abort(new TimeoutError(this.timeoutMs));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether so much time is left. */
  has(ms: number): boolean {
    return Date.now() + ms < this.#endsAtMs;
  }

  /** @throws the reason of the signal if that is aborted meanwhile */
  async pause(ms: number): Promise<void> {
    const { signal } = this;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
    signal.throwIfAborted();
  }

  /** Releases the listener. */
  close(): void {
    limited.delete(this);
    this.outer?.removeEventListener('abort', this.#onAbort);
  }
}
