import { unref } from './unref.js';

/**
 * Calls a function when nothing has put it off for some time. The time is that of the calendar, not a monotonic clock,
 * which may stop while a computer sleeps.
 */
export class Deadline {
  #atMs = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onPassed: () => void) {}

  /** Sets the deadline, earlier or later than before. Infinity: none. */
  set(inMs: number): void {
    this.putOff(inMs);
    this.#watch();
  }

  /** Sets a deadline that isn't earlier than the present one: cheap, for every message. */
  putOff(inMs: number): void {
    this.#atMs = Date.now() + inMs;
  }

  clear(): void {
    this.set(Infinity);
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#atMs === Infinity) return;
    const check = () => (Date.now() < this.#atMs ? this.#watch() : this.onPassed());
    this.#timer = unref(setTimeout(check, this.#atMs - Date.now()));
  }
}
