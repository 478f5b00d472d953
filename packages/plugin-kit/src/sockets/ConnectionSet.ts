import { Lifetime, type Connection } from '@millrace/kernel';
import type { Heartbeat } from './Heartbeat.js';

const MAX_WATCH_INTERVAL_MS = 1_000;
/** The clients of a stopping server return over this time, not all at once. */
const RETURN_OVER_MS = 5_000;

/** A connection as the set that holds it uses it. */
export interface HeldConnection {
  readonly connection: Connection;
  /** Absent if the protocol has no heartbeats that clients can see. */
  readonly heartbeat?: Heartbeat;
  /** Checks progress; called regularly. @param nowMs of `performance.now` */
  watch(nowMs: number): void;
  /**
   * Reads nothing further, waits for the responses of running requests, then closes the connection.
   * @param retryAfterMs when the client should connect again, if the protocol can tell it
   */
  finish(retryAfterMs: number): void;
}

/** The open connections of a protocol, from `start` to `stop`. */
export class ConnectionSet<C extends HeldConnection> {
  private readonly connections = new Map<string, C>();
  private readonly onEmpty: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private connectionNumber = 0;
  private isClosing = false;

  constructor(private readonly protocol: string) {}

  get size(): number {
    return this.connections.size;
  }

  /** True from the beginning of a stop. */
  get isStopping(): boolean {
    return this.isClosing;
  }

  get(connectionId: string): C | undefined {
    return this.connections.get(connectionId);
  }

  /** A connection with a new id, to be added once it is accepted. */
  create(remoteAddress: string): Connection {
    const id = `${this.protocol}-${++this.connectionNumber}`;
    return new HeartbeatConnection(id, this.protocol, remoteAddress, this.connections);
  }

  add(client: C): void {
    this.connections.set(client.connection.id, client);
  }

  /** Removes a connection that has closed. @returns false if it was removed before */
  remove({ connection }: C): boolean {
    if (!this.connections.delete(connection.id)) return false;
    if (this.connections.size === 0) this.onEmpty.splice(0).forEach((resolve) => resolve());
    return true;
  }

  each(act: (client: C) => void): void {
    for (const client of this.connections.values()) act(client);
  }

  /** Starts to watch the connections. @param limitsMs the times that they check; watched twice as often, each second at least */
  watch(...limitsMs: number[]): void {
    const intervalMs = Math.min(MAX_WATCH_INTERVAL_MS, ...limitsMs.map((limit) => limit / 2));
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      this.each((client) => client.watch(nowMs));
    }, intervalMs).unref();
  }

  /**
   * Finishes all connections and waits until they are closed.
   * @param later calls made while some are still open, by milliseconds from now
   */
  async stop(later: readonly (readonly [afterMs: number, act: () => void])[]): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    this.finishAll();
    const timers = later.map(([afterMs, act]) => setTimeout(act, afterMs));
    await this.whenEmpty();
    timers.forEach(clearTimeout);
  }

  private finishAll(): void {
    const stepMs = RETURN_OVER_MS / Math.max(1, this.connections.size);
    let retryAfterMs = 0;
    this.each((client) => {
      client.finish(Math.round(retryAfterMs));
      retryAfterMs += stepMs;
    });
  }

  whenEmpty(): Promise<void> {
    if (this.connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.onEmpty.push(resolve));
  }
}

/** Its fields are those of a `Connection` alone: plugins may show them. */
class HeartbeatConnection implements Connection {
  readonly lifetime = new Lifetime();
  readonly #connections: ReadonlyMap<string, HeldConnection>;

  constructor(
    readonly id: string,
    readonly protocol: string,
    readonly remoteAddress: string,
    connections: ReadonlyMap<string, HeldConnection>,
  ) {
    this.#connections = connections;
  }

  startHeartbeats(): number | null {
    return this.#connections.get(this.id)?.heartbeat?.start() ?? null;
  }
}
