/**
 * The heartbeats of one connection: once it has started, the client receives something at least this often, and may take
 * a longer silence for a broken connection. Page code can't see the pings of WebSocket.
 */
export class Heartbeat {
  private quietSinceMs: number | undefined;

  /**
   * @param intervalMs the longest silence
   * @param send sends one heartbeat
   */
  constructor(
    private readonly intervalMs: number,
    private readonly send: () => void,
  ) {}

  /** @returns the longest silence, in milliseconds */
  start(): number {
    this.quietSinceMs = performance.now();
    return this.intervalMs;
  }

  /** To be called for each message that page code sees. */
  sent(): void {
    if (this.quietSinceMs !== undefined) this.quietSinceMs = performance.now();
  }

  /** To be called regularly. @param nowMs of `performance.now` */
  watch(nowMs: number): void {
    if (this.quietSinceMs === undefined || nowMs - this.quietSinceMs < this.intervalMs) return;
    this.quietSinceMs = nowMs;
    this.send();
  }
}
