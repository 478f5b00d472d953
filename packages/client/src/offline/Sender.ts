import type { MillraceClient } from '../MillraceClient.js';
import { backoffMs } from '../realtime/backoffMs.js';
import type { Outbox } from './Outbox.js';
import type { OutboxEntry } from './OutboxEntry.js';
import type { OutboxStore } from './OutboxStore.js';
import type { Conflict, ConflictPolicy } from './resolveConflict.js';
import { sendWrite, type Outcome } from './sendWrite.js';

/** What a sender needs. */
export interface SenderContext {
  readonly client: MillraceClient;
  readonly outbox: Outbox;
  readonly store: OutboxStore;
  readonly policyOf: (entry: OutboxEntry) => ConflictPolicy;
  readonly onConflict: (conflict: Conflict) => void;
}

const LONGEST_AGE_MS = 7 * 24 * 3_600_000;

/** Sends the writes of the present user, one after the other, while it has the turn. */
export class Sender {
  readonly #abort = new AbortController();
  #isRunning = false;
  #isAgain = false;
  #endPause: () => void = () => undefined;

  constructor(private readonly context: SenderContext) {}

  /** Something may have to be sent. */
  start(): void {
    if (this.#isRunning) this.#isAgain = true;
    else void this.#run();
  }

  /** The network may be back. */
  wake(): void {
    this.#endPause();
    this.start();
  }

  close(): void {
    this.#abort.abort();
    this.#endPause();
  }

  async #run(): Promise<void> {
    const { outbox, store } = this.context;
    const { signal } = this.#abort;
    const work = () => this.#sendAll();
    this.#isRunning = true;
    try {
      do {
        this.#isAgain = false;
        await outbox.ready();
        if (outbox.next !== undefined) await (store.exclusive?.(work, signal) ?? work());
      } while (this.#isAgain && !signal.aborted);
    } catch {
      // The store failed, or the wait for the turn was ended. The next write shows the error.
    }
    this.#isRunning = false;
  }

  /** Sends until nothing is left, or nothing without another login. */
  async #sendAll(): Promise<void> {
    const { client, outbox } = this.context;
    const { signal } = this.#abort;
    // Whoever had the turn before may have sent something.
    await outbox.reload();
    for (let failures = 0; !signal.aborted && outbox.next !== undefined;) {
      let outcome: Outcome = 0;
      try {
        const token = await client.session.token();
        outbox.setUser(token);
        outcome = await this.#sendNext(token);
      } catch {
        // The token can't be renewed now, or the store failed.
      }
      if (outcome === 'ended') return;
      if (outcome === 'done') failures = 0;
      else if (!signal.aborted) await this.#pause(Math.max(outcome, backoffMs(failures++)));
    }
  }

  async #sendNext(token: string | null): Promise<Outcome> {
    const { outbox } = this.context;
    const { next } = outbox;
    if (next === undefined) return 'ended';
    if (Date.now() - next.addedAtMs <= LONGEST_AGE_MS) return sendWrite(next, token, this.context);
    await outbox.fail(next, { id: 'offline.expired', message: 'Unsent for 7 days' });
    return 'done';
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
