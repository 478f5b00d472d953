import { memoryErrors } from '@millrace/kernel';
import type { Reply } from '../keyspace/Reply.js';

/** A call that waits for one of its keys. */
interface Waiting {
  readonly keys: readonly string[];
  /** Runs the command for a key that may be ready. @returns null if there is still nothing */
  readonly attempt: (key: string) => Reply;
  readonly end: (reply: Reply) => void;
  readonly fail: (error: Error) => void;
}

/** Options of a wait. */
export interface WaitOptions {
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly attempt: (key: string) => Reply;
}

function serveOne(waiting: Waiting, key: string): void {
  try {
    const reply = waiting.attempt(key);
    if (reply !== null) waiting.end(reply);
  } catch (error) {
    waiting.fail(error as Error);
  }
}

/** The calls that wait for keys, served in order of arrival. */
export class WaitingCalls {
  private readonly byKey = new Map<string, Set<Waiting>>();
  private readonly all = new Set<Waiting>();
  private isServing = false;

  /** How many calls wait. */
  get count(): number {
    return this.all.size;
  }

  /**
   * Resolves with a reply, or with null at the timeout.
   * @throws memory.unavailable when the signal is aborted; what `attempt` throws
   */
  wait({ keys, timeoutMs, signal, attempt }: WaitOptions): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.remove(waiting);
      };
      const end = (reply: Reply) => {
        finish();
        resolve(reply);
      };
      const fail = (error: Error) => {
        finish();
        reject(error);
      };
      const abort = () => fail(memoryErrors.unavailable({ reason: 'the wait was ended' }));
      const timer = setTimeout(() => end(null), timeoutMs);
      const waiting: Waiting = { keys, attempt, end, fail };
      this.all.add(waiting);
      for (const key of keys) {
        const waitings = this.byKey.get(key) ?? new Set();
        this.byKey.set(key, waitings.add(waiting));
      }
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
  }

  /** Serves the calls that wait for keys that are ready. This may make more keys ready. */
  serve(readyKeys: Set<string>): void {
    if (this.isServing) return;
    if (this.byKey.size === 0) {
      if (readyKeys.size > 0) readyKeys.clear();
      return;
    }
    this.isServing = true;
    try {
      for (const key of readyKeys) {
        readyKeys.delete(key);
        for (const waiting of [...(this.byKey.get(key) ?? [])]) {
          serveOne(waiting, key);
        }
      }
    } finally {
      this.isServing = false;
    }
  }

  private remove(waiting: Waiting): void {
    this.all.delete(waiting);
    for (const key of waiting.keys) {
      const waitings = this.byKey.get(key);
      waitings?.delete(waiting);
      if (waitings?.size === 0) this.byKey.delete(key);
    }
  }
}
