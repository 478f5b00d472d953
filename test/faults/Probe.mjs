/**
 * Sends one kind of request on a schedule and keeps the time of each answer.
 *
 * A client that waits for one answer before it sends the next request measures a stop of ten seconds as one slow request.
 * So the schedule goes on: where too many requests are unanswered, the ones that would have been sent count from the time
 * they were due until the next answer.
 */
export class Probe {
  #latenciesMs = [];
  #errors = new Map();
  #pending = new Set();
  #skipped = [];
  #timer;
  #options;

  /** @param {{everyMs: number, maxPending: number, send: () => Promise<void>}} options `send` rejects on a wrong answer */
  constructor(options) {
    this.#options = options;
  }

  start() {
    this.#timer = setInterval(() => this.#tick(), this.#options.everyMs);
  }

  /** Forgets what has been measured so far. */
  reset() {
    this.#latenciesMs = [];
    this.#errors = new Map();
  }

  /** Sends no more and waits for pending responses, up to `limitMs`; those missing then are errors. */
  async finish(limitMs) {
    clearInterval(this.#timer);
    const deadline = performance.now() + limitMs;
    while (this.#pending.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const nowMs = performance.now();
    for (const { dueMs } of this.#pending) {
      this.#fail('no answer');
      this.#latenciesMs.push(nowMs - dueMs);
    }
    this.#pending.clear();
    this.#takeSkipped(nowMs);
  }

  /** @returns `{count, p50, p99, max, errorCount, errors}`, milliseconds; `errors` by message */
  summary() {
    const sorted = Float64Array.from(this.#latenciesMs).sort();
    const quantile = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
    const errorCount = [...this.#errors.values()].reduce((sum, count) => sum + count, 0);
    return {
      count: sorted.length,
      p50: quantile(0.5),
      p99: quantile(0.99),
      max: sorted.at(-1) ?? NaN,
      errorCount,
      errors: Object.fromEntries(this.#errors),
    };
  }

  #tick() {
    const dueMs = performance.now();
    if (this.#pending.size >= this.#options.maxPending) {
      this.#skipped.push(dueMs);
      return;
    }
    const sent = { dueMs };
    this.#pending.add(sent);
    this.#options.send().then(
      () => this.#answered(sent),
      (error) => {
        if (this.#pending.has(sent)) this.#fail(error.message.slice(0, 80));
        this.#answered(sent);
      },
    );
  }

  #answered(sent) {
    // After `finish` it has been counted.
    if (!this.#pending.delete(sent)) return;
    const nowMs = performance.now();
    this.#latenciesMs.push(nowMs - sent.dueMs);
    this.#takeSkipped(nowMs);
  }

  #takeSkipped(nowMs) {
    for (const dueMs of this.#skipped.splice(0)) this.#latenciesMs.push(nowMs - dueMs);
  }

  #fail(message) {
    this.#errors.set(message, (this.#errors.get(message) ?? 0) + 1);
  }
}
