import { TimeoutError } from './errors/TimeoutError.js';

/** The time that one call may take: its signal is aborted by the caller's signal and at the end of the time. */
export class Wait {
  readonly #abort = new AbortController();
  readonly #endsAtMs: number;
  readonly #end: () => void;

  /** @param timeoutMs 0: no limit */
  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    const { signal } = this.#abort;
    this.#endsAtMs = timeoutMs > 0 ? Date.now() + timeoutMs : Infinity;
    const timer =
      timeoutMs > 0
        ? setTimeout(() => this.#abort.abort(new TimeoutError(timeoutMs)), timeoutMs)
        : undefined;
    const onAbort = () => this.#abort.abort(outer?.reason);
    if (outer?.aborted === true) onAbort();
    else outer?.addEventListener('abort', onAbort, { signal });
    this.#end = () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onAbort);
    };
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

  /** Releases timer and listener. */
  close(): void {
    this.#end();
  }
}
