import type { Connection, ProtocolHost } from '@millrace/kernel';

/** What a client receives (PROTO-47). */
export interface HeartbeatMessage {
  readonly type: 'heartbeat';
  /** Everything up to this position was sent before the heartbeat (RESUME-23). Absent: not known now. */
  readonly cursor?: string;
  /** Number of notifications sent before it on the connection, but user events (RESUME-24). */
  readonly sent?: number;
}

/** A heartbeat as of now: everything that was published before it must be sent before it. */
export function heartbeatOf(host: ProtocolHost, connection: Connection): HeartbeatMessage {
  const cursor = host.sentCursor?.(connection.id);
  const sent = host.sentCount?.(connection);
  return {
    type: 'heartbeat',
    ...(cursor !== undefined && { cursor }),
    ...(sent !== undefined && { sent }),
  };
}

/**
 * The heartbeats of one connection: once it has started, the client receives one at least this often, also among other
 * messages, because it compares `sent` with what it has received. It may take a longer silence for a broken connection:
 * page code can't see the pings of WebSocket.
 */
export class Heartbeat {
  private lastAtMs: number | undefined;

  /** @param intervalMs time between two heartbeats */
  constructor(private readonly intervalMs: number) {}

  /** @returns the longest silence, in milliseconds */
  start(): number {
    this.lastAtMs = performance.now();
    return this.intervalMs;
  }

  /** To be called regularly. @param nowMs of `performance.now` @returns true: send one now */
  isDue(nowMs: number): boolean {
    if (this.lastAtMs === undefined || nowMs - this.lastAtMs < this.intervalMs) return false;
    this.lastAtMs = nowMs;
    return true;
  }
}
