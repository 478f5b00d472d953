/** How long after its response a write may be notified. */
const LATE_AFTER_MS = 10_000;

/** Which subscriber has received the notifications of which writes. */
export class Deliveries {
  #open = new Map();
  #subscribers;
  received = {};
  lost = 0;
  repeated = 0;

  constructor(subscribers) {
    this.#subscribers = subscribers;
    for (const name of subscribers) this.received[name] = 0;
  }

  /** To be called before the write is sent: its notification may come before its response. */
  expect(n) {
    this.#open.set(n, { sinceMs: Infinity, left: new Set(this.#subscribers) });
  }

  acknowledged(n) {
    const entry = this.#open.get(n);
    if (entry !== undefined) entry.sinceMs = performance.now();
  }

  /** The outcome of the write is unknown: nothing is expected. */
  failed(n) {
    this.#open.delete(n);
  }

  take(subscriber, n) {
    this.received[subscriber]++;
    const entry = this.#open.get(n);
    if (entry === undefined) return;
    if (!entry.left.delete(subscriber)) this.repeated++;
  }

  /** Counts what is late, and forgets what is complete. */
  sweep() {
    const nowMs = performance.now();
    for (const [n, { sinceMs, left }] of this.#open) {
      if (nowMs - sinceMs < LATE_AFTER_MS) continue;
      this.lost += left.size;
      this.#open.delete(n);
    }
  }

  get openCount() {
    return this.#open.size;
  }
}
