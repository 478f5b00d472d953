import { CLOCK, type Clock, type Connection, type Lifecycle, type Session } from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import { ExpiryQueue } from './ExpiryQueue.js';

// A timer that is due later than this would overflow; it looks again then.
const MAX_TIMER_MS = 2 ** 31 - 1;
// Node's timers may fire a little early.
const TIMER_SLACK_MS = 1;

/** Called when a token has come to its end. */
export type SessionEnd = (session: Session, connections: readonly Connection[]) => void;

interface WatchedSession {
  readonly session: Session;
  readonly connections: Map<string, Connection>;
}

/**
 * Knows which connections use which tokens, by a login answered on them or by a subscription, and tells when a token
 * expires. By wall time, as tokens are judged.
 */
@injectable()
export class SessionWatch implements Lifecycle {
  private readonly byToken = new Map<string, WatchedSession>();
  private readonly tokensOf = new Map<string, Set<string>>();
  private readonly expiries = new ExpiryQueue<WatchedSession>();
  private timer: NodeJS.Timeout | undefined;
  private timerMs = Infinity;
  private onEnd: SessionEnd = () => undefined;

  constructor(@inject(CLOCK) private readonly clock: Clock) {}

  /** Who is told of expired tokens. */
  tell(onEnd: SessionEnd): void {
    this.onEnd = onEnd;
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timerMs = Infinity;
    this.byToken.clear();
    this.tokensOf.clear();
    this.expiries.clear();
  }

  watch(session: Session, connection: Connection): void {
    const { tokenId, expiresAtMs } = session;
    let watched = this.byToken.get(tokenId);
    if (watched === undefined) {
      watched = { session, connections: new Map() };
      this.byToken.set(tokenId, watched);
      this.expiries.push(expiresAtMs, watched);
      this.schedule();
    }
    watched.connections.set(connection.id, connection);
    const tokens = this.tokensOf.get(connection.id) ?? new Set();
    this.tokensOf.set(connection.id, tokens.add(tokenId));
  }

  /** The connections that use a token. */
  connectionsOf(tokenId: string): readonly Connection[] {
    return [...(this.byToken.get(tokenId)?.connections.values() ?? [])];
  }

  /** A connection has closed. */
  forget({ id }: Connection): void {
    for (const tokenId of this.tokensOf.get(id) ?? []) this.remove(tokenId, id);
    this.tokensOf.delete(id);
  }

  /** A token was revoked or replaced: its end is no news any more. */
  forgetToken(tokenId: string): void {
    for (const id of this.byToken.get(tokenId)?.connections.keys() ?? []) {
      this.tokensOf.get(id)?.delete(tokenId);
    }
    this.byToken.delete(tokenId);
  }

  private remove(tokenId: string, connectionId: string): void {
    const watched = this.byToken.get(tokenId);
    watched?.connections.delete(connectionId);
    // Its entry in the queue finds no connection when it is due.
    if (watched?.connections.size === 0) this.byToken.delete(tokenId);
  }

  private schedule(): void {
    const { nextMs } = this.expiries;
    if (nextMs === undefined || nextMs >= this.timerMs) return;
    clearTimeout(this.timer);
    this.timerMs = nextMs;
    const delayMs = Math.max(0, nextMs - this.clock.nowMs()) + TIMER_SLACK_MS;
    // unref: a token that is due must not hold a stopping process open.
    this.timer = setTimeout(() => this.endDue(), Math.min(delayMs, MAX_TIMER_MS)).unref();
  }

  private endDue(): void {
    this.timerMs = Infinity;
    const nowMs = this.clock.nowMs();
    for (;;) {
      const watched = this.expiries.takeDue(nowMs);
      if (watched === undefined) break;
      const { session, connections } = watched;
      if (this.byToken.get(session.tokenId) !== watched) continue;
      const affected = [...connections.values()];
      this.forgetToken(session.tokenId);
      this.onEnd(session, affected);
    }
    this.schedule();
  }
}
