import type { IncomingMessage } from 'node:http';

const INTERVAL_MS = 50;
/** 80 MB a second: enough for every honest client, and a few percent of a core. */
const BYTES_PER_INTERVAL = 4_194_304;

/**
 * How fast the server discards the bodies of requests that it has answered already, all of them together: as fast as
 * their clients send, a crowd of refused uploads would take the event loop for itself. One per server.
 */
export class DiscardPace {
  private intervalBeganMs = 0;
  private bytes = 0;

  /** Counts bytes of a body; where they are too many, it is read on in the next interval. */
  discard(request: IncomingMessage, bytes: number): void {
    const nowMs = performance.now();
    if (nowMs - this.intervalBeganMs >= INTERVAL_MS) {
      this.intervalBeganMs = nowMs;
      this.bytes = 0;
    }
    this.bytes += bytes;
    if (this.bytes <= BYTES_PER_INTERVAL) return;
    request.pause();
    setTimeout(() => request.resume(), INTERVAL_MS).unref();
  }
}
