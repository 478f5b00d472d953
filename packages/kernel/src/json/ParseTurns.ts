/*
 * Long messages are parsed one per turn of the event loop, across all connections: 40 messages of 1 MiB that arrive
 * together would block it for 200 ms, and short requests would wait for all of them.
 */
export const LONG_JSON_BYTES = 65_536;

const waiting: (() => void)[] = [];

/** Resolves when one long message may be parsed; the caller must do so at once. */
export function parseTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/** The messages of one connection in order; long ones wait for `parseTurn`. */
export class ParseTurns {
  private readonly queue: { readonly isLong: boolean; readonly take: () => void }[] = [];

  /** True while a message waits: the caller should read nothing further. */
  get isWaiting(): boolean {
    return this.queue.length > 0;
  }

  /** @param take parses the message and passes it on; must not throw */
  add(byteLength: number, take: () => void): void {
    const isLong = byteLength > LONG_JSON_BYTES;
    if (!isLong && this.queue.length === 0) {
      take();
      return;
    }
    this.queue.push({ isLong, take });
    if (this.queue.length === 1) void this.drain();
  }

  /** Drops the waiting messages. */
  clear(): void {
    this.queue.length = 0;
  }

  private async drain(): Promise<void> {
    for (let first = this.queue[0]; first !== undefined; first = this.queue[0]) {
      if (first.isLong) await parseTurn();
      // The queue may have been cleared in the meantime.
      if (this.queue[0] !== first) return;
      this.queue.shift();
      first.take();
    }
  }
}
