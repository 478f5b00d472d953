import type { Connection, ProtocolHost } from '@millrace/kernel';

/** What a client receives (PROTO-47). */
export interface HeartbeatMessage {
  readonly type: 'heartbeat';
  /** Everything up to this position was sent before the heartbeat (RESUME-23). Absent: not known now. */
  readonly cursor?: string;
}

/** A heartbeat as of now: everything that was published before it must be sent before it. */
export function heartbeatOf(host: ProtocolHost, { id }: Connection): HeartbeatMessage {
  const cursor = host.sentCursor?.(id);
  return { type: 'heartbeat', ...(cursor !== undefined && { cursor }) };
}

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
