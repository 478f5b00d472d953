const MAX_FACTOR = 8;

/** How long a client waits for a server: longer after each time in vain, so that a slow machine gets there. */
export class Patience {
  #limitMs;
  #factor = 1;

  constructor(limitMs) {
    this.#limitMs = limitMs;
  }

  get limitMs() {
    return this.#limitMs * this.#factor;
  }

  /** It waited in vain. */
  grow() {
    this.#factor = Math.min(2 * this.#factor, MAX_FACTOR);
  }

  /** It has what it waited for. */
  reset() {
    this.#factor = 1;
  }
}
