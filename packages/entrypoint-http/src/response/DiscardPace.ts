import type { IncomingMessage } from 'node:http';

const INTERVAL_MS = 50;
/** 80 MB a second: enough for every well-behaved client, and a few percent of a core. */
const BYTES_PER_INTERVAL = 4_194_304;

/**
 * Limits the rate at which the server discards the bodies of already answered requests, all of them together: without a
 * limit, many refused uploads would occupy the event loop. One per server.
 */
export class DiscardPace {
  private intervalBeganMs = 0;
  private bytes = 0;

  /** Counts bytes of a body; beyond the limit, reading continues in the next interval. */
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
