import type { Notification } from '@millrace/actions';

const MAX_BYTES = 8 * 2 ** 20;

/** A notification that has arrived on a channel. */
export interface Received {
  readonly channel: string;
  readonly notification: Notification;
  /** Length of the message. */
  readonly bytes: number;
}

/** Keeps notifications of channels that no answer has named yet, while answers are expected. */
export class EarlyNotifications {
  #kept: Received[] = [];
  #bytes = 0;
  #isOpen = false;

  /** An answer is expected. */
  open(): void {
    this.#isOpen = true;
  }

  keep(received: Received): void {
    if (!this.#isOpen) return;
    this.#bytes += received.bytes;
    if (this.#bytes <= MAX_BYTES) this.#kept.push(received);
  }

  /** The answer has arrived, or will not. @returns what was kept; null: it was too much */
  close(): readonly Received[] | null {
    const kept = this.#bytes > MAX_BYTES ? null : this.#kept;
    this.#kept = [];
    this.#bytes = 0;
    this.#isOpen = false;
    return kept;
  }
}
