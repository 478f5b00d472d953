/** Waits until messages of this node have come back through the stream, and notes the positions of some of them. */
import type { Cursor } from '@millrace/kernel';

interface Waiting {
  readonly number: number;
  readonly resolve: (isBack: boolean) => void;
}

export class Echoes {
  private waiting: Waiting[] = [];
  private last = 0;
  /** A message has not come back in time: until the next one comes back, no caller waits. */
  private isLate = false;
  private readonly expected = new Map<number, Cursor | undefined>();

  constructor(
    private readonly limitMs: number,
    private readonly isUp: () => boolean,
  ) {}

  /** Whether messages come back, as far as is known. */
  get isWorking(): boolean {
    return !this.isLate && this.isUp();
  }

  /** Notes the position of a message that is about to be sent. */
  expect(number: number): void {
    this.expected.set(number, undefined);
  }

  /** The position of an expected message, which is no longer expected. */
  positionOf(number: number): Cursor | undefined {
    const cursor = this.expected.get(number);
    this.expected.delete(number);
    return cursor;
  }

  /** @returns false for a message that was taken before */
  take(number: number, cursor: () => Cursor): boolean {
    if (number <= this.last) return false;
    this.last = number;
    this.isLate = false;
    if (this.expected.has(number)) this.expected.set(number, cursor());
    return true;
  }

  /** An entry has been taken. */
  settle(): void {
    if (this.waiting.length === 0) return;
    const all = this.waiting;
    this.waiting = all.filter(({ number }) => number > this.last);
    for (const { number, resolve } of all) if (number <= this.last) resolve(true);
  }

  /** Resolves false if the message isn't back in time, or Redis is unavailable. */
  back(number: number): Promise<boolean> {
    if (number <= this.last) return Promise.resolve(true);
    if (!this.isWorking) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = () => {
        if (number > this.last) this.isLate = true;
        resolve(number <= this.last);
      };
      // If the event loop was blocked, the message has arrived and is read before the second timer.
      const timer = setTimeout(() => setTimeout(giveUp, this.limitMs / 4).unref(), this.limitMs).unref();
      this.waiting.push({
        number,
        resolve: (isBack) => {
          clearTimeout(timer);
          resolve(isBack);
        },
      });
    });
  }

  /** Redis is unavailable, or queued messages were dropped. */
  release(): void {
    const all = this.waiting;
    this.waiting = [];
    for (const { resolve } of all) resolve(false);
  }
}
