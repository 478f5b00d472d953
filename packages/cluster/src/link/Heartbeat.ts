import type { Clock, JsonObject, Logger } from '@millrace/kernel';
import type { ClusterConfig } from '../ClusterConfig.js';
import type { Peers } from './Peers.js';
import type { SendQueue } from './SendQueue.js';

const BEATS_PER_REGISTRATION = 4;

/** Dependencies of a heartbeat. */
export interface HeartbeatParts {
  readonly config: Pick<ClusterConfig, 'heartbeatMs' | 'leaseMs' | 'deadAfterMs'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queue: SendQueue;
  readonly peers: Peers;
  /** Registers this node as alive. */
  readonly register: () => Promise<unknown>;
  /** For the log, when the node gets in or out of touch. */
  readonly describe: () => JsonObject;
  /** A node has been silent for too long. */
  readonly onDead: (nodeId: string) => void;
}

/** Sends heartbeats, whose way back through the stream renews the lease, and declares silent nodes dead. */
export class Heartbeat {
  private timer: NodeJS.Timeout | undefined;
  private lastNumber = 0;
  private count = 0;
  private echoAtMs = -Infinity;
  private wasCurrent = false;
  private isRegistering = false;

  constructor(private readonly parts: HeartbeatParts) {}

  /** Whether it was started and not stopped. */
  get isRunning(): boolean {
    return this.timer !== undefined;
  }

  /** Whether a heartbeat was read back within the lease. */
  get isCurrent(): boolean {
    const { clock, config } = this.parts;
    return clock.monotonicMs() - this.echoAtMs < config.leaseMs;
  }

  start(): void {
    this.beat();
    this.timer = setInterval(() => this.beat(), this.parts.config.heartbeatMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** A heartbeat has come back. @param sentAtMs by the clock of this node */
  took(sentAtMs: number): void {
    this.echoAtMs = Math.max(this.echoAtMs, sentAtMs);
  }

  private beat(): void {
    const { clock, queue } = this.parts;
    const nowMs = clock.monotonicMs();
    if (queue.confirmedUpTo >= this.lastNumber) {
      this.lastNumber = queue.push('~beat', String(nowMs), '');
    }
    if (this.count++ % BEATS_PER_REGISTRATION === 0) this.register();
    this.declareDeadNodes(nowMs);
  }

  /** A node that didn't read the stream in the meantime declares none. */
  private declareDeadNodes(nowMs: number): void {
    const { logger, peers, config, describe, onDead } = this.parts;
    const { isCurrent } = this;
    if (isCurrent !== this.wasCurrent) {
      this.wasCurrent = isCurrent;
      logger[isCurrent ? 'info' : 'warn'](
        describe(),
        isCurrent
          ? 'in touch with the other nodes'
          : 'out of touch with the other nodes: what they change is read from the store, notifications of theirs wait',
      );
      if (isCurrent) peers.forgiveSilence(nowMs);
    }
    if (!isCurrent) return;
    for (const { id, lastSeenMs } of [...peers.alive()]) {
      if (nowMs - lastSeenMs > config.deadAfterMs) onDead(id);
    }
  }

  private register(): void {
    if (this.isRegistering) return;
    this.isRegistering = true;
    this.parts
      .register()
      .catch(() => undefined)
      .finally(() => (this.isRegistering = false));
  }
}
