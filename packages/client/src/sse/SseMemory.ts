const PERIOD_MS = 3_600_000;

/** For programs without a `localStorage`. */
const times = new Map<string, number>();

/** Remembers for an hour that the WebSockets of a server don't get through, for all pages of the origin. */
export class SseMemory {
  readonly #key: string;

  /** @param url of the server */
  constructor(url: string) {
    this.#key = `millrace.sse ${new URL(url).origin}`;
  }

  get isSet(): boolean {
    const atMs = Number(stored(this.#key)) || (times.get(this.#key) ?? 0);
    return Date.now() - atMs < PERIOD_MS;
  }

  set(): void {
    if (this.isSet) return;
    times.set(this.#key, Date.now());
    try {
      localStorage.setItem(this.#key, String(Date.now()));
    } catch {
      // None here, or the page may not use it.
    }
  }
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
