import type { Logger } from '@millrace/kernel';
import { toElasticsearchFailure } from './ElasticsearchFailure.js';

const LOOK_EVERY_MS = 5_000;
const LOOK_WHILE_AWAY_MS = 1_000;

/** Logs one line when Elasticsearch stops answering, and one when it answers again, however many requests fail. */
export class ElasticsearchPresence {
  private timer: NodeJS.Timeout | undefined;
  private isWatching = false;
  private isLooking = false;
  private answeredAtMs = -Infinity;
  private awaySinceMs: number | undefined;

  constructor(
    /** Asks for a sign of life. */
    private readonly ping: () => Promise<unknown>,
    private readonly log: Logger,
  ) {}

  /** Begins to log, and to ask where no request does. */
  start(): void {
    this.isWatching = true;
    this.schedule();
  }

  stop(): void {
    this.isWatching = false;
    clearTimeout(this.timer);
  }

  /** Elasticsearch has answered a request, or refused it. */
  answered(): void {
    this.answeredAtMs = performance.now();
    if (this.awaySinceMs === undefined) return;
    const awayMs = Math.round(this.answeredAtMs - this.awaySinceMs);
    this.awaySinceMs = undefined;
    this.log.info({ awayMs }, 'Elasticsearch is back');
  }

  /** Elasticsearch gives no sign of life. */
  lost(reason: string): void {
    if (!this.isWatching || this.awaySinceMs !== undefined) return;
    this.awaySinceMs = performance.now();
    this.log.warn({ reason }, 'Elasticsearch is away');
    this.schedule();
  }

  /** Finds out whether it is there. Never rejects. */
  async look(): Promise<void> {
    if (this.isLooking || !this.isWatching) return;
    this.isLooking = true;
    try {
      await this.ping();
      this.answered();
    } catch (error) {
      const { status, reason } = toElasticsearchFailure(error);
      if (status === 0) this.lost(reason);
      else this.answered();
    } finally {
      this.isLooking = false;
    }
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (!this.isWatching) return;
    const isAway = this.awaySinceMs !== undefined;
    const waitMs = isAway ? LOOK_WHILE_AWAY_MS : LOOK_EVERY_MS;
    this.timer = setTimeout(() => {
      const isSilent = performance.now() - this.answeredAtMs >= waitMs;
      void (isSilent ? this.look() : Promise.resolve()).then(() => this.schedule());
    }, waitMs).unref();
  }
}
